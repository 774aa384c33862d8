"""`botequim cup import`: collect what was handed in, as often as somebody hands in something."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from botequim import registry
from botequim.bots.tree_files import temporary_folder
from botequim.cli.output import new_file
from botequim.cli.progress import counting
from botequim.cli.stores import read_cup
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.process import Sandbox
from botequim.core.sanitize import printable
from botequim.cup.collecting.collect import collect_bots
from botequim.cup.collecting.cup_file import find_competition, open_cup_file
from botequim.cup.collecting.dates import parse_deadline
from botequim.cup.collecting.files import lock_submissions
from botequim.cup.collecting.history import SubmissionState, history_path
from botequim.cup.collecting.names import own_name
from botequim.cup.collecting.values import Collection, ImportRequest, NameSource, Outcome
from botequim.cup.importing import LeftOut, import_entrants
from botequim.cup.paths import CupPaths
from botequim.cup.people import Person, people_path
from botequim.cup.templates import cup_file_text, template_names
from botequim.i18n import _, _n, translate


def run_import(arguments: argparse.Namespace) -> int:
    _require_order(arguments.source, arguments.file)
    if arguments.in_place:
        return _import_in_place(arguments)
    request = ImportRequest(
        arguments.source,
        arguments.file,
        arguments.template,
        arguments.name or "",
        arguments.most_authors,
        arguments.class_list,
        None if arguments.names is None else NameSource(arguments.names),
        None if arguments.deadline is None else parse_deadline(arguments.deadline),
        arguments.late == "refuse",
        _has_begun(arguments.file),
    )
    if request.cup_file.is_dir():
        raise InputError(
            msg("{path} is not the name of a cup file, such as rinha.toml", path=str(request.cup_file))
        )
    if request.refuse_late and request.deadline is None:
        raise InputError(msg("--late refuse needs a deadline: --deadline 2026-11-20"))
    with lock_submissions(request.cup_file), temporary_folder() as workshop, counting() as tell:
        found = collect_bots(
            request,
            workshop,
            lambda bot: _own_name(request, bot, workshop),
            lambda number, total: tell(_("submission {number} of {total}", number=number, total=total)),
        )
    if arguments.json:
        print(json.dumps(_as_json(found), ensure_ascii=False, indent=2))
    else:
        for line in _lines(found, request):
            print(line)
    return 0


def _import_in_place(arguments: argparse.Namespace) -> int:
    """Write a new cup file for the bots of a folder, or of a table, where they are."""
    if arguments.class_list or arguments.names or arguments.deadline:
        raise InputError(msg("--in-place cannot be combined with --class-list, --names or --deadline"))
    template = find_competition(arguments.template or template_names()[0])
    most_authors = arguments.most_authors or template.most_authors
    found = import_entrants(arguments.source, cup=arguments.file, most_authors=most_authors)
    text = cup_file_text(
        template, name=arguments.name or "", entrants=found.entrants, most_authors=most_authors
    )
    with new_file(arguments.file), arguments.file.open("x", encoding="utf-8") as file:
        file.write(text)
    if arguments.json:
        names = [entry.name for entry in found.entrants]
        left_out = [_left_out_json(one) for one in found.left_out]
        result = {"file": str(arguments.file), "entrants": names, "added": names, "left_out": left_out}
        print(json.dumps(result, ensure_ascii=False, indent=2))
        return 0
    print(_n("{n} entrant", "{n} entrants", len(found.entrants)))
    for line in _block(_("Left out"), [_left_out_line(one) for one in found.left_out]):
        print(line)
    print(_("Wrote {path}. Read it, then run: botequim cup check {path}", path=arguments.file))
    return 0


def _require_order(source: Path, cup_file: Path) -> None:
    """Raise InputError if the cup file is named before the source."""
    if source.suffix == ".toml" != cup_file.suffix:
        command = shlex.join(["botequim", "cup", "import", str(cup_file), str(source)])
        raise InputError(msg("the cup file comes last: {command}", command=command))


def _has_begun(path: Path) -> bool:
    """Return whether games of the cup are stored, so that its file must not change."""
    if not path.is_file():
        return False
    try:
        cup = read_cup(path, None)
    except InputError:
        return False  # it has too few entrants yet, or the import says what is wrong
    storage = CupPaths.of_cup(cup).storage
    if not storage.has_results():
        return False
    with storage.open_results() as store:
        return any(store.results().values())


def _own_name(request: ImportRequest, bot: Path, workshop: Path) -> str:
    game = open_cup_file(request.cup_file, request.template, name="", most_authors=None).game
    return own_name(bot, game, _sandbox, workshop)


def _sandbox() -> Sandbox:
    from botequim.sandbox.probe import isolating_sandbox

    return isolating_sandbox()


# --- what is printed ---------------------------------------------------------------------------------


def _lines(found: Collection, request: ImportRequest) -> Iterator[str]:
    ready = [one for one in found.outcomes if one.line.entrant and one.problem is None]
    yield _summary(found.outcomes)
    yield from _block(
        _n("Ready to be checked: {n} entrant", "Ready to be checked: {n} entrants", len(ready)),
        [_outcome_line(one) for one in ready],
    )
    rest = [one for one in found.outcomes if one not in ready]
    yield from _block(_("Not ready"), [_outcome_line(one) for one in rest])
    yield from _block(_("Left out"), [_left_out_line(one) for one in found.left_out])
    yield from _block(_("Look at these"), [_left_out_line(one) for one in found.notes])
    yield from _block(
        _n("{n} person has handed in nothing", "{n} people have handed in nothing", len(found.missing)),
        [_person_line(one) for one in found.missing],
    )
    if found.file_times:
        yield _(
            "What is late was judged by the times of the files, which may be those of the download. The "
            "list of the platform has the exact times: give it with --class-list."
        )
    yield from _next_lines(found, request)


def _summary(outcomes: Sequence[Outcome]) -> str:
    counts = {state: sum(one.line.state is state for one in outcomes) for state in SubmissionState}
    words = [_count_words(state, count) for state, count in counts.items() if count]
    late = sum(bool(one.line.late) for one in outcomes)
    if late:
        words.append(_("{n} late", n=late))
    total = _n("{n} submission", "{n} submissions", len(outcomes))
    return f"{total}: {', '.join(words)}" if words else total


def _count_words(state: SubmissionState, count: int) -> str:
    words = {
        SubmissionState.NEW: _n("{n} new", "{n} new", count),
        SubmissionState.CHANGED: _n("{n} changed", "{n} changed", count),
        SubmissionState.UNCHANGED: _n("{n} unchanged", "{n} unchanged", count),
        SubmissionState.REFUSED: _n("{n} refused", "{n} refused", count),
        SubmissionState.OLDER: _n("{n} older", "{n} older", count),
        SubmissionState.BROKEN: _n(
            "{n} without a bot that can be started", "{n} without a bot that can be started", count
        ),
    }
    return words[state]


def _state_word(state: SubmissionState) -> str:
    words = {
        SubmissionState.NEW: _("new"),
        SubmissionState.CHANGED: _("changed"),
        SubmissionState.UNCHANGED: _("unchanged"),
        SubmissionState.REFUSED: _("refused"),
        SubmissionState.OLDER: _("not used, because it is older"),
        SubmissionState.BROKEN: _("without a bot that can be started"),
    }
    return words[state]


def _block(heading: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{heading}:"
        yield from (f"  {line}" for line in lines)


def _outcome_line(one: Outcome) -> str:
    words = [_state_word(one.line.state) if one.problem is None else translate(one.problem)]
    if one.line.late:
        words.append(_("late"))
    if one.line.number > 1 or one.line.state is SubmissionState.CHANGED:
        words.append(_("submission {number}", number=one.line.number))
    if one.problem is not None or one.line.state is SubmissionState.REFUSED:
        words += [_("the earlier one still plays")] if one.line.entrant else []
    words += [translate(note) for note in one.notes]
    names = [person.name for person in one.people if person.name]
    people = f" ({', '.join(names)})" if names not in ([], [one.title]) else ""
    return printable(f"{one.title}{people}: {'; '.join(words)}")


def _left_out_line(one: LeftOut) -> str:
    where = f"{one.where}: " if one.where and one.where != one.what else ""
    return printable(f"{where}{one.what}: {translate(one.why)}")


def _person_line(person: Person) -> str:
    keys = [key for key in (person.id, person.email) if key]
    return printable(person.name + (f" ({', '.join(keys)})" if keys else ""))


def _next_lines(found: Collection, request: ImportRequest) -> Iterator[str]:
    file = request.cup_file
    if request.has_begun:
        yield _(
            "The cup has begun, so {path} was not changed, and the cup plays with the bots it has.", path=file
        )
        yield from _block(_("To let new bots play"), list(_change_lines(found, file)))
        return
    if not file.exists():
        yield _("{path} was not written: nothing that was handed in can be started yet.", path=file)
        return
    yield _(
        "Wrote {path} (cup of {game}), {history} and {people}. The last two are private.",
        path=file,
        game=found.cup.game,
        history=history_path(file).name,
        people=people_path(file).name,
    )
    built_in = [
        str(one.get("name"))
        for one in found.cup.entrants
        if "wire" not in one and registry.is_player(found.cup.game, str(one.get("bot")))
    ]
    if built_in:
        yield _(
            "Built-in players are in it too: {names}. Remove those you do not want.",
            names=", ".join(built_in),
        )
    problem = found.cup.problem()
    command = f"botequim cup check {shlex.quote(str(file))}"
    if problem is None:
        yield _("Next: {command}", command=command)
    else:
        yield _("The cup cannot be played yet: {why}", why=translate(problem))
        yield _("Import more, or edit {path}. Then run: {command}", path=file, command=command)


def _change_lines(found: Collection, file: Path) -> Iterator[str]:
    """Yield the commands that bring new and changed bots into a cup that has begun."""
    words = f"botequim cup change {shlex.quote(str(file))}"
    for entry in found.added:
        yield f"{words} add {shlex.quote(entry.name)} {shlex.quote(entry.bot)} --why '...'"
    for one in found.outcomes:
        if one.line.state is SubmissionState.CHANGED:
            yield f"{words} fix {shlex.quote(one.line.entrant)} --from STAGE --why '...'"


def _as_json(found: Collection) -> dict[str, Any]:
    accepted = {one.line.entrant: None for one in found.outcomes if one.line.entrant}
    return {
        "file": str(found.cup.path),
        "entrants": list(accepted),
        "added": [entry.name for entry in found.added],
        "submissions": [
            {
                "entrant": one.line.entrant,
                "name": one.title,
                "number": one.line.number,
                "state": one.line.state.value,
                "late": bool(one.line.late),
                "submitted": one.line.submitted or None,
                "digest": one.line.digest or None,
                "files": one.line.files,
                "problem": None if one.problem is None else translate(one.problem),
                "notes": [translate(note) for note in one.notes],
            }
            for one in found.outcomes
        ],
        "left_out": [_left_out_json(one) for one in found.left_out],
        "notes": [_left_out_json(one) for one in found.notes],
        "missing": [
            {"name": person.name, "email": person.email, "id": person.id} for person in found.missing
        ],
    }


def _left_out_json(one: LeftOut) -> dict[str, str]:
    return {"what": one.what, "why": translate(one.why)} | ({"where": one.where} if one.where else {})
