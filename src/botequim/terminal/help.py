"""The help at the terminal: the commands, the position, signs and rules, in pages that fit the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Final

from botequim import registry
from botequim.core.messages import msg
from botequim.i18n import _, language, translate
from botequim.terminal.ui import Help, TerminalUI

COMMON: Final[Sequence[Help]] = (
    Help("a", msg("advice: the move of the champion, and why")),
    Help("u", msg("take back your last move; the game no longer counts")),
    Help("s", msg("show the table again")),
    Help("q", msg("leave; the game is saved and can be continued")),
    Help("h", msg("this help")),
)


def help_sections(ui: TerminalUI, view: Any) -> list[list[str]]:
    """Return the lines of the help, by subject. The subject that is needed first comes first."""
    position = [*map(translate, ui.situation(view)), *_rows(ui.choices(view))]
    sections = [
        _rows([*ui.help(), *COMMON]),
        [_("The position:"), *position],
        [_("What the signs mean:"), *_rows(ui.signs(view))],
        [_("The rules of {game}:", game=ui.game.name), *short_rules(ui.game.name)],
    ]
    return [section for section in sections if len(section) > 1]


def short_rules(game_name: str) -> list[str]:
    """Return the rules of a game in a few lines, in the reader's language if there is such a text.

    Without a short text, it is the first paragraph of the rules.
    """
    folder = registry.texts(game_name)
    if folder is None:
        return []
    for name, suffix in product(("short", "rules"), (f".{language().replace('_', '-')}", "")):
        file = folder / f"{name}{suffix}{'.txt' if name == 'short' else '.md'}"
        if file.is_file():
            lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line]
            return lines if name == "short" else [line for line in lines if line[0] != "#"][:1]
    return []


def help_pages(sections: Sequence[Sequence[str]], fits: Callable[[Sequence[str]], bool]) -> list[list[str]]:
    """Return the sections as pages that fit the screen. A section is divided only if it must be."""
    pages: list[list[str]] = []
    for section in sections:
        if pages and fits([*pages[-1], "", *section, _more()]):
            pages[-1] += ["", *section]
            continue
        pages.append([])
        for line in section:
            if pages[-1] and not fits([*pages[-1], line, _more()]):
                pages.append([])
            pages[-1].append(line)
    return [*([*page, _more()] for page in pages[:-1]), pages[-1]]


def _more() -> str:
    return _("h again: more")


def _rows(entries: Sequence[Help]) -> list[str]:
    wide = max((len(one.command) for one in entries), default=0)
    return [f"  {one.command.ljust(wide)}   {translate(one.does)}" for one in entries]
