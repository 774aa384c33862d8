"""Mistakes that are possible in any game: a bot does not start, does not answer, or crashes."""

from __future__ import annotations

import platform
from collections.abc import Sequence

from botequim.botcheck.diagnosis.answers import object_in
from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.diagnosis.modules import missing_module, undefined_name
from botequim.botcheck.diagnosis.surroundings import diagnose_refusal, last_error, too_many_processes
from botequim.botcheck.game_checks import Diagnosis, checks_for_wire
from botequim.bots.transports.http import PORT
from botequim.bots.transports.lines import NO_END_OF_LINE
from botequim.core.errors import FaultKind
from botequim.core.limits import MB
from botequim.core.messages import Message, msg, plain
from botequim.core.wire import TransportKind

# --- it does not start -------------------------------------------------------------------------------


def diagnose_failed_start(case: Case) -> Diagnosis:
    """Return why the bot did not start."""
    log = case.log
    error = str(case.fault.evidence.get("error", "")) or log
    if (diagnosis := missing_module(case, error) or undefined_name(case, error)) is not None:
        return diagnosis
    if case.fault.kind is FaultKind.LIMIT and (too_much := _too_much(case)) is not None:
        return too_much
    own = checks_for_wire(case.game, case.wire).diagnose_start(case)
    return diagnose_refusal(case, error) or own or _not_listening(case) or _early_exit(case)


def _not_listening(case: Case) -> Diagnosis | None:
    if case.fault.kind is not FaultKind.TIMEOUT:
        return None
    limit = f"{case.limits.start:g}"
    if ports := case.fault.evidence.get("listening"):
        return Diagnosis(
            "wrong-port",
            msg(
                "It listens on port {ports}, but the questions arrive on port {port}.",
                ports=_port_list(ports),
                port=case.fault.evidence.get("port", PORT),
            ),
            msg(
                "Listen on all addresses, on the port that the environment variable PORT gives, or on "
                "port 8000 if PORT is not set."
            ),
        )
    if case.experiments.ready_after is not None:
        return Diagnosis(
            "slow-start",
            msg(
                "It starts too slowly: it was ready after {seconds} s, and the limit is {allowed} s.",
                seconds=f"{case.experiments.ready_after:.1f}",
                allowed=limit,
            ),
            msg("Do less before the first question: load data later, and compile in advance."),
        )
    return Diagnosis(
        "not-listening",
        msg("It runs, but does not listen on any port within {allowed} s.", allowed=limit),
        msg("Start an HTTP server on port 8000 (or on PORT if that is set) before anything else."),
    )


def only_local(ports: Sequence[int]) -> Diagnosis:
    """Return the diagnosis of a server that can be reached only from its own machine."""
    return Diagnosis(
        "loopback-only",
        msg(
            "It listens only on 127.0.0.1 (port {ports}). In a container, questions from outside "
            "cannot reach it.",
            ports=", ".join(map(str, ports)),
        ),
        msg("Listen on all addresses: 0.0.0.0 in place of 127.0.0.1 or localhost."),
    )


def _port_list(ports: object) -> str:
    return ", ".join(map(str, ports)) if isinstance(ports, list) else str(ports)


def _early_exit(case: Case) -> Diagnosis:
    if "Exec format error" in case.log:
        return Diagnosis(
            "not-executable",
            msg("It cannot be executed: its file is neither a program for this machine nor a script."),
            msg(
                "Let a script begin with a line such as #!/usr/bin/env python3. Compile a program for this "
                "kind of machine ({machine}).",
                machine=platform.machine(),
            ),
        )
    return Diagnosis(
        "ends-at-start",
        msg("It exits before the first question: {error}", error=crash_error(case)),
        _hidden_log(case) or _run_by_hand(case),
    )


def _run_by_hand(case: Case) -> Message:
    if case.in_image:
        return msg("Run its image by hand with docker run or podman run: it should wait for questions.")
    return msg("Run its command by hand in its folder: it should wait for questions.")


