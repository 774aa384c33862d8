"""The hours of a day in which a machine may be used."""

from __future__ import annotations

from datetime import datetime

import pytest

from botequim.cluster.hours import Hours
from botequim.core.errors import InputError


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("18:00-07:00", ("18:00", "23:59", "00:00", "06:59"), ("07:00", "12:00", "17:59")),
        ("08:30-9:15", ("08:30", "09:00", "09:14"), ("08:29", "09:15", "00:00", "23:59")),
        ("00:00-23:59", ("00:00", "23:58"), ("23:59",)),
        ("23:59-00:00", ("23:59",), ("00:00", "23:58")),
    ],
)
def test_hours_contain_their_beginning_and_not_their_end(
    text: str, inside: tuple[str, ...], outside: tuple[str, ...]
) -> None:
    hours = Hours.read(text)
    for moment in (*inside, *outside):
        assert (datetime.fromisoformat(f"2026-02-28T{moment}:30.5") in hours) == (moment in inside), moment


def test_hours_are_written_as_they_are_read() -> None:
    assert str(Hours.read(" 8:05-17:00 ")) == "08:05-17:00"
    assert Hours.read(str(Hours.read("8:05-17:00"))) == Hours.read("08:05-17:00")


@pytest.mark.parametrize(
    "text",
    [
        *("", "18:00", "18-07", "18:00-7", "24:00-07:00", "18:60-07:00", "-1:00-07:00", "18:00-07:00:00"),
        *("18:00-18:00", "6pm-7am", "18:00 - 07:00", "18:00-07:00,20:00-21:00"),
    ],
)
def test_what_names_no_hours_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="write hours of use as 18:00-07:00, not"):
        Hours.read(text)
