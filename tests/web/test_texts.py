"""The texts that people read are there in both languages, and what they say is true."""

from __future__ import annotations

import ast
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from botequim import registry
from botequim.cli import main, parser
from botequim.core.game import CHANCE, SAY_LENGTH
from botequim.core.limits import Limits
from botequim.core.options import ChoiceOption, resolve_options
from botequim.core.wire import GameContext
from botequim.games.dominoes.tiles import read_tile
from botequim.games.fives import rules
from botequim.games.fives.rules import score_after
from botequim.games.fives.spinner import EMPTY, LAYS, read_lay
from botequim.games.havana.moves import TILES
from botequim.games.rps import rules as rps
from botequim.i18n import LANGUAGES
from botequim.render.layout import Shape
from botequim.web import positions, prose
from botequim.web.positions import PLAYERS, Position, position
from tests import ROOT

GAMES = ("cubos", "fives", "havana", "rps", "uno")
EXAMPLES = ROOT / "examples"
TEXTS = [(name, language) for name in prose.names() for language in LANGUAGES]


def text(name: str, language: str) -> str:
    found = prose.source(name, language)
    assert found is not None, f"{name} is not written in {language}"
    return found


def chapter(name: str, language: str, anchor: str) -> str:
    """The part of a text below one heading, whatever that is called in this language."""
    page = prose.page(name, language)
    assert page is not None
    at = [one.anchor for one in page.chapters].index(anchor)
    return text(name, language).split("\n## ")[at + 1]


def codes(part: str) -> list[str]:
    """What stands in the font of code."""
    return re.findall(r"`([^`\n]+)`", part)


