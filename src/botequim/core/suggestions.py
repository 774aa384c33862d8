"""Suggest the known name that somebody probably meant."""

from __future__ import annotations

from collections.abc import Iterable

from botequim.core.messages import Message, msg


def similar_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to `name`, or None if no name is similar."""
    from difflib import get_close_matches  # takes time to import, and is needed only after a mistake

    similar = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return similar[0] if similar else None


def with_suggestion(problem: Message, name: str, known: Iterable[str]) -> Message:
    """Return the problem with an unknown name, followed by the similar known name if there is one."""
    similar = similar_name(name, known)
    return (
        problem if similar is None else msg("{problem}; did you mean {word}?", problem=problem, word=similar)
    )
