"""Checks whether a game keeps the contract of `botequim.core.game`, in random games.

Every option is tried with every extreme value, and with faults of every kind. Each state is checked. The
first violation is raised, with the last moves in the notation of the game.
"""

from __future__ import annotations

import itertools
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, NoReturn, cast

from botequim.core.errors import Fault, FaultKind, MoveSyntaxError, OptionError
from botequim.core.game import CHANCE, CHANCE_TURN, AnyGame, Remark
from botequim.core.messages import msg
from botequim.core.options import ChoiceOption, Option, Options, resolve_options
from botequim.core.rng import Rng

MOST_TURNS = 20_000
MOST_SEATS = 10
SAMPLES = 4
OFTEN = 30
ENOUGH = 5


class ContractBroken(AssertionError):
    """A game or a format violates its interface."""


def check_game(game: AnyGame, *, games: int = 20, seed: str = "contract") -> None:
    """Play `games` random games with each setting of the options. Raise `ContractBroken` for a violation."""
    if not re.fullmatch(r"[a-z0-9_-]+", game.name):
        raise ContractBroken(f"a game's name is made of a-z, 0-9, _ and -: {game.name!r}")
    for options in settings(game):
        playouts = []
        for number in range(games):
            playout = _Playout(game, options, Rng(f"{seed}/{number}"))
            try:
                playout.run(faulty=number % 3 == 2)
            except ContractBroken:
                raise
            except Exception as error:
                playout.broken(f"the rules raise {type(error).__name__}: {error}", error)
            playouts.append(playout)
        _check_together(playouts)


def _check_together(playouts: list[_Playout]) -> None:
    """Check properties that need several games."""
    last = playouts[-1]
    chances = [playout.chances for playout in playouts]
    if len(playouts) >= ENOUGH and any(chances) and all(chance == chances[0] for chance in chances):
        last.broken("chance does the same in every game: it does not use its rng")
    seats: set[int | None] = {None, *itertools.chain.from_iterable(last.game.teams(last.options))}
    still = seats - set().union(*(playout.resampled for playout in playouts))
    if last.game.pieces(last.final) and still:
        last.broken(
            f"resample_hidden for {still} changes nothing hidden, so nothing shows that views keep secrets"
        )


def settings(game: AnyGame) -> Iterator[Options]:
    """Yield the defaults, then settings in which one option has another extreme value."""
    yield resolve_options(game.name, game.options, {})
    for option in game.options:
        for value in _extremes(option):
            if value == option.default:
                continue
            partners: list[dict[str, int | str]] = [{}]
            partners += [{other.name: extreme} for other in game.options for extreme in _extremes(other)]
            for beside in partners:
                try:
                    options = resolve_options(game.name, game.options, {**beside, option.name: value})
                    game.start(options)
                except OptionError:  # this value needs another value of a second option
                    continue
                yield options
                break


def _extremes(option: Option) -> tuple[int | str, ...]:
    return option.known if isinstance(option, ChoiceOption) else (option.low, option.high)


def _resample(game: AnyGame) -> Callable[[Any, int | None, Rng], Any]:
    """Return the game's `resample_hidden`, or `redeal`, its name up to the last release."""
    if not hasattr(game, "resample_hidden") and hasattr(game, "redeal"):
        warnings.warn(f"{game.name}: redeal is now called resample_hidden", DeprecationWarning, stacklevel=2)
        return cast("Callable[[Any, int | None, Rng], Any]", game.redeal)
    return game.resample_hidden


