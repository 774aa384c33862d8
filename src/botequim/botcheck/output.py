"""What a bot says that it should not, without a fault: warnings, gathered over all games."""

from __future__ import annotations

from collections.abc import Iterator

from botequim.checking.findings import Finding, Problem, State
from botequim.checking.mistakes.case import Diagnosis
from botequim.checking.table import Answered, Bench
from botequim.core.messages import Message, msg, plain
from botequim.games.uno_moves import WILD, Discard

_ACTIONS = (b"DISCARD", b"BUY")


class Remarkable:
    """Every odd thing once, and how often it was."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._found: dict[str, Problem] = {}

    def hear(self, answered: Answered) -> None:
        """One turn."""
        for diagnosis, warning in self._odd(answered):
            if diagnosis.key in self._found:
                self._found[diagnosis.key].count += 1
                continue
            question = answered.question.shown() if answered.question is not None else ""
            heard = b"\n".join([*answered.unasked, *answered.heard]).decode("utf-8", "backslashreplace")
            self._found[diagnosis.key] = Problem(
                diagnosis,
                None,
                question=question,
                answer=heard,
                forgiven=warning,
                turn=answered.turn,
                seat=answered.made.by,
            )

    def _odd(self, answered: Answered) -> Iterator[tuple[Diagnosis, Message]]:
        for warning in answered.made.warnings:
            yield _read(warning, answered), warning
        move = answered.made.move
        if self._bench.wire.name == "uno" and isinstance(move, Discard) and move.card.rank in WILD:
            words = [line.split() for line in answered.heard if line.split()[:1] == [b"DISCARD"]]
            if words and len(words[0]) == 2:
                yield _no_suit(str(move.card)), msg("no suit is asked for with {card}", card=str(move.card))

    def finding(self) -> Finding:
        """The last line of the list."""
        found = list(self._found.values())
        if not found:
            return Finding("output", State.OK, msg("says nothing that it should not"))
        told = msg("says what it should not, without being at fault for it")
        return Finding("output", State.WARNING, told, new=found)


def _read(warning: Message, answered: Answered) -> Diagnosis:
    """The mistake behind a warning of the wire or of the rules."""
    if any(line.split()[:1] in ([word] for word in _ACTIONS) for line in answered.unasked):
        return Diagnosis(
            "out-of-turn",
            msg("It also answers when it is not its turn."),
            msg("Answer only after TURN with your own id, the one that YOU told."),
        )
    if "line" in warning.values:
        return Diagnosis(
            "debug-on-stdout",
            msg('It writes lines that nobody asked for: "{line}"', line=plain(warning.values["line"])),
            msg("Only answers go to standard output; debug output belongs on stderr."),
        )
    if warning.values.get("kind") == "art":
        return Diagnosis("art", warning, msg("Art is a list of up to 60 texts of up to 60 characters."))
    return Diagnosis("warning", warning, msg("It is no fault, but somebody will wonder."))


def _no_suit(card: str) -> Diagnosis:
    return Diagnosis(
        "no-suit",
        msg("It discards {card} without asking for a suit: then its own suit is asked for.", card=card),
        msg("Say the suit behind the card: DISCARD A♣ ♥"),
    )
