"""Dates and times as teachers, spreadsheets and learning platforms write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time
from typing import Final

from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.cup.csv_tables import comparable

_MONTHS: Final = {
    "jan": 1, "feb": 2, "fev": 2, "mar": 3, "apr": 4, "abr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7,
    "aug": 8, "ago": 8, "sep": 9, "set": 9, "oct": 10, "out": 10, "nov": 11, "dec": 12, "dez": 12,
}  # fmt: skip
_TIME: Final = re.compile(r"\b(\d{1,2})(?::|h)(\d{2})(?::(\d{2}))?(?:[.,]\d+)?\s*(am|pm)?\b")
_ISO: Final = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_NUMERIC: Final = re.compile(r"\b(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})\b")
_ZONE: Final = re.compile(r"\dz$|\d[+-]\d{2}:?\d{2}$")


def now() -> datetime:
    """Return the current time, in the time zone of this machine."""
    return datetime.fromtimestamp(clock.date(clock.now()), UTC).astimezone().replace(microsecond=0)


def parse_time(text: str, *, at_night: bool = False) -> datetime | None:
    """Return the time that a text names, in the time zone of this machine; None if it names none.

    Understood are ISO 8601, `20/11/2026 23:59` (the day comes first, unless there is no such month), and
    names of months in English or Portuguese: `quarta, 18 nov. 2026, 22:05`. A date without a time is
    midnight, or with `at_night` the last second of the day.
    """
    words = comparable(text).replace("t", " ", 1) if re.match(r"\d{4}-\d\d-\d\dT", text) else comparable(text)
    if _ZONE.search(words):
        try:
            return datetime.fromisoformat(text.strip()).astimezone()
        except ValueError:
            return None
    day = _day(words)
    if day is None:
        return None
    found = _TIME.search(words)
    if found is None:
        moment = time(23, 59, 59) if at_night else time()
        return datetime(*day, moment.hour, moment.minute, moment.second).astimezone()
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    if found[4] is not None:
        hour = hour % 12 + (12 if found[4] == "pm" else 0)
    try:
        return datetime(*day, hour, minute, second).astimezone()
    except ValueError:
        return None


def _day(words: str) -> tuple[int, int, int] | None:
    if match := _ISO.search(words):
        year, month, day = (int(part) for part in match.groups())
    elif match := _NUMERIC.search(words):
        day, month, year = (int(part) for part in match.groups())
        if month > 12:
            day, month = month, day
    else:
        named = [_MONTHS[word[:3]] for word in re.findall(r"[a-z]{3,}", words) if word[:3] in _MONTHS]
        numbers = [int(number) for number in re.findall(r"\b\d{1,2}\b(?![:h])|\b\d{4}\b", words)]
        years = [number for number in numbers if number > 1900]
        days = [number for number in numbers if 1 <= number <= 31]
        if not (named and years and days):
            return None
        year, month, day = years[0], named[0], days[0]
    try:
        datetime(year, month, day)
    except ValueError:
        return None
    return year, month, day


def parse_deadline(text: str) -> datetime:
    """Return the time of a deadline. Raise InputError if the text names none."""
    found = parse_time(text, at_night=True)
    if found is None:
        raise InputError(
            msg('"{text}" is not a date; write it like 2026-11-20 or "2026-11-20 23:59"', text=text)
        )
    return found