def _hidden_log(case: Case) -> Message | None:
    """Return a note on where the log of a container is, if it wrote nothing to standard error."""
    if not case.log_file or case.log.strip():
        return None
    return msg(
        "The command of its image writes the log to {file} inside the container, so it is not shown here. "
        "Remove `> {file}` from the command in the Dockerfile to see the error.",
        file=plain(case.log_file),
    )


# --- it does not answer ------------------------------------------------------------------------------


def diagnose_silence(case: Case) -> Diagnosis | None:
    """Return the diagnosis of a missing or empty answer, in any game."""
    match case.fault.kind:
        case FaultKind.TIMEOUT:
            return _late(case)
        case FaultKind.CRASH:
            return _crash(case)
        case FaultKind.LIMIT:
            return _too_much(case)
        case FaultKind.MALFORMED if case.wire.transport is TransportKind.HTTP:
            return _status(case)
        case _:
            return None


def _late(case: Case) -> Diagnosis | None:
    if case.fault.reason == NO_END_OF_LINE:
        return Diagnosis(
            "no-newline",
            msg(
                "Its answer does not end with a line break, so it is incomplete: {line}",
                line=plain(_tail(case)),
            ),
            msg('End every line with a line feed: print it with "\\n", then flush.'),
        )
    if case.experiments.buffered_output.strip() and not case.raw.strip():
        return Diagnosis(
            "buffered-output",
            msg(
                "Its answer stays in the output buffer; it came only when the input was closed: {line}",
                line=plain(case.experiments.buffered_output.split(b"\n")[0][:80].decode("utf-8", "replace")),
            ),
            msg(
                "Flush after every answer: fflush(stdout) in C, print(..., flush=True) in Python. And read "
                "line by line, not until the end of the input."
            ),
        )
    if case.experiments.one_per_connection:
        return _one_per_connection()
    if case.wire.transport is TransportKind.ONCE and object_in(case.raw) is not None:
        return Diagnosis(
            "does-not-end",
            msg(
                "It prints its answer, but does not exit within {allowed} s. The answer counts only "
                "when the program exits.",
                allowed=f"{case.limits.move:g}",
            ),
            msg(
                "Exit after printing: leave loops, end threads and child processes, and do not wait "
                "for input."
            ),
        )
    return _slow(case)


def _tail(case: Case) -> str:
    """Return the incomplete last line."""
    return str(case.fault.evidence.get("answer", "")).split("\n")[-1][:80]


def _one_per_connection() -> Diagnosis:
    return Diagnosis(
        "one-answer-per-connection",
        msg(
            "It answers only the first question on a connection. The connection stays open for the next ones."
        ),
        msg('Keep reading requests, or send "Connection: close" in the response and close the connection.'),
    )


def _slow(case: Case) -> Diagnosis | None:
    limit = f"{case.limits.move:g}"
    fresh = case.experiments.fresh
    if fresh is not None and fresh.fault is None and not case.fresh_is_legal:
        return Diagnosis(
            "too-slow",
            msg(
                "It is too slow: it answers after {seconds} s, and the limit is {allowed} s.",
                seconds=f"{(fresh.micros or 0) / 1e6:.1f}",
                allowed=limit,
            ),
            msg("Check the clock while searching, and answer with the best move found so far."),
        )
    if case.wire.transport is TransportKind.LINES and case.raw.strip():
        return None  # there is an answer, and the checks of the game diagnose it
    if case.fresh_is_legal:
        return Diagnosis(
            "hangs-at-times",
            msg(
                "It did not answer within {allowed} s, but a new instance answers at once.",
                allowed=limit,
            ),
            msg("Perhaps it waits for something after earlier questions, or its time varies at random."),
        )
    return Diagnosis(
        "no-answer",
        msg("It does not answer, neither within {allowed} s nor later.", allowed=limit),
        _where_silent(case),
    )


