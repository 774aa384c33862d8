"""What one viewer of a table is sent: a position as JSON values, made only of what this viewer may see.

A person sees the view of the own seat, a spectator the public view. Everybody sees all hands of a game that
is over.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from botequim import i18n
from botequim.core import clock
from botequim.core.game import CHANCE, View
from botequim.core.sanitize import page_text
from botequim.core.turn import Step
from botequim.i18n import _, translate
from botequim.narration.narrator import ending_sentences, narrator_for
from botequim.render.drawing import parts, seat_boxes, sentences_text, size
from botequim.render.layout import Shape
from botequim.render.scene import LONGEST_WORDS, OPEN, Perspective, Scene, scene_of, turn_sentences
from botequim.render.svg import Box, flat
from botequim.tables.controls import TableControls, controls_for
from botequim.tables.spec import Phase, SeatKind, TableSpec
from botequim.tables.table import Table
from botequim.tables.viewer import Moment

MOST_MOVES: Final = 30
MOST_CACHED: Final = 24
"""The positions of a table whose drawings are kept, because several viewers may see the same."""


class TableView:
    """Describes a table for viewers. It keeps drawings that several viewers share."""

    def __init__(self, table: Table) -> None:
        self._table: Final = table
        self._options: Final = table.spec.resolved_options
        self._teams: Final = table.spec.teams
        self._scenes: Final[OrderedDict[Any, tuple[Scene, dict[str, str]]]] = OrderedDict()
        self._sentences: Final[dict[Any, list[str]]] = {}
        self._controls: Final[dict[tuple[int, tuple[str, ...]], TableControls]] = {}

    def event(
        self, moment: Moment, seat: int | None, language: str, shape: Shape, *, latest: bool
    ) -> dict[str, Any]:
        """Return the content of an event. Only the `latest` position has choices."""
        with i18n.use_language(language):
            scene, pieces = self._scene(moment, seat, language, shape)
            table, spec = self._table, self._table.spec
            step = moment.step
            movers = [] if step is None else [played.by for played in step.turn if played.by != CHANCE]
            content: dict[str, Any] = {
                "id": spec.id,
                "phase": _phase(spec, moment).value,
                "game": moment.game,
                "best_of": spec.best_of,
                "won": list(spec.won) or [0] * len(self._teams),
                "turn": moment.turn,
                "size": list(size(scene, shape)),
                "parts": pieces,
                "seat_boxes": [_box(box) for box in seat_boxes(scene, shape)],
                "movers": self._movers(moment),
                "mover": movers[0] if len(movers) == 1 else None,
                "told": sentences_text(scene.narration, said=False),
                "moves": self._moves(moment, seat, language, scene),
                "says": _remarks(step, moment.seats),
                "seats": [self._seat(at, seat, scene) for at in range(len(spec.seats))],
                "you": None if seat is None else self._own_seat(moment, seat, scene, shape, latest=latest),
                "result": self._result(moment, seat),
                "repeats": bool(spec.repeats),
                "problem": "" if table.problem is None else translate(table.problem),
                "watch": f"/play/watch/{spec.id}",
                "watchers": sum(viewer.seat is None for viewer in table.viewers),
            }
        return content

    # --- the picture ---------------------------------------------------------------------------------

    def _scene(
        self, moment: Moment, seat: int | None, language: str, shape: Shape
    ) -> tuple[Scene, dict[str, str]]:
        perspective: Perspective = OPEN if moment.outcome is not None else seat
        names = tuple(str(one["name"]) for one in moment.seats)
        key = (moment.game, moment.turn, perspective, names, language, shape, self._table.redactions)
        if key in self._scenes:
            self._scenes.move_to_end(key)
            return self._scenes[key]
        table = self._table
        step = moment.step or Step(0, moment.state, (), moment.state)
        seats = [{"name": name} for name in names]
        scene = scene_of(table.game, self._options, seats, step, perspective=perspective, numbered=False)
        pieces = {name: flat(part) for name, part in parts(scene, shape).items()}
        self._scenes[key] = (scene, pieces)
        while len(self._scenes) > MOST_CACHED:
            self._scenes.popitem(last=False)
        return scene, pieces

    def _moves(self, moment: Moment, seat: int | None, language: str, scene: Scene) -> list[str]:
        """Return the last turns in sentences, the newest first. The scene contains the last one."""
        table = self._table
        if moment.step is None or not table.steps or table.steps[0].before is None:
            return []
        perspective: Perspective = seat
        names = tuple(str(one["name"]) for one in moment.seats)
        key = (moment.game, perspective, names, language, table.redactions)
        lines = self._sentences.setdefault(key, [])
        for step in table.steps[len(lines) : moment.turn]:
            said = (
                scene.narration
                if step is moment.step and moment.outcome is None
                else turn_sentences(
                    table.game, self._options, moment.seats, step, perspective, numbered=False
                )
            )
            lines.append(sentences_text(said))
        return [line for line in lines[: moment.turn][-MOST_MOVES:][::-1] if line]

    # --- the seats -----------------------------------------------------------------------------------

    def _movers(self, moment: Moment) -> list[int]:
        """Return the seats that are to move and have not answered yet."""
        people = self._table.people
        return [
            at
            for at in self._table.game.to_move(moment.state)
            if at != CHANCE and not (at in people and people[at].has_answered(moment.game, moment.turn))
        ]

    def _seat(self, at: int, viewer: int | None, scene: Scene) -> dict[str, Any]:
        table, spec = self._table, self._table.spec
        seat, place = spec.seats[at], scene.places[at]
        person = table.people.get(at)
        is_inviting = seat.is_free and viewer == spec.creator
        seconds = None
        if person is not None and person.question is not None and person.question.until is not None:
            seconds = round(max(0.0, person.question.until - clock.now()), 1)
        team = next(number for number, seats in enumerate(self._teams) if at in seats)
        kind = "player" if seat.kind is not SeatKind.PERSON else "you" if at == viewer else "person"
        return {
            "name": page_text(seat.name),
            "kind": kind,
            "team": team,
            "here": person is None or person.is_here,
            "substitute": person is not None and person.is_replaced,
            "invitation": f"/play/join/{seat.invitation}" if is_inviting else "",
            "open": seat.is_free and seat.is_listed,
            "clock": seconds,
            "count": None if spec.phase is Phase.WAITING else place.count,
            "score": place.score,
            "note": "" if place.note is None else translate(place.note),
        }

    def _own_seat(
        self, moment: Moment, seat: int, scene: Scene, shape: Shape, *, latest: bool
    ) -> dict[str, Any]:
        table, spec = self._table, self._table.spec
        person = table.people[seat]
        question = person.question
        is_asked = (
            latest
            and not person.has_left
            and question is not None
            and (question.game, question.turn) == (moment.game, moment.turn)
        )
        view: View = question.view if is_asked and question else table.game.view(moment.state, seat)
        controls = self._controls_of(seat)
        controls.ui.to_move = table.game.to_move(moment.state)
        choices = controls.choices(view) if is_asked else ()
        boxes = controls.target_boxes(view, scene, shape) if choices else {}
        until = question.until if is_asked and question else None
        return {
            "seat": seat,
            "to_move": is_asked,
            "can_start": spec.phase is Phase.WAITING and seat == spec.creator,
            "situation": [translate(sentence) for sentence in controls.situation(view)] if is_asked else [],
            "hand": _hand(controls, view, choices, is_asked=is_asked),
            "choices": [
                {
                    "move": choice.move,
                    "label": translate(choice.label),
                    "piece": choice.piece,
                    "target": choice.target,
                    "target_label": "" if choice.target_label is None else translate(choice.target_label),
                    "box": _box(boxes[choice.move]) if choice.move in boxes else None,
                    "rare": choice.rare,
                }
                for choice in choices
            ],
            "forced": len(choices) == 1,
            "hints": spec.has_hints,
            "seconds": None if until is None else round(max(0.0, until - clock.now()), 1),
            "substitute": person.has_left,
            "replaced": person.is_replaced,
            "chosen": person.has_answered(moment.game, moment.turn),
            "next": self._next_address(seat),
        }

    def _controls_of(self, seat: int) -> TableControls:
        names = tuple(self._table.spec.names)  # they change when somebody sits down
        controls = self._controls.get((seat, names))
        if controls is None:
            seats = [{"name": name} for name in names]
            controls = self._controls[seat, names] = controls_for(self._table.game, seats, seat)
        return controls

    def _next_address(self, seat: int) -> str:
        """Return the person's address at the table at which the others play again, if there is one."""
        secret = self._table.next_secret(seat)
        return f"/play/seat/{secret}" if secret else ""

    # --- the result ----------------------------------------------------------------------------------

    def _result(self, moment: Moment, seat: int | None) -> dict[str, Any] | None:
        outcome = moment.outcome
        if outcome is None:
            return None
        table, spec = self._table, self._table.spec
        names = [str(one["name"]) for one in moment.seats]
        sentences = ending_sentences(narrator_for(table.game), self._teams, names, outcome)
        result = None
        if seat is not None:
            place = next(
                place for place, seats in zip(outcome.places, self._teams, strict=True) if seat in seats
            )
            shared = outcome.places.count(1) > 1
            result = "lost" if place != 1 else "drew" if shared else "won"
        games = f"/play/watch/{spec.id}/games"
        base = f"{games}/{moment.game}"
        return {
            "sentences": [translate(sentence) for sentence in sentences],
            "you": result,
            "counts": seat in moment.counts_for,
            "why_not": self._why_not(moment, seat),
            "record": f"{base}.jsonl",
            "replay": base,
            "earlier": [
                {"number": number, "replay": f"{games}/{number}"} for number in range(1, moment.game)
            ],
            "next": spec.phase is Phase.PLAYING,
        }

    def _why_not(self, moment: Moment, seat: int | None) -> str:
        if seat is None or seat in moment.counts_for:
            return ""
        if self._table.spec.repeats:
            return _("This deal was played before, so the game does not count.")
        return _("A champion made some of your moves, so the game does not count.")


