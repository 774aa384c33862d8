"""Collects warnings about the output of a bot over all games."""

from __future__ import annotations

from collections.abc import Iterator

from botequim.botcheck.findings import Finding, Problem, State
from botequim.botcheck.game_checks import Diagnosis, checks_for_wire
from botequim.botcheck.table import BotTurn, CheckBench
from botequim.core.messages import Message, msg, plain


class OutputWarnings:
    """The warnings, each with its number of occurrences."""

    def __init__(self, bench: CheckBench) -> None:
        self._bench = bench
        self._problems: dict[str, Problem] = {}

    def count_turn(self, bot_turn: BotTurn) -> None:
        for diagnosis, warning in self._warnings(bot_turn):
            if diagnosis.key in self._problems:
                self._problems[diagnosis.key].count += 1
                continue
            question = bot_turn.question.text() if bot_turn.question is not None else ""
            output = b"\n".join([*bot_turn.unsolicited, *bot_turn.codec_input]).decode(
                "utf-8", "backslashreplace"
            )
            self._problems[diagnosis.key] = Problem(
                diagnosis,
                None,
                question=question,
                answer=output,
                forgiven=warning,
                turn=bot_turn.turn,
                seat=bot_turn.played_move.by,
            )

    def _warnings(self, bot_turn: BotTurn) -> Iterator[tuple[Diagnosis, Message]]:
        checks = checks_for_wire(self._bench.game, self._bench.wire)
        for warning in bot_turn.played_move.warnings:
            yield checks.diagnose_warning(warning, bot_turn) or _diagnose_warning(warning), warning
        yield from checks.warnings(bot_turn)

    def finding(self) -> Finding:
        problems = list(self._problems.values())
        if not problems:
            return Finding("output", State.OK, msg("writes only what it should"))
        message = msg("writes something that it should not; this does not count as a fault")
        return Finding("output", State.WARNING, message, new=problems)


def _diagnose_warning(warning: Message) -> Diagnosis:
    """Return the diagnosis of a warning of the wire or of the rules that the game does not recognise."""
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
