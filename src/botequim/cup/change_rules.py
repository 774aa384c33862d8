"""Which changes of a cup that has begun are possible, and what they do.

All functions are pure: the coordinator asks before it applies a change, `botequim verify` asks again for each
entry of a log, and the command line and the organiser's page ask for a preview.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, assert_never

from botequim import registry
from botequim.core.messages import Message, msg
from botequim.core.suggestions import with_suggestion
from botequim.cup.changes import (
    Change,
    ChangeEntry,
    Departure,
    Disqualification,
    LateEntrant,
    Leaving,
    NewFiles,
    Replay,
    Revocation,
    is_revoked,
)
from botequim.cup.config import Cup
from botequim.cup.config_parser import LONGEST_NAME
from botequim.cup.format import (
    Stage,
    StageChange,
    allowed_changes,
    find_format,
)
from botequim.cup.stage_changes import groundless
from botequim.cup.stage_names import stage_name
from botequim.cup.stages import CupState, StagePlan

PLAYED_SINCE: Final = msg(
    'the series "{series}" of the stage "{stage}" has been played since, and depends on what would change'
)
NOT_FINISHED: Final = msg('the stage "{stage}" has no finished series "{series}" that counts')
HAS_LEFT: Final = msg("{names} left the cup, so this series cannot be played again")


def problem(cup: Cup, state: CupState, change: Change, *, playing: Collection[str] = ()) -> Message | None:
    """Return why a change is not possible now; else None.

    `playing` are the stages of which series are in progress, if the caller knows that.
    """
    if not any(state.results.values()):
        return msg("the cup has not begun, so its cup file may be changed instead")
    return _own_problem(cup, state, change, playing) or _dependent_problem(cup, state, change)


def with_change(state: CupState, change: Change) -> CupState:
    """Return the state as it would be if a change were applied now."""
    return with_entry(state, new_entry(state, change))


def with_entry(state: CupState, entry: ChangeEntry) -> CupState:
    """Return the state with one more entry of the log."""
    return CupState(state.plans, state.seed, state.results, log=(*state.log, entry)).with_rounds(state.rounds)


def new_entry(
    state: CupState,
    change: Change,
    *,
    time: str = "",
    who: str = "",
    why: str = "",
    pin: Mapping[str, str] | None = None,
) -> ChangeEntry:
    """Return the entry of a change that is applied to this state, without its digest."""
    after = {name: len(found) for name, found in state.results.items() if found}
    rounds = {name: len(decided) for name, decided in state.rounds.items() if decided}
    return ChangeEntry(len(state.log) + 1, time, who, why, after, change, rounds, pin or {})


def _own_problem(cup: Cup, state: CupState, change: Change, playing: Collection[str]) -> Message | None:
    match change:
        case LateEntrant():
            return _late_problem(cup, state, change)
        case Disqualification() | Departure():
            return _leaving_problem(cup, state, change)
        case NewFiles():
            return _files_problem(cup, state, change, playing)
        case Replay():
            return _replay_problem(cup, state, change)
        case Revocation():
            return _revocation_problem(cup, state, change)
        case _:
            assert_never(change)


# --- in words ----------------------------------------------------------------------------------------


def description(cup: Cup, change: Change) -> Message:
    """Return what a change is, for people."""
    match change:
        case LateEntrant(entrant):
            return msg("{entrant} joins the cup", entrant=cup.title(entrant))
        case Disqualification(entrant, annulled):
            if annulled:
                return msg("{entrant} is disqualified; its results are annulled", entrant=cup.title(entrant))
            return msg("{entrant} is disqualified; its results are kept", entrant=cup.title(entrant))
        case Departure(entrant, annulled):
            if annulled:
                return msg("{entrant} withdraws; its results are annulled", entrant=cup.title(entrant))
            return msg("{entrant} withdraws; its results are kept", entrant=cup.title(entrant))
        case NewFiles(entrant, stage):
            title = cup.title(entrant)
            return msg(
                '{entrant} plays with new files from the stage "{stage}" on',
                entrant=title,
                stage=stage_name(stage),
            )
        case Replay(stage, key):
            series = cup.series_text(stage, key)
            return msg(
                '{series} of the stage "{stage}" is played again', series=series, stage=stage_name(stage)
            )
        case Revocation(number):
            return msg("change {number} is revoked", number=number)
        case _:
            assert_never(change)


# --- late entrants -----------------------------------------------------------------------------------


def _late_problem(cup: Cup, state: CupState, change: LateEntrant) -> Message | None:
    name = change.entrant
    if not name or "|" in name or name != name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        return msg("a name has at most {most} visible characters and no |", most=LONGEST_NAME)
    announced = cup.announced or cup
    names = {entry.name.casefold() for entry in announced.entrants}
    names |= {one.change.entrant.casefold() for one in state.log if isinstance(one.change, LateEntrant)}
    if name.casefold() in names:
        return msg('the name "{name}" is already used; give each entrant its own name', name=name)
    wires = registry.wire_names(cup.game)
    if change.wire and change.wire not in wires:
        return msg('unknown wire "{wire}"; known: {known}', wire=change.wire, known=", ".join(wires))
    first = [plan for plan in state.plans if plan.source is None and not plan.beside]
    joined = [plan for plan in first if not any(state.results.get(other) for other in _later(state, plan))]
    if not joined:
        return msg("no stage is left that a late entrant could join: the next one has begun with the best")
    after = with_change(state, change)
    for plan in joined:
        form = find_format(plan.format)
        if state.results.get(plan.name) and StageChange.LATE_ENTRANT not in allowed_changes(form):
            return msg(
                'the stage "{stage}" has begun, and its format {format} takes no late entrants',
                stage=stage_name(plan.name),
                format=plan.format,
            )
        stage = after.stage(plan.name)
        if not state.results.get(plan.name) and stage is not None and form.problem(stage) is not None:
            return form.problem(stage)
    if all(after.is_finished(plan.name) for plan in joined):
        return msg("all series are played, and a late entrant would play none")
    return None


def _later(state: CupState, plan: StagePlan) -> list[str]:
    return [other.name for other in state.plans if other.source == plan.name]


# --- entrants that leave -----------------------------------------------------------------------------


def _entrant_problem(cup: Cup, state: CupState, name: str) -> Message | None:
    known = [entry.name for entry in cup.entrants if not entry.null]
    if name not in known:
        return msg('there is no entrant "{name}"; known: {known}', name=name, known=", ".join(known))
    if any(isinstance(one.change, Leaving) and one.change.entrant == name for one in state.changes):
        return msg('"{name}" has left the cup already', name=name)
    return None


def _leaving_problem(cup: Cup, state: CupState, change: Leaving) -> Message | None:
    found = _entrant_problem(cup, state, change.entrant)
    if found is not None:
        return found
    for plan in state.plans:
        if (
            state.results.get(plan.name)
            and not plan.beside
            and change.entrant in (state.entrants(plan.name) or ())
            and not state.is_finished(plan.name)
            and StageChange.LEAVING not in allowed_changes(find_format(plan.format))
        ):
            return msg(
                'the format {format} of the stage "{stage}" does not allow that an entrant leaves',
                stage=stage_name(plan.name),
                format=plan.format,
            )
    return _size_problem(with_change(state, change))


def _size_problem(state: CupState) -> Message | None:
    """Return why a stage that has not begun could not be played with the entrants that are left."""
    sizes: dict[str, int] = {}
    for plan in state.plans:
        entrants = state.entrants(plan.name)
        if entrants is not None:
            size = len(entrants) - len(state.leavers(plan.name))
        else:
            size = min(sizes[plan.source or ""], plan.top or len(state.plans[0].entrants))
        sizes[plan.name] = size
        if state.results.get(plan.name) or plan.beside:
            continue
        names = entrants or tuple(f"place {number + 1}" for number in range(size))
        found = find_format(plan.format).problem(Stage(names, plan.terms, plan.options, ""))
        if found is not None:
            return msg(
                'without this entrant, the stage "{stage}" is not possible: {problem}',
                stage=stage_name(plan.name),
                problem=found,
            )
    return None


# --- new files, replays and revocations --------------------------------------------------------------


def _stage_problem(state: CupState, name: str) -> Message | None:
    known = [plan.name for plan in state.plans]
    if name in known:
        return None
    unknown = msg('unknown stage "{name}"; known: {known}', name=name, known=", ".join(known))
    return with_suggestion(unknown, name, known)


def _files_problem(cup: Cup, state: CupState, change: NewFiles, playing: Collection[str]) -> Message | None:
    found = _entrant_problem(cup, state, change.entrant) or _stage_problem(state, change.stage)
    if found is not None:
        return found
    if state.results.get(change.stage) or change.stage in playing:
        return msg(
            'the stage "{stage}" has begun: an entrant keeps its files through a stage. Choose a later stage',
            stage=stage_name(change.stage),
        )
    return None


def _replay_problem(cup: Cup, state: CupState, change: Replay) -> Message | None:
    found = _stage_problem(state, change.stage)
    if found is not None:
        return found
    series = cup.series_text(change.stage, change.key)
    if change.key not in state.valid_results(change.stage):
        return Message(NOT_FINISHED.template, {"stage": stage_name(change.stage), "series": series})
    gone = set(state.valid_results(change.stage)[change.key].entrants) & state.leavers(change.stage).keys()
    if gone:
        names = ", ".join(cup.title(name) for name in sorted(gone))
        return Message(HAS_LEFT.template, {"names": names})
    if state.is_closed(change.stage):
        return msg(
            'a later stage has begun with the best of the stage "{stage}", so none of its series can be '
            "played again",
            stage=stage_name(change.stage),
        )
    form = state.form(change.stage)
    if StageChange.REPLAY not in allowed_changes(form):
        return msg(
            'the format {format} of the stage "{stage}" does not allow that a series is played again',
            stage=stage_name(change.stage),
            format=form.name,
        )
    return None


def _revocation_problem(cup: Cup, state: CupState, change: Revocation) -> Message | None:
    entry = next((one for one in state.log if one.number == change.entry), None)
    if entry is None:
        return msg("the log has no entry {number}", number=change.entry)
    if is_revoked(state.log, entry.number):
        return msg("entry {number} is revoked already", number=entry.number)
    match entry.change:
        case Revocation():
            return msg("entry {number} is a revocation: make the change again instead", number=entry.number)
        case LateEntrant(name):
            played = any(name in one.entrants for found in state.results.values() for one in found.values())
            paired = any(
                name in table for rounds in state.rounds.values() for tables in rounds for table in tables
            )
            if played or paired:
                return msg('"{name}" has played since: let it withdraw, or disqualify it instead', name=name)
        case NewFiles(_, stage):
            names = [plan.name for plan in state.plans]
            since = names[names.index(stage) :]
            if any(len(state.results.get(one, ())) > entry.after.get(one, 0) for one in since):
                return msg('the stage "{stage}" has begun with the new files', stage=stage_name(stage))
        case Replay(stage, _) if state.is_closed(stage):
            return msg(
                'a later stage has begun with the best of the stage "{stage}"', stage=stage_name(stage)
            )
        case _:
            pass
    return None


# --- series that depend on others --------------------------------------------------------------------


def _dependent_problem(cup: Cup, state: CupState, change: Change) -> Message | None:
    """Return which series was played since, and would not have been played after the change."""
    after = with_change(state, change)
    number = change.entry if isinstance(change, Revocation) else 0
    concerned = [change, *(one.change for one in state.log if one.number == number)]
    replayed = {one.stage for one in concerned if isinstance(one, Replay)}
    for plan in state.plans:
        form = find_format(plan.format)
        begun = state.results.get(plan.name) and not plan.beside
        if not begun or (StageChange.ANNULMENT in allowed_changes(form) and plan.name not in replayed):
            continue
        before, now = state.stage_with_groundless(plan.name), after.stage_with_groundless(plan.name)
        if before is None or now is None:
            continue
        lost, rounds = groundless(form, now, state.rounds.get(plan.name, ()))
        lost = [key for key in lost if key not in groundless(form, before, before.rounds)[0]]
        if lost:
            series = cup.series_text(plan.name, lost[0])
            return Message(PLAYED_SINCE.template, {"series": series, "stage": stage_name(plan.name)})
        if rounds < len(state.rounds.get(plan.name, ())):
            return msg(
                'round {number} of the stage "{stage}" has been decided since, and depends on what would '
                "change",
                number=rounds + 1,
                stage=stage_name(plan.name),
            )
    return None
