"""The reader's language: English in the source, other languages in `locale/`, by gettext.

`_("text {x}", x=1)` says a sentence now; `msg("text {x}", x=1)` makes a `Message` that is said later
by `say(message)`. Both mark their text for translation.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from botequim.core.errors import BotequimError, RecordError, UnknownName
from botequim.core.messages import Figure, Message, fill, harmless, msg

DOMAIN = "botequim"
LANGUAGES = ("en", "pt_BR")

_FOLDER = str(Path(__file__).parent / "locale")
_catalogue: gettext.NullTranslations = gettext.NullTranslations()
_language = "en"


def use(language: str | None = None) -> None:
    """Speak `language` from now on; without one, that of the environment, else English."""
    global _catalogue, _language
    _language = _from_environment(os.environ) if language is None else _settled(language)
    _catalogue = gettext.translation(DOMAIN, _FOLDER, [_language], fallback=True)
    # argparse speaks through the global domain, in the language of this variable
    gettext.bindtextdomain(DOMAIN, _FOLDER)
    gettext.textdomain(DOMAIN)
    os.environ["LANGUAGE"] = _language


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak another language for a while."""
    before = _language
    use(language)
    try:
        yield
    finally:
        use(before)


def complete() -> bool:
    """Whether every language's catalogue is there: they are compiled when the package is built."""
    return all(gettext.find(DOMAIN, _FOLDER, [name]) for name in LANGUAGES if name != "en")


def language() -> str:
    """The language spoken now."""
    return _language


def say(message: Message | str) -> str:
    """A message in the reader's language."""
    if isinstance(message, str):
        return message
    # the empty text is gettext's name for the catalogue's own header
    template = _catalogue.gettext(message.template) if message.template else ""
    return fill(template, {name: _say_value(value) for name, value in message.values.items()})


def _say_value(value: object) -> str:
    if isinstance(value, Message):
        return say(value)
    return number(value) if isinstance(value, Figure) else harmless(str(value))


def say_error(error: BotequimError) -> str:
    """An error in the reader's language, with where it is."""
    where = ""
    if isinstance(error, RecordError):
        where = harmless(":".join(str(part) for part in (error.path, error.line) if part))
    return f"{where}: {say(error.message)}" if where else say(error.message)


def _(template: str, /, **values: object) -> str:
    return say(Message(template, values))


def _n(one: str, many: str, count: int, /, **values: object) -> str:
    """The form for `count`, which fills `{n}`."""
    return fill(_catalogue.ngettext(one, many, count), {"n": count, **values})


def _settled(name: str) -> str:
    language = known(name)
    if language is None:
        raise UnknownName(
            msg('unknown language "{name}"; known: {known}', name=name, known=", ".join(LANGUAGES))
        )
    return language


def percent(rate: float) -> str:
    """A rate as people of the language write it: 53.6% or 53,6%."""
    shown = f"{rate:.1%}"
    return shown if _language == "en" else shown.replace(".", ",")


def number(shown: str) -> str:
    """A figure as people of the language write it: 1,860.5 or 1.860,5."""
    return shown if _language == "en" else shown.translate(_SWAPPED)


_SWAPPED = str.maketrans(".,", ",.")


def known(name: str) -> str | None:
    """The language of ours that a wish comes to."""
    wanted = name.split(".")[0].split("@")[0].replace("-", "_").lower()
    for language in LANGUAGES:
        if wanted in (language.lower(), language.split("_")[0].lower()):
            return language
    # any other Portuguese is nearer to ours than English is
    return "pt_BR" if wanted.startswith("pt_") else "en" if wanted.startswith("en_") else None


def _from_environment(environment: Mapping[str, str]) -> str:
    if environment.get("BOTEQUIM_LANG"):
        return _settled(environment["BOTEQUIM_LANG"])
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(variable):
            wishes = environment[variable].split(":")
            return next((found for wish in wishes if (found := known(wish))), "en")
    return "en"
