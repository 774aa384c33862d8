"""Warnings about the output of a bot that is not a fault, collected over all games."""

from __future__ import annotations

from collections.abc import Iterator

from botequim.botcheck.findings import Finding, Problem, State
from botequim.botcheck.game_checks import Diagnosis, checks_for_wire
from botequim.botcheck.table import BotTurn, CheckBench
from botequim.core.messages import Message, msg, plain


class OutputWarnings:
    """The warnings, each once with its number of occurrences."""

    def __init__(self, bench: CheckBench) -> None:
        self._bench = bench
        self._found: dict[str, Problem] = {}

    def hear(self, answered: BotTurn) -> None:
        for diagnosis, warning in self._odd(answered):
            if diagnosis.key in self._found:
                self._found[diagnosis.key].count += 1
                continue
            question = answered.question.text() if answered.question is not None else ""
            output = b"\n".join([*answered.unasked, *answered.heard]).decode("utf-8", "backslashreplace")
            self._found[diagnosis.key] = Problem(
                diagnosis,
                None,
                question=question,
                answer=output,
                forgiven=warning,
                turn=answered.turn,
                seat=answered.made.by,
            )

    def _odd(self, answered: BotTurn) -> Iterator[tuple[Diagnosis, Message]]:
        checks = checks_for_wire(self._bench.game, self._bench.wire)
        for warning in answered.made.warnings:
            yield checks.diagnose_warning(warning, answered) or _read(warning), warning
        yield from checks.warnings(answered)

    def finding(self) -> Finding:
        found = list(self._found.values())
        if not found:
            return Finding("output", State.OK, msg("writes only what it should"))
        message = msg("writes something that it should not; this does not count as a fault")
        return Finding("output", State.WARNING, message, new=found)


def _read(warning: Message) -> Diagnosis:
    """Return the mistake behind a warning of the wire or of the rules."""
    if "line" in warning.values:
        return Diagnosis(
            "debug-on-stdout",
            msg('It writes lines without being asked: "{line}"', line=plain(warning.values["line"])),
            msg("Write only answers to standard output, and debug output to stderr."),
        )
    if warning.values.get("kind") == "art":
        return Diagnosis("art", warning, msg("Art is a list of up to 60 texts of up to 60 characters."))
    return Diagnosis(
        "warning", warning, msg("It does not count as a fault, but it is probably not intended.")
    )
