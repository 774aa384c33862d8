"""The usual names of stages in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from botequim.core.messages import Message, Name, msg, plain
from botequim.i18n import translate

STAGE_NAMES: Final[Mapping[str, Message]] = {
    "bracket": msg("bracket"),
    "check": msg("check"),
    "final": msg("final"),
    "finals": msg("finals"),
    "group": msg("group"),
    "groups": msg("groups"),
    "knockout": msg("knockout"),
    "ladder": msg("ladder"),
    "league": msg("league"),
    "match": msg("match"),
    "playoffs": msg("play-offs"),
    "qualifying": msg("qualifying"),
    "swiss": msg("Swiss system"),
    "tables": msg("tables"),
}
"""The names that cup templates write, and a few more. All other names are the organiser's own."""


def stage_name(name: str) -> Name:
    """Return the name of a stage as a value of a message, whose translation has `stage_title`."""
    return Name.of(name, STAGE_NAMES.get(name.casefold()) or plain(name))


def stage_title(name: str) -> str:
    """Return the name of a stage to show: translated if it is usual, and otherwise as it was written."""
    return translate(stage_name(name).words)