def rows(part: str) -> list[list[str]]:
    """The cells of all tables below their heads."""
    lines = [line for line in part.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    heads = [at for at, row in enumerate(cells) if set(row[0]) <= {"-"} and row[0]]
    return [row for at, row in enumerate(cells) if at not in heads and at + 1 not in heads]


def blocks(name: str, language: str) -> list[tuple[str, str]]:
    """What stands behind the fence, and what is in it."""
    return re.findall(r"^```(.*)\n((?s:.*?))^```$", text(name, language), re.MULTILINE)


def without_comments(kind: str, code: str) -> str:
    """Return a program without its comments, which are in the language of the page."""
    if not kind.startswith("python"):
        return re.sub(r"//.*", "", code)
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def comments(code: str) -> set[str]:
    """Return the comments and docstrings of a program."""
    return {one for found in re.findall(r'//(.*)|# (.*)|"""(.*)"""', code) for one in found if one}


def question_text(shown: Position, wire: str, seen: int = 0) -> str:
    """What a bot on the first seat is really sent."""
    seats = sum(map(len, shown.game.teams(shown.options)))
    view = shown.game.view(shown.step.after, 0)
    context = GameContext(shown.game, shown.options, PLAYERS[:seats])
    return registry.wire(shown.game.name, wire).codec.encode_question(view, seen, context).body.decode()


def referee_move(shown: Position, wire: str, answer: str) -> str:
    """What the referee makes of an answer: a move that the rules take."""
    seats = sum(map(len, shown.game.teams(shown.options)))
    view = shown.game.view(shown.step.after, 0)
    context = GameContext(shown.game, shown.options, PLAYERS[:seats])
    reply = registry.wire(shown.game.name, wire).codec.decode_answer([answer.encode()], view, context)
    assert reply is not None
    assert shown.game.check(shown.step.after, 0, reply.move) is None
    return shown.game.write(reply.move)


# --- texts of other packages ------------------------------------------------------------------------------


def test_a_text_in_one_language_is_shown_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    only = {("rules-nim", "en"): "# Nim\n\nTake the last.\n\n## Play\n", ("rules-jogo", "pt_BR"): "# Jogo\n"}
    monkeypatch.setattr(prose, "_texts", lambda: only)
    for name, language in (("rules-nim", "pt_BR"), ("rules-jogo", "en")):
        page, plain = prose.page.__wrapped__(name, language), prose.plain(name, language)
        assert page is not None
        assert plain is not None
        assert plain.startswith(f"# {page.title}\n")
    assert prose.page.__wrapped__("rules-chess", "en") is None


# --- all of them ------------------------------------------------------------------------------------------


def test_every_game_and_wire_of_ours_has_its_text() -> None:
    wires = {name for game in GAMES for name in registry.wire_names(game)}
    pages = {"arena" if name.startswith("arena-") else name for name in wires}
    wanted = {f"rules-{game}" for game in GAMES} | {f"enter-{page}" for page in pages} | {"enter"}
    assert set(prose.names()) == wanted


@pytest.mark.parametrize("name", prose.names())
def test_both_languages_have_the_same_headings_code_and_pictures(name: str) -> None:
    def frame(language: str) -> list[Any]:
        written = text(name, language)
        levels = re.findall(r"^(#+) ", written, re.MULTILINE)
        programs = [
            (kind, without_comments(kind, code)) for kind, code in blocks(name, language) if " " in kind
        ]
        return [levels, len(rows(written)), programs, re.findall(r"picture:\S+", written)]

    assert frame("pt_BR") == frame("en")


@pytest.mark.parametrize("name", [name for name in prose.names() if name.startswith("enter-")])
def test_comments_of_programs_are_in_the_language_of_the_page(name: str) -> None:
    english, portuguese = (
        set().union(*(comments(code) for kind, code in blocks(name, language) if " " in kind))
        for language in LANGUAGES
    )
    assert len(english) == len(portuguese) > 0
    assert english & portuguese == set()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_every_option_and_each_of_its_values_is_told(name: str, language: str) -> None:
    game = registry.game(name)
    part = chapter(f"rules-{name}", language, "options")
    told = {codes(row[0])[0]: row[1] for row in rows(part)}
    assert set(told) == {option.name for option in game.options}
    for option in game.options:
        if isinstance(option, ChoiceOption):
            assert codes(told[option.name]) == list(option.known), "the usual one comes first"
        else:
            numbers = {int(number) for number in re.findall(r"\d+", told[option.name])}
            assert numbers == {option.low, option.high, option.default}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_rules_show_a_board_and_say_what_a_mistake_costs(name: str, language: str) -> None:
    assert "(picture:" in text(f"rules-{name}", language)
    assert chapter(f"rules-{name}", language, "mistakes")
    assert chapter(f"rules-{name}", language, "points")


@pytest.mark.parametrize("name", positions.names())
def test_positions_are_played_by_the_rules_and_drawn(name: str) -> None:
    for shape in Shape:
        english, portuguese = (positions.position_svg(name, shape, language) for language in LANGUAGES)
        assert english.startswith("<svg")
        assert english != portuguese
    assert any(f"picture:{name} " in text(*which) for which in TEXTS), "no text shows it"


def test_anchors_are_the_same_in_both_languages() -> None:
    for name in prose.names():
        english, portuguese = prose.page(name, "en"), prose.page(name, "pt_BR")
        assert english is not None
        assert portuguese is not None
        anchors = [one.anchor for one in english.chapters]
        assert anchors == [one.anchor for one in portuguese.chapters]
        assert len(set(anchors)) == len(anchors)
        assert english.lead != portuguese.lead


def test_a_text_cannot_bring_markup_with_it() -> None:
    for name, language in TEXTS:
        page = prose.page(name, language)
        assert page is not None
        assert "style=" not in page.html
        assert "<script" not in page.html


@pytest.mark.parametrize(("name", "language"), TEXTS)
def test_commands_of_the_texts_exist(name: str, language: str) -> None:
    for said in re.findall(r"botequim ((?:check|match|ask|gif|games) [^`\n]*)", text(name, language)):
        assert callable(parser().parse_args(shlex.split(said)).run), said


# --- the rules say what is true -----------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_cubos_the_moves_of_the_picture_are_those_there_are(language: str) -> None:
    shown = position("cubos-turn")
    legal = {shown.game.write(move) for move in shown.game.legal(shown.step.after, 0)}
    transcript = chapter("rules-cubos", language, "how-a-game-goes")
    assert {code for code in codes(transcript) if " " in code} == legal
    held = {str(tile) for tile in shown.game.view(shown.step.after, 0).hand}
    fitting = {move.split()[0] for move in legal}
    assert {code for code in codes(transcript) if " " not in code} == held - fitting


@pytest.mark.parametrize("language", LANGUAGES)
def test_cubos_the_blocked_game_is_counted_as_it_is_told(language: str) -> None:
    shown = position("cubos-blocked")
    outcome = shown.game.outcome(shown.step.after)
    assert outcome is not None
    assert (outcome.how, outcome.places, outcome.points) == ("blocked", (1, 2), (6, 2, 6, 14))
    transcript = chapter("rules-cubos", language, "how-it-ends").splitlines()[-2:]
    numbers = [int(number) for number in re.findall(r"\d+", " ".join(transcript))]
    assert numbers == [6, 2, 6, 14, 1, 3, 12, 16, 1, 3]


@pytest.mark.parametrize("language", LANGUAGES)
def test_havana_sides_are_taken_as_the_table_says(language: str) -> None:
    game = registry.game("havana")
    table = rows(chapter("rules-havana", language, "left-and-right"))
    assert len(table) == 4
    answers = [codes(answer) for _, answer, _ in table]
    others = [str(tile) for tile in TILES if str(tile) not in {tile for _, tile in answers}]
    hands = [" ".join([tile, *others[9 * at : 9 * at + 9]]) for at, (_, tile) in enumerate(answers)]
    state = game.start(resolve_options("havana", game.options, {"first": "0"}))
    for move in ("first 0", f"deal {' | '.join(hands)}"):
        state = game.apply(state, {CHANCE: game.read(move)})
    for seat, ((before, _, after), (side, tile)) in enumerate(zip(table, answers, strict=True)):
        assert codes(before) == [" ".join(map(str, state.ends))] * bool(state.ends)
        move = game.read(f"{tile} {side}")
        assert game.check(state, seat, move) is None
        state = game.apply(state, {seat: move})
        assert codes(after)[-1] == " ".join(map(str, state.ends))


@pytest.mark.parametrize("language", LANGUAGES)
def test_havana_the_closed_game_is_won_by_the_lowest_hand(language: str) -> None:
    shown = position("havana-closed")
    outcome = shown.game.outcome(shown.step.after)
    assert outcome is not None
    assert (outcome.how, outcome.places, outcome.points) == ("closed", (1, 2), (14, 20, 27, 15))
    transcript = chapter("rules-havana", language, "how-it-ends").splitlines()[-2:]
    numbers = [int(number) for number in re.findall(r"\d+", " ".join(transcript))]
    assert numbers == [0, 3, 14, 20, 27, 15, 0, 0, 2, 41, 35]


@pytest.mark.parametrize("language", LANGUAGES)
def test_fives_the_board_is_worth_what_the_table_says(language: str) -> None:
    table = rows(chapter("rules-fives", language, "what-the-board-is-worth"))
    assert len(table) == 8
    board = EMPTY
    for move, _, total, points in table:
        words = codes(move)[0].split()
        lay = read_lay(words[0], words[1], 6) if len(words) == 2 else LAYS[read_tile(words[0], 6)][0]
        assert board.refusal(lay) is None
        assert score_after(board, lay) == int(points)
        board = board.with_lay(lay)
        assert board.score() == int(total)
    shown = position("fives-arms").step.after
    assert shown.board.score() == 15
    assert shown.board.with_lay(lay) == board, "the table goes one move on from the picture"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("held", "worth"), [("6-6", 10), ("6-6 0-1", 15), ("0-2", 0)])
