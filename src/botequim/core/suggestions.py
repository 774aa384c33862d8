"""Suggests a similar name for one that is not known."""

from __future__ import annotations

from collections.abc import Iterable

from botequim.core.messages import Message, msg


def similar_name(name: str, names: Iterable[str]) -> str | None:
    """Return the known name that is most similar to `name`, or None if no name is similar."""
    from difflib import get_close_matches  # slow to import, and only needed after a mistake

    similar = get_close_matches(name, list(names), n=1, cutoff=0.6)
    return similar[0] if similar else None


def with_suggestion(problem: Message, name: str, names: Iterable[str]) -> Message:
    """Return the message about an unknown name, followed by a similar name if there is one."""
    similar = similar_name(name, names)
    return (
        problem if similar is None else msg("{problem}; did you mean {word}?", problem=problem, word=similar)
    )