@dataclass
class _Playout:
    """One random game, in which everything is checked."""

    game: AnyGame
    options: Options
    rng: Rng
    trace: list[str] = field(default_factory=list)
    chances: list[str] = field(default_factory=list)
    resampled: set[int | None] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    final: Any = None

    def run(self, *, faulty: bool) -> None:
        game = self.game
        seats = self.check_teams()
        state = game.start(self.options)
        for _ in range(MOST_TURNS):
            # check every state at first, then fewer, so that a long game costs no more than a short one
            if self.rng.below(len(self.trace) + 1) < OFTEN or not game.to_move(state):
                self.check_state(state, seats)
            to_move = game.to_move(state)
            if not to_move:
                self.check_end(state)
                self.final = state
                return
            moves = self.choose(state, to_move, faulty=faulty)
            self.trace.append(
                " ".join(f"{by}:{game.write(move)}" for by, move in moves.items())[:200],
            )
            state = self.check_apply(state, moves, seats)
        self.broken(f"the game has not ended after {MOST_TURNS} turns")

    # --- parts of the contract

    def check_teams(self) -> int:
        teams = self.game.teams(self.options)
        seats = sorted(itertools.chain.from_iterable(teams))
        if seats != list(range(len(seats))) or not 2 <= len(teams) <= len(seats) <= MOST_SEATS:
            self.broken(f"teams must share out seats 0 to n-1, 2 to {MOST_SEATS} of them: {teams}")
        return len(seats)

    def check_state(self, state: Any, seats: int) -> None:
        game = self.game
        to_move = game.to_move(state)
        if CHANCE in to_move and to_move != CHANCE_TURN:
            self.broken(f"chance moves alone, not with others: {to_move}")
        if len(set(to_move)) != len(to_move) or not set(to_move) <= {CHANCE, *range(seats)}:
            self.broken(f"to_move names no seats of this table: {to_move}")
        if bool(to_move) != (game.outcome(state) is None):
            self.broken("outcome must be None exactly while somebody is to move")
        for seat in (*range(seats), None):
            self.check_view(state, seat, to_move)
        for seat in to_move:
            if seat != CHANCE:
                self.check_menu(state, seat)
                self.check_faults(state, seat, to_move)

    def check_view(self, state: Any, seat: int | None, to_move: Sequence[int]) -> None:
        game = self.game
        view = game.view(state, seat)
        if view.seat != seat:
            self.broken(f"the view of seat {seat} says it is of {view.seat}")
        if not _is_equal(view, game.view(state, seat)):
            self.broken("two views of one state and seat must be equal")
        menu = list(game.legal(state, seat)) if seat is not None and seat in to_move else []
        if list(view.legal) != menu:
            self.broken(f"the view of seat {seat} must show its menu, and none when it is not to move")
        for event in (*view.events[:4], *view.events[-4:]):
            self.check_text(event.move)
        pieces = Counter(game.pieces(state))
        resample = _resample(game)
        for _ in range(SAMPLES if pieces else 1):
            other = resample(state, seat, self.rng)
            if not _is_equal(game.view(other, seat), view):
                self.broken(f"the view of seat {seat} changes with what it has not seen: it leaks")
            if Counter(game.pieces(other)) != pieces:
                self.broken("resample_hidden loses or invents pieces")
            if any(game.view(other, at) != game.view(state, at) for at in self.others(seat)):
                self.resampled.add(seat)
        if not pieces and any(game.view(state, at).events != view.events for at in self.others(seat)):
            self.broken("seats see different events, so something is hidden, but there are no pieces to hide")

    def others(self, seat: int | None) -> list[int]:
        return [at for team in self.game.teams(self.options) for at in team if at != seat]

    def check_menu(self, state: Any, seat: int) -> None:
        menu = list(self.game.legal(state, seat))
        if not menu:
            self.broken(f"seat {seat} is to move but its menu is empty")
        for move in menu:
            reason = self.game.check(state, seat, move)
            if reason is not None:
                self.broken(f"the menu of seat {seat} lists {move}, but check refuses it: {reason}")
            self.check_text(move)
        for nonsense in (None, 7, 0.5, "nonsense", [], {}, object()):
            if self.game.check(state, seat, nonsense) is None:
                self.broken(f"check accepts {nonsense!r} from seat {seat}")
        for move in menu[:2]:
            for odd in _wrong_types(move):
                if self.game.check(state, seat, odd) is None:
                    self.check_odd(odd)

    def check_faults(self, state: Any, seat: int, to_move: Sequence[int]) -> None:
        game = self.game
        for kind in FaultKind:
            move = game.on_fault(state, seat, _fault(kind))
            if move is None or move in list(game.legal(state, seat)):
                self.broken(f"a fault ({kind}) of seat {seat} must become a move outside the menu: {move}")
            self.check_text(move)
            if game.check(state, seat, move) is None:
                self.broken(f"check lets seat {seat} choose {game.write(move)!r}, what a fault becomes")
        moves = {at: game.on_fault(state, at, _fault(FaultKind.CRASH)) for at in to_move}
        try:
            after = game.apply(state, moves)
        except Exception as error:
            self.broken(f"apply does not take the move of a fault of {to_move}: {error!r}", error)
        count = len(game.view(state, seat).events)
        if seat not in [event.by for event in game.view(after, seat).events[count:]]:
            self.broken(f"a fault of seat {seat} leaves no event: it is forgotten")
        if Counter(game.pieces(after)) != Counter(game.pieces(state)):
            self.broken(f"pieces are not kept by a fault of {to_move}")

    def check_text(self, move: Any) -> None:
        text = self.game.write(move)
        if text in self.texts and self.game.read(text) == move:
            return  # this text has been checked before
        self.texts.add(text)
        if not text or "\n" in text or text != text.strip():
            self.broken(f"a move must be written in one trimmed line: {text!r}")
        try:
            again = self.game.read(text)
        except MoveSyntaxError as error:
            self.broken(f"what was written cannot be read: {error}")
        if again != move:
            self.broken(f"{text!r} is read as another move: {again} instead of {move}")
        for nonsense in (f"{text} nonsense", f"nonsense {text}", re.sub(r"[0-9]", "x", text) + "?"):
            if self.readable(nonsense):
                self.broken(f"read takes {nonsense!r}")
        for odd in (text[:-1], re.sub(r"[0-9]", "9" * 5000, text), text.replace(" ", "", 1), ""):
            self.readable(odd)

    def check_odd(self, move: Any) -> None:
        """Check that an accepted move of an unusual type is the same move in a record."""
        try:
            text = self.game.write(move)
            again = self.game.write(self.game.read(text))
        except Exception as error:
            self.broken(f"check accepts {move!r}, which cannot be written and read: {error!r}", error)
        if again != text:
            self.broken(f"check accepts {move!r}, which is written {text!r} and read {again!r}")

    def readable(self, text: str) -> bool:
        try:
            self.game.read(text)
        except MoveSyntaxError:
            return False
        except Exception as error:
            self.broken(f"read raises {error!r} for {text[:60]!r}: only MoveSyntaxError is for that", error)
        return True

    def check_apply(self, state: Any, moves: Mapping[int, Any], seats: int) -> Any:
        game = self.game
        if self.rng.below(len(self.trace) + 1) >= OFTEN:
            return game.apply(state, moves)
        before = [game.view(state, seat) for seat in (*range(seats), None)]
        pieces = Counter(game.pieces(state))
        after = game.apply(state, moves)
        if [game.view(state, seat) for seat in (*range(seats), None)] != before:
            self.broken("apply changed the state it was given")
        again = game.apply(state, moves)
        if any(game.view(after, seat) != game.view(again, seat) for seat in (*range(seats), None)):
            self.broken("apply gives two different states for the same moves")
        if pieces and Counter(game.pieces(after)) != pieces:
            missing, new = pieces - Counter(game.pieces(after)), Counter(game.pieces(after)) - pieces
            self.broken(f"pieces are not kept: lost {sorted(missing)}, invented {sorted(new)}")
        return after

    def check_end(self, state: Any) -> None:
        outcome = self.game.outcome(state)
        teams = self.game.teams(self.options)
        if outcome is None or len(outcome.places) != len(teams) or min(outcome.places) != 1:
            self.broken(f"an outcome gives every team a place, the best being 1: {outcome}")
        if not outcome.how or type(outcome.how) is not str:
            self.broken(f"an outcome says how the game ended: {outcome}")
        if not all(type(number) is int for number in (*outcome.places, *outcome.points)):
            self.broken(f"places and points are whole numbers: {outcome}")
        if outcome.points and len(outcome.points) != sum(map(len, teams)):
            self.broken(f"points are given by seat, or not at all: {outcome}")
        if self.game.check_remark(Remark("nonsense", object())) is None:
            self.broken("check_remark takes a remark of an unknown kind")

    # --- playing

    def choose(self, state: Any, to_move: Sequence[int], *, faulty: bool) -> dict[int, Any]:
        game = self.game
        if to_move == CHANCE_TURN:
            move = game.chance(state, self.rng)
            reason = game.check(state, CHANCE, move)
            if reason is not None:
                self.broken(f"check refuses what chance itself did, {game.write(move)!r}: {reason}")
            self.check_text(move)
            self.chances.append(game.write(move))
            return {CHANCE: move}
        return {seat: self.one_move(state, seat, faulty=faulty) for seat in to_move}

    def one_move(self, state: Any, seat: int, *, faulty: bool) -> Any:
        if faulty and self.rng.below(8) == 0:
            return self.game.on_fault(state, seat, _fault(self.rng.choice(list(FaultKind))))
        return self.rng.choice(list(self.game.legal(state, seat)))

    def broken(self, what: str, cause: Exception | None = None) -> NoReturn:
        last = "; ".join(self.trace[-3:]) or "nothing yet"
        raise ContractBroken(
            f"{self.game.name} {dict(self.options)}: {what}\n(turn {len(self.trace)}; last moves: {last})"
        ) from cause


def _is_equal(one: Any, other: Any) -> bool:
    """Return whether both are equal, also in fields that a dataclass does not compare."""
    if is_dataclass(one) and type(one) is type(other):
        return all(getattr(one, part.name) == getattr(other, part.name) for part in fields(one))
    return bool(one == other)


def _wrong_types(move: Any) -> Iterator[Any]:
    """Yield the move with one field of a wrong type or value, as a careless player could return it."""
    if not is_dataclass(move) or isinstance(move, type):
        return
    for part in fields(move):
        value = getattr(move, part.name)
        equal = [tuple(value)] if isinstance(value, tuple) else [float(value)] if type(value) is int else []
        for odd in (*equal, None, "nonsense", 0.5, (6, 5), [1], -1, 10**5000):
            with suppress(TypeError):  # the constructor may refuse it
                yield replace(move, **{part.name: odd})


def _fault(kind: FaultKind) -> Fault:
    return Fault(kind, msg("the player crashed"))