def test_fives_hands_are_rounded_as_it_is_told(held: str, worth: int, language: str) -> None:
    pips = sum(int(number) for number in re.findall(r"\d", held))
    transcript = chapter("rules-fives", language, "how-a-round-ends").strip().splitlines()[-1]
    assert re.findall(r"\d+", transcript) == ["12", "10", "13", "15", "2"]
    assert str(pips) in transcript
    assert fives_round_won_against(held) == worth


def fives_round_won_against(held: str) -> int:
    """What the last tile of a round brings, beside the board: the other holds just that."""
    game = registry.game("fives")
    start = game.start(resolve_options("fives", game.options, {}))
    hand, other = (read_tile("1-3", 6),), tuple(read_tile(tile, 6) for tile in held.split())
    board = EMPTY.with_lay(LAYS[read_tile("3-5", 6)][0])
    state = rules.State(start.options, 1, (0, 0), (hand, other), (), board, rules.Phase.PLAY, 0, ())
    (move,) = game.legal(state, 0)
    assert score_after(board, move) == 0
    return int(game.apply(state, {0: move}).scores[0])


@pytest.mark.parametrize("language", LANGUAGES)
def test_uno_the_cards_of_the_picture_fit_or_do_not(language: str) -> None:
    shown = position("uno-turn")
    held = {str(card) for card in shown.game.view(shown.step.after, 0).hand}
    legal = [shown.game.write(move) for move in shown.game.legal(shown.step.after, 0)]
    fitting = {move.split()[1] for move in legal if move.startswith("discard")}
    transcript = chapter("rules-uno", language, "what-fits").strip().splitlines()[-1]
    first, rest = transcript.split(". ", 1)
    assert set(codes(first)) == fitting
    assert set(codes(rest)) == held - fitting


