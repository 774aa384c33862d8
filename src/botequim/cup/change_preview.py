"""What an organiser sees before a change of a cup that has begun is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.suggestions import similar_name, with_suggestion
from botequim.cup.change_rules import effect, problem
from botequim.cup.changes import Change, Replay, plain_key
from botequim.cup.config import Cup
from botequim.cup.explanations import description_in_state
from botequim.cup.rounds import stored_state
from botequim.cup.stages import CupState
from botequim.cup.withdrawals import without_withdrawn
from botequim.i18n import translate
from botequim.storage.protocol import CupStorage, CupStore
from botequim.storage.visibility import Visibility


@dataclass(frozen=True, slots=True)
class Preview:
    """What a change would do now."""

    change: Change
    description: Message
    problem: Message | None
    """Why the change is not possible; else None."""
    effects: tuple[Message, ...]
    """They may tell of results that are not public."""
    hides: bool
    """Whether some results are not public."""


def preview(cup: Cup, storage: CupStorage, change: Change) -> Preview:
    """Return what a change of a cup would do now. Raise InputError if its series does not exist."""
    with storage.open_results(check=True) as store:
        visibility = Visibility.of(store, storage, unrevealed=True)
        played = without_withdrawn(cup, store)
        state = stored_state(played, store, visibility.results())
        if isinstance(change, Replay):
            change = replace(change, key=series_key(played, state, store, change.stage, change.key))
        why_not = problem(played, state, change)
        effects = effect(played, state, change) if why_not is None else []
        hides = Visibility.of(store, storage).hides
        return Preview(change, description_in_state(played, state, change), why_not, tuple(effects), hides)


def series_key(cup: Cup, state: CupState, store: CupStore, stage: str, text: str) -> str:
    """Return the key of the series that somebody means: by its key, its names, its text or its number."""
    known = [plan.name for plan in cup.plans]
    if stage not in known:
        unknown = msg('unknown stage "{name}"; known: {known}', name=stage, known=", ".join(known))
        raise InputError(with_suggestion(unknown, stage, known))
    labels = state.labels(stage)
    keys: dict[str, set[str]] = {}
    shown: dict[str, str] = {}
    for one in store.series():
        if one.stage == stage:
            key = plain_key(one.result.key)
            texts = (labels.get(one.result.key), labels.get(key), cup.series_text(stage, key))
            for name in (str(one.number), key, *_in_words(texts)):
                keys.setdefault(_normal(name), set()).add(key)
                shown.setdefault(_normal(name), name)
    found = keys.get(_normal(text), set())
    if len(found) == 1:
        return found.pop()
    if found:
        raise InputError(msg('"{name}" are several series; give the names or the number of one', name=text))
    missing = msg('no series "{name}" of the stage "{stage}" was played', name=text, stage=stage)
    similar = similar_name(_normal(text), keys)
    if similar is not None:
        missing = msg("{problem}; did you mean {word}?", problem=missing, word=shown[similar])
    raise InputError(missing)


def _in_words(texts: Iterable[Message | None]) -> Iterator[str]:
    """Yield the texts in English and in the language of the reader."""
    for text in texts:
        if text is not None:
            yield str(text)
            yield translate(text)


def _normal(text: str) -> str:
    """Return a text without differences that do not matter: the order of names, and what separates them."""
    names = re.split(r"\s*[|–]+\s*|\s+-+\s+", text.strip().casefold())
    return " | ".join(sorted(names))
