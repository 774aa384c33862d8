"""Deletes the data of a person, or of an entrant with all its people.

=============================  ====================================================================
deleted                        names, addresses and numbers in the private lists beside the cup file;
                               authors and students in the cup file, and in the copy of it that goes into
                               bundles; the private folders of reports
with the last person also      what was handed in, the copies of the bot, its pictures, its title, its
                               repository, and its logs in the store
stays                          the name of the entrant, its games and its results: records are chained by
                               digests, and results of others depend on them
=============================  ====================================================================

The people come last, so an interrupted deletion can be repeated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from botequim.bots.tree_files import remove_tree
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.suggestions import with_suggestion
from botequim.cup.changes import Departure, Disqualification
from botequim.cup.collecting.files import submissions_folder
from botequim.cup.collecting.history import HistoryLine, history_path, read_history, write_history
from botequim.cup.config import NULL_SUFFIX, Cup, Entry
from botequim.cup.entry_text import with_entry_keys
from botequim.cup.paths import BOTS, HERE, CupPaths
from botequim.cup.people import Person, people_path, read_people, write_people
from botequim.cup.rounds import stored_state
from botequim.cup.stage_changes import pin_name
from botequim.cup.titles import PORTRAITS
from botequim.cup.withdrawals import FACT as ABSENT
from botequim.cup.withdrawals import without_withdrawn
from botequim.storage.files import write_text
from botequim.storage.protocol import CupStore

REPORTS: Final = ("report", "report-unrevealed")
PRIVATE: Final = "private"
OF_ENTRANT: Final = ("authors", "students", "title", "portrait", "repository")
"""Keys of an entrant in the cup file that results do not depend on."""
KEPT: Final = ("name", "wire", "by_member", "digest")
"""Parts of a pin that bundles need."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """What is to be deleted."""

    people: tuple[Person, ...]
    """Their lines are deleted."""
    entrants: tuple[str, ...]
    """Their bots and logs are deleted."""
    others: tuple[tuple[str, str], ...] = ()
    """Entrants that other people made too, and these people: their bots stay."""


def find_deletion(cup: Cup, name: str) -> Deletion:
    """Return what belongs to a person or an entrant. A person is found by name, e-mail address, id or number.

    Raise InputError if nobody, or more than one, has this name.
    """
    people = _all_people(cup)
    entrants = [entry.name for entry in cup.entrants if not entry.null]
    members = tuple(person for person in people if person.entrant == name)
    found = [person for person in people if name.casefold() in _names(person)]
    keys = {person.key for person in found}
    if name in entrants and (not found or keys == {person.key for person in members}):
        return Deletion(members, (name,))
    if len(keys) > 1 or (found and name in entrants):
        known = ", ".join(sorted(person.id or person.email or person.name for person in found))
        raise InputError(msg('"{name}" is not unique; give one of these: {known}', name=name, known=known))
    if not found:
        names = [*entrants, *(person.name for person in people if person.name)]
        problem = msg('there is no person or entrant "{name}" in this cup', name=name)
        raise InputError(with_suggestion(problem, name, names))
    return _of_person(people, found)


def _of_person(people: Sequence[Person], found: Sequence[Person]) -> Deletion:
    alone, others = [], []
    for entrant in dict.fromkeys(person.entrant for person in found if person.entrant):
        rest = [one for one in people if one.entrant == entrant and one.key != found[0].key]
        if rest:
            others.append((entrant, ", ".join(one.name or one.key for one in rest)))
        else:
            alone.append(entrant)
    return Deletion(tuple(found), tuple(alone), tuple(others))


def with_late_entries(cup: Cup, store: CupStore) -> Cup:
    """Return the cup with all entrants of its file and those that came later."""
    known = {entry.name for entry in cup.entrants}
    late = [entry for entry in without_withdrawn(cup, store).entrants if entry.name not in known]
    return replace(cup, entrants=(*cup.entrants, *late))


def _all_people(cup: Cup) -> list[Person]:
    """Return the people of the private list, or else those whom the cup file names."""
    found = list(read_people(cup.path))
    if found:
        return found
    return [
        person
        for entry in cup.entrants
        if not entry.null
        for person in (
            *(Person("", id=number, entrant=entry.name) for number in entry.students),
            *(Person(author, entrant=entry.name) for author in entry.authors),
        )
    ]


def _names(person: Person) -> set[str]:
    parts = (person.name, person.email, person.id, person.participant)
    return {part.casefold() for part in parts if part}


# --- the deletion ------------------------------------------------------------------------------------


def require_finished(cup: Cup, store: CupStore, deletion: Deletion) -> None:
    """Raise InputError if a bot that is to be deleted still has games to play."""
    state = stored_state(without_withdrawn(cup, store), store, store.results())
    left = {
        entry.change.entrant
        for entry in state.changes
        if isinstance(entry.change, Departure | Disqualification)
    }
    playing = [name for name in deletion.entrants if name not in left]
    if playing and not state.over:
        raise InputError(
            msg(
                "the cup is not over, and these entrants still play: {names}. Withdraw them first: "
                "botequim cup change",
                names=", ".join(playing),
            )
        )


def delete_data(cup: Cup, store: CupStore | None, deletion: Deletion) -> list[Path]:
    """Delete everything, and return the files with copies that are left to the organiser.

    `store` is open to write, so nobody plays the cup; None if the cup has no store yet.
    """
    _change_file(cup, deletion)
    if store is not None:
        _change_store(cup, store, deletion)
    for report in REPORTS:
        remove_tree(cup.folder / report / PRIVATE)
    for entrant in deletion.entrants:
        for folder in _submissions(cup, entrant):
            remove_tree(folder)
    for line in read_history(cup.path):
        place = cup.path.parent / Path(line.files).parent
        if _never_played(line, deletion) and place.parent == submissions_folder(cup.path):
            remove_tree(place)
    if history_path(cup.path).exists():
        write_history(cup.path, _history(cup, deletion))
    if people_path(cup.path).exists():
        gone = set(deletion.people)
        write_people(cup.path, [one for one in read_people(cup.path) if one not in gone])
    return _copies(cup, deletion)


def _change_file(cup: Cup, deletion: Deletion) -> None:
    if not cup.path.is_file():
        return
    text = cup.path.read_text(encoding="utf-8")
    changed = _without_people(cup, text, deletion)
    if changed != text:
        write_text(cup.path, changed)


def _without_people(cup: Cup, text: str, deletion: Deletion) -> str:
    """Return the text of a cup file without what it says about these people."""
    for name in dict.fromkeys((*deletion.entrants, *(person.entrant for person in deletion.people))):
        entry = next((one for one in cup.entrants if one.name == name), None)
        if entry is None:
            continue
        if name in deletion.entrants:
            values: dict[str, Sequence[str]] = dict.fromkeys(OF_ENTRANT, ())
        else:
            gone = {part for person in deletion.people for part in _names(person)}
            values = {
                "authors": [one for one in entry.authors if one.casefold() not in gone],
                "students": [one for one in entry.students if one.casefold() not in gone],
            }
        changed = with_entry_keys(text, name, values)
        if changed is None:
            raise InputError(
                msg(
                    'delete the authors and students of "{name}" in {path} by hand; the file is written in a '
                    "way that this command does not understand",
                    name=name,
                    path=str(cup.path),
                )
            )
        text = changed
    return text


def _change_store(cup: Cup, store: CupStore, deletion: Deletion) -> None:
    text = store.fact("file")
    facts = {"file": _without_people(cup, text, deletion)} if text else {}
    absent: dict[str, Any] = json.loads(store.fact(ABSENT) or "{}")
    if absent.keys() & set(deletion.entrants):
        without_logs = {
            name: {key: part for key, part in value.items() if key != "log" or name not in deletion.entrants}
            for name, value in absent.items()
        }
        facts[ABSENT] = json.dumps(without_logs)
    if facts:
        store.put_facts(facts)
    pins = store.entrants()
    gone = {pin for pin in pins for name in deletion.entrants if _is_pin_of(pin, name)}
    for pin in gone:
        store.pin_entrant(pin, {"given": "", "address": ""} | {key: pins[pin].get(key) for key in KEPT})
    for name in deletion.entrants:
        for one in (name, name + NULL_SUFFIX):
            store.remove_logs(one)
    _remove_bots(cup, [pins[pin] for pin in gone], [pins[pin] for pin in pins.keys() - gone])


def _is_pin_of(pin: str, entrant: str) -> bool:
    return pin in (entrant, entrant + NULL_SUFFIX) or pin.startswith(pin_name(entrant, 0)[:-1])


def _remove_bots(cup: Cup, gone: Iterable[Any], stay: Iterable[Any]) -> None:
    """Delete the copies of bots and pictures, if no other entrant uses them."""
    folders = {folder for pin in gone for folder in _bot_folders(pin)}
    folders -= {folder for pin in stay for folder in _bot_folders(pin)}
    for folder in folders:
        remove_tree(CupPaths.of_cup(cup).bots / folder)
    for pin in gone:
        for name in pin.get(PORTRAITS, ()):
            if name:
                (cup.folder / PORTRAITS / Path(name).name).unlink(missing_ok=True)


def _bot_folders(pin: Any) -> set[str]:
    places = [str((pin.get(part) or {}).get("folder", "")) for part in ("program", "sources")]
    start = f"{HERE}/{BOTS}/"
    return {place.removeprefix(start).split("/")[0] for place in places if place.startswith(start)} - {
        "",
        "..",
    }


def _submissions(cup: Cup, entrant: str) -> set[Path]:
    """Return the folders beside the cup file with what was handed in for an entrant."""
    top = submissions_folder(cup.path)
    entry = next((one for one in cup.entrants if one.name == entrant), Entry(entrant, ""))
    files = [line.files for line in read_history(cup.path) if line.entrant == entrant]
    found = [cup.path.parent / Path(place).parent for place in (*files, entry.bot) if place]
    return {path for path in found if path.parent == top and path.is_dir() and path.name != ".."}


def _never_played(line: HistoryLine, deletion: Deletion) -> bool:
    """Return whether one of these people handed in something that could not play, so it has no entrant."""
    names = {part for person in deletion.people for part in _names(person)}
    return not line.entrant and line.who.casefold() in names


def _history(cup: Cup, deletion: Deletion) -> Iterator[HistoryLine]:
    """Yield the lines of the history that stay, without what identifies these people."""
    names = {part for person in deletion.people for part in _names(person)}
    for line in read_history(cup.path):
        if line.entrant not in deletion.entrants and not _never_played(line, deletion):
            yield replace(line, who="") if line.who.casefold() in names else line


def _copies(cup: Cup, deletion: Deletion) -> list[Path]:
    """Return files that may still contain the data, as far as they are known."""
    found = [path for pattern in ("*.damaged-*", "*.moved-*") for path in cup.folder.glob(pattern)]
    found += [
        cup.folder / report / "public" for report in REPORTS if (cup.folder / report / "public").is_dir()
    ]
    for name in deletion.entrants:
        entry = next((one for one in cup.entrants if one.name == name), None)
        if entry is not None and cup.is_path(entry):
            found.append(cup.path.parent / Path(entry.bot).expanduser())
        if entry is not None and entry.portrait:
            found.append(cup.path.parent / entry.portrait)
    return sorted(path for path in found if path.exists())
