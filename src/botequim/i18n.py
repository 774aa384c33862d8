"""Translates messages into the reader's language with gettext. The source is English; `locale/` has the
others.

`_("text {x}", x=1)` returns a sentence in the current language. `msg("text {x}", x=1)` returns a `Message`,
which `translate(message)` turns into a sentence later. Both mark their text for translation.

The current language belongs to the context (a `ContextVar`): `use_language` sets it for a block in one thread
or asyncio task. Everywhere else, the language of the process is used, which the command line sets once.
"""

from __future__ import annotations

import gettext
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Final

from botequim.core.errors import BotequimError, RecordError, UnknownName
from botequim.core.messages import Figure, Message, Name, fill, msg
from botequim.core.sanitize import printable

DOMAIN: Final = "botequim"
LANGUAGES: Final = ("en", "pt_BR")

_FOLDER: Final = str(Path(__file__).parent / "locale")
_FIGURES: Final = frozenset({"allowed", "cpu", "least", "median", "queued", "seconds", "speed"})
"""Values of these names are numbers. In a stored message they are plain texts in English notation."""
_DECIMAL: Final = re.compile(r"[0-9]+\.[0-9]+")
_current: Final[ContextVar[str | None]] = ContextVar("language", default=None)
_of_process = "en"


def set_language(language: str | None = None) -> None:
    """Set the language of the process; without one, that of the environment, else English."""
    global _of_process
    _of_process = _from_environment(os.environ) if language is None else _require_language(language)
    # argparse uses the global domain, in the language of this variable
    gettext.bindtextdomain(DOMAIN, _FOLDER)
    gettext.textdomain(DOMAIN)
    os.environ["LANGUAGE"] = _of_process


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Use another language in this block, in this context only."""
    token = _current.set(_require_language(language))
    try:
        yield
    finally:
        _current.reset(token)


def language() -> str:
    return _current.get() or _of_process


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    return gettext.translation(DOMAIN, _FOLDER, [language], fallback=True)


def catalogues_exist() -> bool:
    """Return whether every language has a catalogue. They are compiled when the package is built."""
    return all(gettext.find(DOMAIN, _FOLDER, [name]) for name in LANGUAGES if name != "en")


def translate(message: Message | str) -> str:
    if isinstance(message, str):
        return message
    # for the empty text, gettext would return the header of the catalogue
    template = _catalogue(language()).gettext(message.template) if message.template else ""
    return fill(template, {name: _translate_value(name, value) for name, value in message.values.items()})


def _translate_value(name: str, value: object) -> str:
    if isinstance(value, Message):
        return translate(value)
    if isinstance(value, Name):
        return translate(value.words)
    text = printable(str(value))
    is_figure = isinstance(value, Figure) or (name in _FIGURES and _DECIMAL.fullmatch(text))
    return number(text) if is_figure else text


def error_text(error: BotequimError) -> str:
    """Return an error in the current language, with the file and line where it is."""
    where = ""
    if isinstance(error, RecordError):
        where = printable(":".join(str(part) for part in (error.path, error.line) if part))
    return f"{where}: {translate(error.message)}" if where else translate(error.message)


def _(template: str, /, **values: object) -> str:
    return translate(Message(template, values))


def _n(one: str, many: str, count: int, /, **values: object) -> str:
    """Return the form for `count`, which fills `{n}`."""
    return fill(_catalogue(language()).ngettext(one, many, count), {"n": count, **values})


def percent(rate: float) -> str:
    """Return a rate as the current language writes it: 53.6% or 53,6%."""
    return number(f"{rate:.1%}")


def number(text: str) -> str:
    """Return a number as the current language writes it: 1,860.5 or 1.860,5."""
    return text if language() == "en" else text.translate(_SWAP_SEPARATORS)


_SWAP_SEPARATORS: Final = str.maketrans(".,", ",.")


def supported_language(name: str) -> str | None:
    """Return the supported language that a name like `pt-PT` or `en_GB.UTF-8` matches best, if any does."""
    wanted = name.split(".")[0].split("@")[0].replace("-", "_").lower()
    for language in LANGUAGES:
        if wanted in (language.lower(), language.split("_")[0].lower()):
            return language
    # any other Portuguese is nearer to ours than English is
    return "pt_BR" if wanted.startswith("pt_") else "en" if wanted.startswith("en_") else None


def _require_language(name: str) -> str:
    language = supported_language(name)
    if language is None:
        raise UnknownName(
            msg('unknown language "{name}"; known: {known}', name=name, known=", ".join(LANGUAGES))
        )
    return language


def _from_environment(environment: Mapping[str, str]) -> str:
    if environment.get("BOTEQUIM_LANG"):
        return _require_language(environment["BOTEQUIM_LANG"])
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(variable):
            names = environment[variable].split(":")
            return next((found for name in names if (found := supported_language(name))), "en")
    return "en"
