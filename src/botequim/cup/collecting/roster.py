"""Puts together the people of a cup from the class list, earlier imports and this one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from botequim.cup.collecting.class_list import ListedPerson
from botequim.cup.collecting.matching import match_person, merge_person
from botequim.cup.csv_tables import comparable
from botequim.cup.people import Person, read_people


def people_after(
    cup_file: Path, listed: Sequence[ListedPerson], authors: Sequence[tuple[Person, str]]
) -> list[Person]:
    """Return the people of a cup with their entrants: those of the class list, then everybody else.

    `authors` are the people of this import, each with an entrant or "". Entrants of earlier imports stay.
    """
    before = [person for person in read_people(cup_file) if person.entrant]
    people = [one.person for one in listed]
    entrants: dict[Person, dict[str, None]] = {person: {} for person in people}
    for author, entrant in [*((one, one.entrant) for one in before), *authors]:
        person = replace(author, entrant="")
        match = match_person(person, [ListedPerson(one, "") for one in entrants])
        known = person if match is None else match.person
        merged = merge_person(known, person)
        own = entrants.pop(known, {}) if merged != known else entrants.setdefault(known, {})
        entrants[merged] = own | ({entrant: None} if entrant else {})
    order = {comparable(person.name): at for at, person in reversed(list(enumerate(people)))}
    ordered = sorted(entrants, key=lambda person: order.get(comparable(person.name), len(order)))
    return [replace(person, entrant=entrant) for person in ordered for entrant in entrants[person] or [""]]


def missing_people(people: Sequence[Person], authors: Sequence[tuple[Person, str]]) -> list[Person]:
    """Return the people who have no entrant and have handed in nothing."""
    found = [ListedPerson(person, "") for person, _ in authors]
    return [one for one in people if not one.entrant and match_person(one, found) is None]
