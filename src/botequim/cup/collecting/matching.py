"""Finds out who has handed in what: compares submissions with the class list, and joins those of a group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from botequim.core.messages import Message, msg
from botequim.cup.collecting.class_list import ListedPerson
from botequim.cup.collecting.submissions import Submission
from botequim.cup.csv_tables import comparable
from botequim.cup.importing import LeftOut
from botequim.cup.people import Person


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may become an entrant: a person or a group, with everything that they have handed in."""

    who: str
    """What identifies it in the history."""
    submissions: tuple[Submission, ...]
    people: tuple[Person, ...]
    listed_name: str = ""
    """The name of the group or of the people in the class list; "" if they are not there."""
    group: str = ""
    submitted: datetime | None = None
    """When it was handed in, by the class list."""

    @property
    def folder_name(self) -> str:
        """The name by the source."""
        return self.group or self.submissions[0].name


def find_candidates(
    submissions: Sequence[Submission], listed: Sequence[ListedPerson]
) -> tuple[list[Candidate], list[LeftOut]]:
    """Return who has handed in what, and a note for each person who is not in the class list."""
    groups = {comparable(one.person.group): one.person.group for one in listed if one.person.group}
    groups |= {comparable(one.group): one.group for one in submissions if one.group}
    prefixes = _shared_prefixes(submissions)
    joined: dict[str, list[tuple[Submission, tuple[ListedPerson, ...]]]] = {}
    notes: list[LeftOut] = []
    names: dict[str, str] = {}
    for submission in submissions:
        known = _without_prefix(submission, groups, prefixes)
        found = tuple(_matches(known.people, listed))
        if listed and not found:
            notes.append(LeftOut(submission.name, _why_unknown(known.people, listed), submission.where))
        group = next((one.person.group for one in found if one.person.group), known.group)
        key = f"group:{comparable(group)}" if group else known.participant or known.label
        names.setdefault(key, group)
        joined.setdefault(key, []).append((known, found))
    candidates = [_candidate(group or key, group, joined[key], listed) for key, group in names.items()]
    return candidates, notes


def _candidate(
    who: str,
    group: str,
    parts: Sequence[tuple[Submission, tuple[ListedPerson, ...]]],
    listed: Sequence[ListedPerson],
) -> Candidate:
    found = list(dict.fromkeys(one for _, persons in parts for one in persons))
    if group:
        same = comparable(group)
        found += [one for one in listed if comparable(one.person.group) == same and one not in found]
    people = [one.person for one in found]
    for author in (person for submission, _ in parts for person in submission.people):
        match = match_person(author, [ListedPerson(one, "") for one in people])
        if match is None:
            people.append(author)
        else:
            people[people.index(match.person)] = merge_person(match.person, author)
    named = [one.person.name for one in found if one.person.name]
    times = [one.submitted for one in found if one.submitted is not None]
    return Candidate(
        who,
        tuple(submission for submission, _ in parts),
        tuple(replace(person, group=person.group or group) for person in people),
        group or " & ".join(named),
        group,
        max(times, default=None),
    )


def _matches(people: Sequence[Person], listed: Sequence[ListedPerson]) -> Iterator[ListedPerson]:
    for person in people:
        found = match_person(person, listed)
        if found is not None:
            yield found


def _why_unknown(people: Sequence[Person], listed: Sequence[ListedPerson]) -> Message:
    names = [_words(person.name) for person in people]
    same = [one for one in listed if _words(one.person.name) in names]
    if len(same) > 1:
        return msg("several people in the class list have this name; add their numbers on the platform")
    return msg("not in the class list")


def match_person(person: Person, listed: Sequence[ListedPerson]) -> ListedPerson | None:
    """Return the person in the class list: by number, by address, or by a name that nobody else has."""
    for key in ("participant", "id", "email"):
        value = comparable(getattr(person, key))
        same = [one for one in listed if value and comparable(getattr(one.person, key)) == value]
        if len(same) == 1:
            return same[0]
    words = _words(person.name)
    same = [one for one in listed if words and _words(one.person.name) == words]
    return same[0] if len(same) == 1 and not _contradicts(person, same[0].person) else None


def _words(name: str) -> list[str]:
    """Return the words of a name in one order: some lists write the last name first."""
    return sorted(comparable(name).replace(",", " ").split())


def _contradicts(one: Person, other: Person) -> bool:
    """Return whether two people with the same name have different numbers."""
    pairs = ((one.id, other.id), (one.participant, other.participant))
    return any(left and right and left != right for left, right in pairs)


def merge_person(known: Person, other: Person) -> Person:
    """Return what is known of a person, and what only the other source knows."""
    return replace(
        known,
        name=known.name or other.name,
        email=known.email or other.email,
        id=known.id or other.id,
        participant=known.participant or other.participant,
        group=known.group or other.group,
    )


# --- groups in the names of a platform ---------------------------------------------------------------


def _shared_prefixes(submissions: Sequence[Submission]) -> set[str]:
    """Return what stands before a hyphen in the names of several people with files of the same names and
    sizes.

    A platform writes the name of a group before that of each member: `Grupo 1-Ana Silva`.
    """
    seen: dict[tuple[str, object], int] = {}
    for submission in submissions:
        if submission.participant:
            files = _sizes(submission)
            for prefix, _ in _splits(submission.name):
                key = (comparable(prefix), files)
                seen[key] = seen.get(key, 0) + 1
    return {prefix for (prefix, _), count in seen.items() if count > 1}


def _sizes(submission: Submission) -> tuple[tuple[str, int], ...]:
    files = []
    for name, path in submission.contents:
        files += (
            [(one.relative_to(path).as_posix(), one.lstat().st_size) for one in path.rglob("*")]
            if path.is_dir()
            else [(name, path.lstat().st_size)]
        )
    return tuple(sorted(files))


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """Yield what is before and after each hyphen, the longest prefix first."""
    parts = name.split("-")
    for at in range(len(parts) - 1, 0, -1):
        yield "-".join(parts[:at]).strip(), "-".join(parts[at:]).strip()


def _without_prefix(submission: Submission, groups: dict[str, str], prefixes: set[str]) -> Submission:
    """Return the submission with the group before its name as its group."""
    if not submission.participant or submission.group:
        return submission
    for prefix, name in _splits(submission.name):
        if comparable(prefix) in groups or comparable(prefix) in prefixes:
            group = groups.get(comparable(prefix), prefix)
            people = (replace(submission.people[0], name=name),)
            return replace(submission, name=name, people=people, group=group)
    return submission
