"""The effects of changes on one stage.

An entrant that leaves a stage which has begun plays no more. If its results are kept, its finished series
count, and each of its other series is a *walkover*: it is not played, and whoever is still there wins all
games of it. If its results are annulled, all its series count for nobody. An entrant that leaves before a
stage begins does not take part in it.

In a format in which annulled results never stand in the way (`StageChange.ANNULMENT`), a change may leave
finished series *groundless*: the tie that they were to break has changed, and nothing asks for them any more.
They count for nobody. In other formats such a change is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from botequim.core.messages import Message, msg
from botequim.core.results import GameResult, SeriesResult
from botequim.cup.changes import (
    ATTEMPT,
    ChangeEntry,
    Disqualification,
    Leaving,
    Log,
    NewFiles,
    attempt_key,
    attempts,
    split_attempt,
)
from botequim.cup.format import Format, Round, Row, Stage, Standings, StoredRoundsFormat
from botequim.cup.pairing import Pairing

WALKOVER: Final = "walkover"
"""How the games of a walkover ended."""
MOVED_UP: Final = msg("moved up because of a disqualification")


def new_files(changes: Log, stages: Sequence[str], entrant: str, stage: str) -> ChangeEntry | None:
    """Return the entry with the files that an entrant has in a stage; None if it has its first files.

    `changes` are those that count, and `stages` are all stages in their order.
    """
    found = None
    for entry in changes:
        change = entry.change
        if (
            isinstance(change, NewFiles)
            and change.entrant == entrant
            and stages.index(stage) >= stages.index(change.stage)
            and not entry.after.get(stage)
        ):
            found = entry
    return found


def pin_name(entrant: str, number: int) -> str:
    """Return the name under which the files of a `NewFiles` entry with this number are stored."""
    return f"{entrant}{ATTEMPT}{number}"


def with_walkovers(form: Format, stage: Stage) -> Stage:
    """Return the stage with a result for each series that is not played because somebody left."""
    while stage.out:
        found = {
            one.key: walkover(one, stage.out) for one in form.pairings(stage) if stage.out & {*one.entrants}
        }
        if not found:
            break
        stage = replace(stage, results={**stage.results, **found})
    return stage


def walkover(pairing: Pairing, out: Collection[str]) -> SeriesResult:
    """Return the result of a series that is not played. If nobody is left, nobody wins."""
    count = len(pairing.entrants)
    places = tuple(count if name in out else 1 for name in pairing.entrants)
    games = pairing.terms.games // 2 + 1 if pairing.terms.early else pairing.terms.games
    return pairing.result([GameResult(places, WALKOVER).canonical()] * games)


def counted_results(
    results: Mapping[str, SeriesResult],
    log: Log,
    stage: str,
    entrants: Collection[str],
    annulled: Collection[str],
) -> dict[str, SeriesResult]:
    """Return the results of a stage that count, by key without the number of an attempt."""
    again = attempts(log, stage)
    found = {}
    for stored, result in results.items():
        key, attempt = split_attempt(stored)
        wanted, _ = again.get(key, (1, 1))
        names = set(result.entrants)
        if attempt == wanted and names.isdisjoint(annulled) and names.issubset(entrants):
            found[key] = result if key == stored else replace(result, key=key)
    return found


def groundless(form: Format, stage: Stage, decided: Sequence[Round]) -> tuple[list[str], int]:
    """Return the finished series of a stage that would not have been offered, if it had been as it is now
    from the start; and how many of the decided rounds would have been."""
    known: dict[str, SeriesResult] = {}
    rounds = 0
    while True:
        now = replace(stage, results=known, rounds=tuple(decided[:rounds]))
        if rounds < len(decided) and isinstance(form, StoredRoundsFormat) and form.needs_round(now):
            rounds += 1
            continue
        found = _matching(form.pairings(now), stage.results)
        if not found:
            break
        known |= found
        if len(known) == len(stage.results) and not decided:
            break
    return [key for key in stage.results if key not in known], rounds


def _matching(offered: Sequence[Pairing], results: Mapping[str, SeriesResult]) -> dict[str, SeriesResult]:
    """Return the results of the series that are offered, if the same entrants played them."""
    found = {one.key: results[one.key] for one in offered if one.key in results}
    entrants = {one.key: set(one.entrants) for one in offered}
    return {key: result for key, result in found.items() if set(result.entrants) == entrants[key]}


def void_reasons(
    results: Mapping[str, SeriesResult],
    counted: Mapping[str, SeriesResult],
    log: Log,
    stage: str,
    annulled: Collection[str],
    lost: Collection[str] = (),
) -> dict[str, Message]:
    """Return the stored series of a stage that count for nobody, each with the reason.

    `lost` are the keys of those among `counted` that nothing asks for any more.
    """
    again = attempts(log, stage)
    found = {}
    for stored, result in results.items():
        key, attempt = split_attempt(stored)
        wanted, _ = again.get(key, (1, 1))
        gone = [name for name in result.entrants if name in annulled]
        if attempt < wanted:
            found[stored] = msg("it was played again")
        elif attempt > wanted:
            found[stored] = msg("the decision to play it again was revoked")
        elif gone:
            found[stored] = msg("the results of {entrant} were annulled", entrant=gone[0])
        elif key not in counted:
            found[stored] = msg("an entrant of it no longer takes part in this stage")
        elif key in lost:
            found[stored] = msg("the tie that it was to break has changed")
    return found


def attempt_pairing(pairing: Pairing, again: Mapping[str, tuple[int, int]]) -> Pairing:
    """Return the pairing under the key of the attempt that counts now."""
    wanted, _ = again.get(pairing.key, (1, 1))
    if wanted == 1:
        return pairing
    label = attempt_label(pairing.label, wanted)
    return replace(pairing, key=attempt_key(pairing.key, wanted), label=label)


def attempt_label(label: Message, attempt: int) -> Message:
    return msg("{match}, attempt {number}", match=label, number=attempt)


def with_leavers(standings: Standings, leavers: Mapping[str, Leaving]) -> Standings:
    """Return the standings with everybody last who was disqualified or whose results were annulled, and with
    the reasons of all who left or moved up."""
    last = {name for name, change in leavers.items() if is_last(change)}
    rows = [row for row in standings.rows if row.entrant not in last]
    places = [row.place for row in rows]
    best = min((row.place for row in standings.rows if _frees_place(leavers.get(row.entrant))), default=0)

    def reason(row: Row) -> Message | None:
        if row.entrant in leavers:
            return leaving_text(leavers[row.entrant])
        return moved_up(row.why) if 0 < best < row.place else row.why

    staying = [replace(row, place=places.index(row.place) + 1, why=reason(row)) for row in rows]
    return replace(standings, rows=(*staying, *_last_rows(standings.rows, last, leavers)))


def _frees_place(change: Leaving | None) -> bool:
    """Return whether others move up because of a change. Annulled results give no place."""
    return isinstance(change, Disqualification) and not change.annulled


def moved_up(why: Message | None) -> Message:
    """Return the reason of a place that an entrant has because of a disqualification; `why` is the reason
    that the games gave."""
    if why is None:
        return MOVED_UP
    return why if has_moved_up(why) else msg("moved up because of a disqualification ({why})", why=why)


def has_moved_up(why: Message) -> bool:
    return why.template.startswith(MOVED_UP.template)


def reason_by_games(why: Message) -> str:
    """Return a reason in English as earlier versions wrote it: without the disqualification because of which
    an entrant moved up."""
    return str(why.values.get("why", "")) if has_moved_up(why) else str(why)


def with_disqualified_last(ranking: Sequence[Row], changes: Log) -> tuple[Row, ...]:
    """Return the ranking of a whole cup with everybody last who must come after all others."""
    leavers = {entry.change.entrant: entry.change for entry in changes if isinstance(entry.change, Leaving)}
    last = {name: change for name, change in leavers.items() if is_last(change)}
    return with_leavers(Standings((), tuple(ranking)), last).rows


def _last_rows(rows: Collection[Row], last: Collection[str], leavers: Mapping[str, Leaving]) -> list[Row]:
    place = 1 + sum(row.entrant not in last for row in rows)
    return [
        replace(row, place=place, why=leaving_text(leavers[row.entrant]))
        for row in rows
        if row.entrant in last
    ]


def is_last(change: Leaving) -> bool:
    """Return whether an entrant that left comes after all others."""
    return isinstance(change, Disqualification) or change.annulled


def leaving_text(change: Leaving) -> Message:
    if isinstance(change, Disqualification):
        return msg("disqualified, results annulled") if change.annulled else msg("disqualified")
    return msg("withdrew, results annulled") if change.annulled else msg("withdrew")