def _where_silent(case: Case) -> Message:
    match case.wire.transport:
        case TransportKind.HTTP:
            return msg("Does the handler of POST / send a response on every path? Is there an endless loop?")
        case TransportKind.LINES:
            return msg("Does it wait for a line that never comes, or loop for ever? Its log is below.")
        case TransportKind.ONCE:
            return msg("Does it exit after printing? It gets one question when it starts, and nothing more.")


def _crash(case: Case) -> Diagnosis | None:
    if case.wire.hosted:
        return None
    status = case.fault.evidence.get("exit")
    if case.wire.transport is TransportKind.ONCE and object_in(case.raw) is not None:
        return Diagnosis(
            "exit-code",
            msg(
                "It prints an answer, but exits with code {code}. The answer counts only if the code is 0.",
                code=plain(status),
            ),
            msg("Exit with code 0: an error after printing makes the answer invalid."),
        )
    if case.experiments.one_per_connection and not last_error(case.log):
        return _one_per_connection()
    if (diagnosis := missing_module(case, case.log)) is not None:
        return diagnosis
    if (diagnosis := diagnose_refusal(case, case.log)) is not None:
        return diagnosis
    if case.wire.transport is TransportKind.LINES and status == 0:
        return Diagnosis(
            "ends-early",
            msg("It exits (code 0) before the game is over."),
            msg("Keep reading lines until the input ends: the game goes on after an answer."),
        )
    return Diagnosis(
        "crash",
        msg("It crashes: {error}", error=crash_error(case)),
        _hidden_log(case)
        or msg("Its log is below. When you have fixed it, repeat the same question with `botequim ask`."),
    )


def crash_error(case: Case) -> Message:
    """Return the reason of a fault, with the last error in the log of the bot."""
    error = last_error(case.log)
    if not error:
        return case.fault.reason
    return msg("{reason}: {error}", reason=case.fault.reason, error=plain(error))


def _too_much(case: Case) -> Diagnosis | None:
    limit = case.fault.evidence.get("limit")
    if limit == "memory":
        return Diagnosis(
            "memory",
            msg("It uses more memory than the limit of {most} MB.", most=case.limits.memory // MB),
            msg("Use smaller tables and caches. The memory of all its processes together counts."),
        )
    if limit == "processes":
        return too_many_processes(case)
    if case.raw:
        return Diagnosis(
            "flood",
            msg("It writes more than {most} KB for one answer.", most=case.limits.output // 1024),
            msg("Write only the answer, and debug output to stderr."),
        )
    return None


# --- HTTP --------------------------------------------------------------------------------------------


def _status(case: Case) -> Diagnosis | None:
    status = case.fault.evidence.get("status")
    if encoding := case.fault.reason.values.get("encoding"):
        return Diagnosis(
            "encoded-response",
            msg(
                'Its response is encoded as "{encoding}", which the request did not allow.', encoding=encoding
            ),
            msg("Send plain JSON without Content-Encoding: turn off compression in the server."),
        )
    if not isinstance(status, int):
        return None
    if status == 404:
        return Diagnosis(
            "route",
            msg("It has no answer at the path / (status 404)."),
            msg("The question is a POST to /, not to another path."),
        )
    if status in (405, 501):
        return Diagnosis(
            "method",
            msg("It does not accept POST at / (status {status}).", status=status),
            msg("The question is a POST whose body is JSON, not a GET."),
        )
    if 300 <= status < 400:
        return Diagnosis(
            "redirect",
            msg("It redirects the question (status {status}); redirects are not followed.", status=status),
            msg("Answer POST / itself, without a redirect."),
        )
    if status >= 500 and (diagnosis := diagnose_refusal(case, case.log)) is not None:
        return diagnosis
    if status >= 500:
        return Diagnosis(
            "server-error",
            msg(
                "Its server fails (status {status}): {error}",
                status=status,
                error=plain(last_error(case.log)),
            ),
            msg("The handler raises an error; its log is below."),
        )
    return Diagnosis(
        "status",
        msg("It refuses the question (status {status}).", status=status),
        msg("The question is a POST to / with Content-Type: application/json and a Content-Length."),
    )
