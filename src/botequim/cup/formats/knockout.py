"""knockout: the loser of a match is eliminated.

The bracket follows the seeds (first against last, so that the best meet late), or the seeds are drawn by lot.
Byes go to the best seeds. A tied match is continued by up to `replays` further series of `replay_games` games
(0: as many as the match itself); then the better seed advances, or a coin decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from botequim.core.messages import Message, msg
from botequim.core.options import ChoiceOption, IntOption, Option, Options
from botequim.core.results import SeriesResult
from botequim.cup.bracket import Match, Tree, tree
from botequim.cup.format import Column, Number, Row, Stage, StageChange, Standings, too_few
from botequim.cup.pairing import Pairing
from botequim.cup.ranking import totals

COLUMNS: Final = (
    Column("matches_won", msg("matches won")),
    Column("won", msg("won")),
    Column("drawn", msg("drawn")),
    Column("lost", msg("lost")),
    Column("faults", msg("faults")),
)
THIRD: Final = "third"
FINAL: Final = "2.1"


class Knockout:
    """The format that this module describes."""

    name: Final = "knockout"
    options: Final[tuple[Option, ...]] = (
        ChoiceOption(
            "bracket", ("seeded", "drawn"), msg("the bracket follows the seeds, or is drawn by lot")
        ),
        ChoiceOption(
            "third_place", ("yes", "no"), msg("whether the losers of the semi-finals play for third place")
        ),
        IntOption("replays", 3, 0, 100, msg("the maximum number of extra series after a tied match")),
        IntOption(
            "replay_games", 0, 0, 100_000, msg("games in each extra series; 0: as many as the match has")
        ),
        ChoiceOption(
            "level",
            ("seed", "coin"),
            msg("if the match is still tied: the better seed advances, or a coin decides"),
        ),
    )
    changes: Final = frozenset((StageChange.LEAVING, StageChange.REPLAY))

    def size(self, options: Options) -> int:
        return 2

    def problem(self, stage: Stage) -> Message | None:
        return too_few(stage, 2)

    def pairings(self, stage: Stage) -> Sequence[Pairing]:
        return Bracket.of(stage).open()

    def standings(self, stage: Stage) -> Standings:
        return Bracket.of(stage).table()


@dataclass(frozen=True, slots=True)
class MatchState:
    """A match so far, with its series in the order in which they were played."""

    results: tuple[SeriesResult, ...]
    winner: str | None
    next: Pairing | None
    """The next series, if there is no winner yet."""
    why: Message | None = None
    """The reason for the winner, if no game decided the match."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """A bracket as far as it is known."""

    stage: Stage
    seeds: tuple[str, ...]
    """Names, best seed first. They may be drawn by lot."""
    tree: Tree
    decided: Mapping[str, MatchState]
    """By key of a match: `8.1` is the first quarter-final, `third` the match for the third place."""

    @classmethod
    def of(cls, stage: Stage) -> Bracket:
        names = stage.entrants
        if stage.options["bracket"] == "drawn":
            names = tuple(stage.rng("bracket").shuffled(names))
        states: dict[str, MatchState] = {}

        def decide(size: int, number: int, one: int, other: int) -> int | None:
            key = f"{size}.{number}"
            states[key] = _match_state(stage, key, (names[one], names[other]), _label(size, number), names)
            winner = states[key].winner
            return None if winner is None else names.index(winner)

        matches = tree(len(names), decide)
        losers = [match.loser for match in matches.round(4)]
        if stage.options["third_place"] == "yes" and len(losers) == 2 and None not in losers:
            pair = (names[losers[0] or 0], names[losers[1] or 0])
            states[THIRD] = _match_state(stage, THIRD, pair, msg("third place"), names)
        return cls(stage, names, matches, states)

    def open(self) -> list[Pairing]:
        """Return the series that can be played now, the final last."""
        waiting = [one.next for one in self.decided.values() if one.next is not None]
        return sorted(waiting, key=lambda pairing: pairing.last)

    def name(self, seed: int | None) -> str | None:
        return None if seed is None else self.seeds[seed]

    def table(self) -> Standings:
        """Return the standings. Entrants eliminated in the same round share a place."""
        games = totals(self.seeds, [result for one in self.decided.values() for result in one.results])
        exits = self._exits()
        wins = dict.fromkeys(self.seeds, 0)
        for one in self.decided.values():
            if one.winner is not None:
                wins[one.winner] += 1

        def figures(name: str) -> dict[str, Number]:
            total = games[name]
            return {
                "matches_won": wins[name],
                "won": total.won,
                "drawn": total.drawn,
                "lost": total.lost,
                "faults": total.faults,
            }

        order = sorted(self.seeds, key=lambda name: exits[name][0])
        ranks = [exits[name][0] for name in order]
        rows = [Row(ranks.index(exits[name][0]) + 1, name, figures(name), exits[name][1]) for name in order]
        return Standings(COLUMNS, tuple(rows))

    def _exits(self) -> dict[str, tuple[float, Message | None]]:
        """Return by entrant the size of the round in which it was eliminated, and a description."""
        exits: dict[str, tuple[float, Message | None]] = dict.fromkeys(self.seeds, (0.0, None))
        for match in self.tree.matches:
            loser = self.name(match.loser)
            if loser is not None:
                exits[loser] = (match.size, self._elimination(f"{match.size}.{match.number}", match))
        final = self.decided.get(FINAL)
        if final is not None and final.winner is not None:
            exits[final.winner] = (0.0, final.why)
        third = self.decided.get(THIRD)
        if third is not None and third.winner is not None:
            one, other = third.results[-1].entrants
            text = msg("lost the match for the third place")
            exits[third.winner] = (3.0, third.why or msg("won the match for the third place"))
            exits[other if third.winner == one else one] = (4.0, _with_reason(text, third.why))
        return exits

    def _elimination(self, key: str, match: Match) -> Message:
        text = msg("lost: {match}", match=_label(match.size, match.number))
        return _with_reason(text, self.decided[key].why)


def _with_reason(text: Message, why: Message | None) -> Message:
    return text if why is None else msg("{lost} ({why})", lost=text, why=why)


def _match_state(
    stage: Stage, key: str, pair: tuple[str, str], label: Message, seeds: Sequence[str]
) -> MatchState:
    """Return the state of a match, including its further series."""
    games = int(stage.options["replay_games"]) or stage.terms.games
    depth = _round(len(stage.entrants), 2 if key == THIRD else int(key.partition(".")[0]))
    pairing = Pairing(key, pair, stage.terms, label, depth, last=key == FINAL)
    again = replace(stage.terms, games=games, early=stage.terms.early and games > 1)
    results: list[SeriesResult] = []
    for number in range(1, int(stage.options["replays"]) + 2):
        if pairing.key not in stage.results:
            return MatchState(tuple(results), None, pairing)
        result = stage.results[pairing.key]
        results.append(result)
        winner = result.winner()
        if winner is not None:
            return MatchState(tuple(results), winner, None)
        further_label = msg("{match}, further {number}", match=label, number=number)
        pairing = replace(pairing, key=f"{key}+{number}", terms=again, label=further_label)
    if stage.options["level"] == "coin":
        return MatchState(tuple(results), stage.rng("coin", key).choice(pair), None, msg("by a coin"))
    return MatchState(tuple(results), min(pair, key=seeds.index), None, msg("as the better seed"))


def match_label(key: str) -> Message:
    match, _, further = key.partition("+")
    size, _, number = match.partition(".")
    label = msg("third place") if match == THIRD else _label(int(size), int(number))
    return msg("{match}, further {number}", match=label, number=further) if further else label


def _round(count: int, size: int) -> int:
    """Return the number of a round, from 1 for the first round of the bracket."""
    return (count - 1).bit_length() - size.bit_length() + 2


def _label(size: int, number: int) -> Message:
    match size:
        case 2:
            return msg("final")
        case 4:
            return msg("semi-final {number}", number=number)
        case 8:
            return msg("quarter-final {number}", number=number)
    return msg("round of {size}, match {number}", size=size, number=number)


FORMAT: Final = Knockout()
