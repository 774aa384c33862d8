"""What a person sees and types, without a terminal: every command there and back, nothing hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from highcard.rules import GAME as HIGHCARD

from botequim import registry
from botequim.core.game import CHANCE, AnyGame
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.core.turn import PlayedMove, Step
from botequim.i18n import use_language
from botequim.narration.narrator import Transcript
from botequim.terminal.help import short_rules
from botequim.terminal.ui import CommandError, Room, TerminalUI, ui_for

SMALL = {"fives": {"target": 5}, "rps": {"rounds": 4}, "uno": {"players": 3}}
ROOMS = (Room(40, 24), Room(40, 24, low=True), Room(80, 24), Room(80, 24, low=True), Room(160, 45))
TIGHT = Room(39, 24, low=True, tight=True)


def steps(game: AnyGame, seed: int) -> Iterator[Step]:
    """A game played at random."""
    rng = Rng(f"{game.name} {seed}")
    state = game.start(resolve_options(game.name, game.options, SMALL.get(game.name, {})))
    number = 0
    while to_move := game.to_move(state):
        made = [
            PlayedMove(by, game.chance(state, rng) if by == CHANCE else rng.choice(game.legal(state, by)))
            for by in to_move
        ]
        after = game.apply(state, {one.by: one.move for one in made})
        number += 1
        yield Step(number, state, tuple(made), after)
        state = after


def seats(game: AnyGame) -> tuple[Any, list[dict[str, str]]]:
    teams = game.teams(resolve_options(game.name, game.options, SMALL.get(game.name, {})))
    return teams, [{"name": f"p{seat}"} for seat in range(sum(map(len, teams)))]


@pytest.mark.parametrize("name", registry.game_names())
def test_every_move_of_the_menu_can_be_typed_and_every_table_be_drawn(name: str) -> None:
    game = registry.game(name)
    _, names = seats(game)
    for seed in range(3):
        for step in steps(game, seed):
            for seat in game.to_move(step.after):
                if seat == CHANCE:
                    continue
                ui = ui_for(game, names, seat)
                view = game.view(step.after, seat)
                for move in view.legal:
                    typed = ui.command_for(move, view)
                    assert game.check(step.after, seat, ui.parse_command(typed.split(), view)) is None
                    assert game.write(ui.parse_command(typed.split(), view)) == game.write(move), typed
                for piece in ui.commands_text(view).split(", "):  # every way to play each piece: m 2 l/r
                    *head, last = piece.split()
                    for ending in last.split("/"):
                        move = ui.parse_command([*head, ending], view)
                        assert game.check(step.after, seat, move) is None, piece
                for choice in ui.choices(view):
                    move = ui.parse_command(choice.command.split(), view)
                    assert game.check(step.after, seat, move) is None
                explained = " ".join(map(str, ui.situation(view)))
                assert explained.startswith("It is your turn. ")
                moves = {type(move).__name__ for move in view.legal}
                assert ("you must pass" in explained) == (moves == {"Pass"}), explained
                assert ("you must draw" in explained) == (moves == {"Draw"}), explained
                assert ui.lines(view, ui.visible_hands(view))
                seen = ui.visible_hands(view)
                assert len(ui.drawing(view, seen, ROOMS[1])) < len(ui.drawing(view, seen, ROOMS[0]))
                tight = ui.drawing(view, seen, TIGHT)
                assert len(tight) <= len(ui.drawing(view, seen, ROOMS[1]))
                for move in view.legal:  # what can be played is seen with its index
                    index = ui.command_for(move, view).split()[1:2]
                    assert not index or any(f"{index[0]}: " in row.plain for row in tight) or name == "uno"
                for room in (*ROOMS, TIGHT):
                    drawn = ui.drawing(view, ui.visible_hands(view), room)
                    if room.width >= 80 or name in ("cubos", "fives", "havana"):  # sentences may fold
                        assert max(line.cell_len for line in drawn) <= room.width


OTHER_TILES = re.compile(r"[\[(]\d\s*[,|]\s*\d[\])]|\d\|\d")


@pytest.mark.parametrize("name", ["cubos", "fives", "havana"])
def test_a_tile_is_written_in_one_way(name: str) -> None:
    """The lower number comes first, except on the table, where a tile is written as it lies."""
    game = registry.game(name)
    teams, names = seats(game)
    narrator = Transcript(game, teams, names)
    for step in steps(game, 1):
        texts = list(narrator.turn(step))
        for seat in game.to_move(step.after):
            if seat == CHANCE:
                continue
            ui = ui_for(game, names, seat)
            view = game.view(step.after, seat)
            seen = ui.visible_hands(view)
            texts += [str(choice.does) for choice in ui.choices(view)]
            texts += [ui.move_text(move) for move in view.legal]
            lines = ui.lines(view, seen)
            hand = "   ".join(f"{at}: {tile.low}-{tile.high}" for at, tile in enumerate(view.hand))
            assert lines[-1] == hand
            texts += lines
            texts += [row.plain for room in (*ROOMS, TIGHT) for row in ui.drawing(view, seen, room)]
        assert not [text for text in texts if OTHER_TILES.search(text)]


@pytest.mark.parametrize("name", registry.game_names())
def test_who_watches_sees_all_hands(name: str) -> None:
    game = registry.game(name)
    _, names = seats(game)
    ui = ui_for(game, names)
    for step in steps(game, 1):
        view, hands = game.view(step.after, None), ui.all_hands(step.after)
        shown = "\n".join(ui.lines(view, hands))
        drawn = "\n".join(line.plain for line in ui.drawing(view, hands, ROOMS[1]))
        assert "x-x" not in shown.split("\n")[1] if name == "fives" else shown is not None
        assert drawn is not None


@pytest.mark.parametrize("name", registry.game_names())
def test_a_seat_is_told_nothing_that_it_does_not_see(name: str) -> None:
    game = registry.game(name)
    teams, names = seats(game)
    for seat in range(len(names)):
        transcript = Transcript(game, teams, names, boards=False, to=seat)
        for seed in range(3):
            for step in steps(game, seed):
                before = game.resample_hidden(step.before, seat, Rng(f"before {seed}"))
                after = game.resample_hidden(step.after, seat, Rng(f"after {seed}"))
                otherwise = Step(step.number, before, step.turn, after)
                assert list(transcript.turn(otherwise)) == list(transcript.turn(step))


def test_without_a_short_text_help_has_the_first_paragraph_of_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "texts", lambda game: tmp_path)
    assert short_rules("nim") == []
    (tmp_path / "rules.md").write_text("# Nim\n\nTake the last match.\n\nMore.\n", encoding="utf-8")
    assert short_rules("nim") == ["Take the last match."]
    (tmp_path / "rules.pt-BR.md").write_text("# Nim\n\nPegue o último.\n", encoding="utf-8")
    with use_language("pt_BR"):
        assert short_rules("nim") == ["Pegue o último."]
    (tmp_path / "short.txt").write_text("Take turns.\nTake the last.\n", encoding="utf-8")
    assert short_rules("nim") == ["Take turns.", "Take the last."]


def test_a_game_without_a_face_is_played_by_the_index_of_its_moves() -> None:
    game: AnyGame = HIGHCARD
    assert registry.terminal(game.name) is None
    options = resolve_options(game.name, game.options, {})
    state = game.start(options)
    rng = Rng("1")
    while CHANCE in game.to_move(state):
        state = game.apply(state, {CHANCE: game.chance(state, rng)})
    seat = game.to_move(state)[0]
    names = [{"name": "p"} for team in game.teams(options) for _ in team]
    ui = ui_for(game, names, seat)
    assert type(ui) is TerminalUI
    view = game.view(state, seat)
    for at, move in enumerate(view.legal):
        assert ui.command_for(move, view) == f"m {at}"
        assert ui.parse_command(["m", str(at)], view) == move
        assert ui.lines(view, ())[at] == f"{at}: {game.write(move)}"
    with pytest.raises(CommandError, match="unknown command"):
        ui.parse_command(["x"], view)