@pytest.mark.parametrize("language", LANGUAGES)
def test_rps_each_round_goes_where_the_table_says(language: str) -> None:
    table = rows(chapter("rules-rps", language, "a-round"))
    rounds = position("rps-rounds").step.after.rounds
    steps = list(rps.DecidingStep)
    assert len(table) == len(rounds) == 4
    for row, played in zip(table, rounds, strict=True):
        _, first, second, winner, rule = row
        assert [codes(first)[0], codes(second)[0]] == [hand.value for hand in played.hands]
        assert int(winner) == played.winner + 1
        assert int(rule) == steps.index(played.by) + 1
    assert {int(row[4]) for row in table} == {1, 2, 3, 4}


# --- how to enter says what is true -----------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_questions_shown_are_those_that_are_sent(language: str) -> None:
    shown = position("cubos-turn")
    question, answer = [json.loads(code) for kind, code in blocks("enter-cubos", language) if kind == "json"]
    assert question == json.loads(question_text(shown, "cubos"))
    assert referee_move(shown, "cubos", json.dumps(answer)) == "0-6 left"
    shown = position("fives-arms")
    question, answer = [json.loads(code) for kind, code in blocks("enter-arena", language) if kind == "json"]
    events = shown.game.view(shown.step.after, 0).events
    assert question == json.loads(question_text(shown, "arena-lines", len(events) - 2))
    assert referee_move(shown, "arena-lines", json.dumps(answer)) == "3-4 left"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lines_of_uno_are_those_that_are_sent(language: str) -> None:
    before, after = [code for kind, code in blocks("enter-uno", language) if kind == ""][:2]
    assert question_text(position("uno-turn"), "uno") == before + after
    assert referee_move(position("uno-turn"), "uno", "DISCARD 8♥") == "discard 8♥"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_history_of_rps_is_that_of_the_picture(language: str) -> None:
    shown = position("rps-rounds")
    command = next(code for kind, code in blocks("enter-rps", language) if kind == "")
    assert shown.step.after.history in command
    (answer,) = [code for kind, code in blocks("enter-rps", language) if kind == "json"]
    assert referee_move(shown, "rps", answer) == "rock"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_player_of_havana_is_called_with_is_what_happened(language: str) -> None:
    (code,) = [code for kind, code in blocks("enter-havana", language) if kind == "python"]
    told = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(code).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    plays = list(position("havana-closed").step.after.plays)
    assert told["play_hist"] == plays[:3]
    assert told["board_extremes"] == plays[3][1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_limits_are_those_that_hold(language: str) -> None:
    usual = Limits()
    told = [
        list(map(int, re.findall(r"\d+", row[1])))
        for row in rows(chapter("enter", language, "where-it-runs"))
    ]
    moves = [registry.wire(game, game).limits.move for game in ("cubos", "uno", "havana")]
    assert told == [
        moves,
        [usual.start],
        [usual.build],
        [usual.memory // (1 << 30)],
        [usual.cpus],
        [usual.processes],
        [usual.space >> 20],
    ]
    for page, game in (("cubos", "cubos"), ("havana", "havana"), ("uno", "uno"), ("rps", "rps")):
        first = re.search(r"\d+", chapter(f"enter-{page}", language, "limits"))
        assert first is not None
        assert float(first[0]) == registry.wire(game, game).limits.move
    havana = registry.wire("havana", "havana").limits
    assert str(havana.thinking).removesuffix(".0") in chapter("enter-havana", language, "limits")
    assert (havana.timeouts, SAY_LENGTH) == (5, 280)
    for page in ("enter-uno", "enter-arena"):
        assert "280" in chapter(page, language, "what-you-answer")


def programs() -> list[Any]:
    """Each of the smallest bots: its page, the folder of the example that it is, and its files."""
    found = []
    for page in ("cubos", "havana", "uno", "rps"):
        (one,) = [(kind.split()[1], code) for kind, code in blocks(f"enter-{page}", "en") if " " in kind]
        found.append(pytest.param(page, page, dict([one]), id=page))
    named = [(kind.split()[1], code) for kind, code in blocks("enter-arena", "en") if " " in kind]
    for at, wire in enumerate(("arena-lines", "arena-http", "arena-once")):
        found.append(pytest.param("fives", wire, dict(named[2 * at : 2 * at + 2]), id=wire))
    return found


@pytest.mark.parametrize(("game", "folder", "files"), programs())
def test_the_smallest_bots_are_the_examples_and_play(
    game: str, folder: str, files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, code in files.items():
        if game != "uno":  # the example is in C
            assert (EXAMPLES / folder / name).read_text(encoding="utf-8") == code
        (tmp_path / name).write_text(code, encoding="utf-8")
    others = ["random"] if game != "uno" else ["random", "greedy"]
    short = {"rps": ["--option", "rounds=3"], "fives": ["--option", "target=5"]}.get(game, [])
    words = ["match", game, str(tmp_path), *others, "--games", "2", "--seed", "texts", "--json", "--trust"]
    assert main([*words, *short]) == 0
    mine, *_ = json.loads(capsys.readouterr().out)["entrants"]
    assert (mine["games"], mine["faults"]) == (2, 0)


# --- at the terminal ----------------------------------------------------------------------------------------


def test_the_terminal_tells_the_same_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "fives", "--rules"]) == 0
    english = capsys.readouterr().out
    assert english.startswith("# fives: All Fives")
    assert "picture:" not in english
    assert "](/" not in english
    assert main(["--lang", "pt_BR", "games", "fives", "--rules"]) == 0
    assert "bucha central" in capsys.readouterr().out


def test_one_game_can_be_listed_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "uno"]) == 0
    out = capsys.readouterr().out
    assert "hand_size" in out
    assert "cubos" not in out
    assert main(["games", "uno", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == ["uno"]


def test_rules_of_nothing_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "--rules"]) == 2
    assert "needs the name of a game: cubos, fives" in capsys.readouterr().err
    assert main(["games", "chess", "--rules"]) == 2
    assert 'unknown game "chess"' in capsys.readouterr().err
