"""What an organiser sees before a change of a cup that has begun is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.suggestions import similar_name, with_suggestion
from botequim.cup.change_effects import effect
from botequim.cup.change_rules import HAS_LEFT, NOT_FINISHED, PLAYED_SINCE, problem
from botequim.cup.changes import Change, Replay, Revocation, plain_key
from botequim.cup.config import Cup
from botequim.cup.explanations import description_in_state, revocation_text
from botequim.cup.pairing import SEPARATOR
from botequim.cup.rounds import stored_state
from botequim.cup.series_labels import series_labels
from botequim.cup.stage_names import stage_name
from botequim.cup.stages import CupState
from botequim.cup.withdrawals import without_withdrawn
from botequim.i18n import translate
from botequim.storage.protocol import CupStorage
from botequim.storage.visibility import Visibility

_HIDDEN_SERIES: Final = msg("a series that is still hidden")
_DISCREET: Final = {
    PLAYED_SINCE.template: msg(
        'a series that is still hidden, of the stage "{stage}", has been played since, and depends on what '
        "would change"
    ),
    NOT_FINISHED.template: msg(
        'the stage "{stage}" has a series that is still hidden: it does not count, so it cannot be played '
        "again"
    ),
    HAS_LEFT.template: msg(
        "an entrant of a series that is still hidden left the cup, so this series cannot be played again"
    ),
}
"""Refusals that name no series and no entrants, by the template of those that do."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a change would do now."""

    change: Change
    description: Message
    problem: Message | None
    """Why the change is not possible; else None. Like the description, it names no hidden series."""
    effects: tuple[Message, ...]
    """They may tell of results that are not public."""
    hides: bool
    """Whether some results are not public."""


def preview(cup: Cup, storage: CupStorage, change: Change, *, unrevealed: bool = False) -> Preview:
    """Return what a change of a cup would do now. Raise InputError if its series does not exist.

    Unless `unrevealed`, no words but the effects tell who plays in a series that is hidden.
    """
    with storage.open_results(check=True) as store:
        visibility = Visibility.of(store, storage, unrevealed=True)
        public = visibility if unrevealed else Visibility.of(store, storage)
        played = without_withdrawn(cup, store)
        state = stored_state(played, store, visibility.results())
        if isinstance(change, Replay):
            change = replace(change, key=series_key(played, state, public, change.stage, change.key))
        why_not = problem(played, state, change)
        effects = effect(played, state, change) if why_not is None else []
        words = description_in_state(played, state, change)
        if public.hides:
            words = discreet_description(played, state, public, change)
            why_not = None if why_not is None else discreet_refusal(why_not)
        hides = Visibility.of(store, storage).hides
        return Preview(change, words, why_not, tuple(effects), hides)


def discreet_description(cup: Cup, state: CupState, public: Visibility, change: Change) -> Message:
    """Return what a change is, without the entrants of a series that is not public."""
    if isinstance(change, Revocation):
        return revocation_text(state, change, lambda one: discreet_description(cup, state, public, one))
    known = {(one.stage, plain_key(one.key)) for one in public.public if one.whole}
    if isinstance(change, Replay) and (change.stage, change.key) not in known:
        return msg('a hidden series of the stage "{stage}" is played again', stage=stage_name(change.stage))
    return description_in_state(cup, state, change)


def discreet_refusal(refusal: Message) -> Message:
    """Return why a change is not possible, without the series, and its entrants, that stand against it."""
    if not {"series", "names"} & refusal.values.keys():
        return refusal
    discreet = _DISCREET.get(refusal.template)
    if discreet is not None:
        return Message(discreet.template, refusal.values)
    hidden = {name: _HIDDEN_SERIES for name in ("series", "names") if name in refusal.values}
    return Message(refusal.template, {**refusal.values, **hidden})


def series_key(cup: Cup, state: CupState, public: Visibility, stage: str, text: str) -> str:
    """Return the key of the series that somebody means: by its key, its names, its text or its number.

    Only public series are suggested to somebody who mistypes one.
    """
    known = [plan.name for plan in cup.plans]
    if stage not in known:
        unknown = msg('unknown stage "{name}"; known: {known}', name=stage, known=", ".join(known))
        raise InputError(with_suggestion(unknown, stage, known))
    labels = series_labels(state, stage)
    keys: dict[str, set[str]] = {}
    shown: dict[str, str] = {}
    known_to_all = {one.number for one in public.public if one.whole}
    for one in public.played:
        if one.stage == stage:
            key = plain_key(one.result.key)
            texts = (labels.get(one.result.key), labels.get(key), cup.series_text(stage, key))
            for name in (str(one.number), key, *_in_words(texts)):
                keys.setdefault(_normal(name), set()).add(key)
                if one.number in known_to_all:
                    shown.setdefault(_normal(name), name.replace(SEPARATOR, " – "))
    found = keys.get(_normal(text), set())
    if len(found) == 1:
        return found.pop()
    if found:
        raise InputError(msg('"{name}" are several series; give the names or the number of one', name=text))
    missing = msg('no series "{name}" of the stage "{stage}" was played', name=text, stage=stage_name(stage))
    similar = similar_name(_normal(text), shown)
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