def _phase(spec: TableSpec, moment: Moment) -> Phase:
    """Return the phase at a moment, which may be earlier than the current one."""
    return Phase.PLAYING if spec.phase is Phase.OVER and moment.outcome is None else spec.phase


def _hand(
    controls: TableControls, view: View, choices: Sequence[Any], *, is_asked: bool
) -> list[dict[str, Any]]:
    pieces = []
    for piece in controls.hand(view):
        fitting = [at for at, choice in enumerate(choices) if choice.piece == piece.name]
        why = controls.misfit(piece.name, view) if is_asked and not fitting else None
        pieces.append(
            {
                "name": piece.name,
                "drawing": piece.drawing,
                "width": piece.width,
                "height": piece.height,
                "label": translate(piece.label),
                "choices": fitting,
                "question": translate(controls.question(piece)) if len(fitting) > 1 else "",
                "why": "" if why is None else translate(why),
            }
        )
    return pieces


def _remarks(step: Step | None, seats: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    if step is None:
        return []
    return [
        {
            "seat": played.by,
            "name": page_text(str(seats[played.by]["name"])),
            "text": page_text(str(remark.value)[:LONGEST_WORDS]),
        }
        for played in step.turn
        for remark in played.remarks
        if remark.kind == "say"
    ]


def _box(box: Box) -> list[float]:
    return [round(value, 1) for value in box]
