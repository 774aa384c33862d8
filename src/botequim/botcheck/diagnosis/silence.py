"""Mistakes of programs, whatever the game: they do not start, do not answer, crash, or are not understood."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.checking.mistakes.answers import object_in
from botequim.checking.mistakes.case import Case, Diagnosis
from botequim.checking.mistakes.modules import missing_module, undefined_name
from botequim.checking.mistakes.surroundings import last_error, refused, too_many_processes
from botequim.core.errors import FaultKind
from botequim.core.limits import MB
from botequim.core.messages import Message, msg, plain
from botequim.core.wire import Carrier
from botequim.transports.http import PORT
from botequim.transports.lines import NO_END_OF_LINE

# --- it does not start -------------------------------------------------------------------------------


def started(case: Case) -> Diagnosis:
    """Why it could not be asked at all."""
    log = case.log
    error = str(case.fault.evidence.get("error", "")) or log
    if (diagnosis := missing_module(case, error) or undefined_name(case, error)) is not None:
        return diagnosis
    if case.fault.kind is FaultKind.LIMIT and (too_much := _too_much(case)) is not None:
        return too_much
    return refused(case, error) or _course(case, error) or _not_listening(case) or _ended(case)


def _course(case: Case, error: str) -> Diagnosis | None:
    """A student's file that cannot be loaded."""
    if not case.wire.hosted:
        return None
    at = str(case.fault.evidence.get("at", ""))
    if case.fault.kind is FaultKind.TIMEOUT:
        return Diagnosis(
            "slow-start",
            msg(
                "It starts too slowly: student_players.py is not loaded within {allowed} s.",
                allowed=f"{case.limits.start:g}",
            ),
            msg("What stands at the top level of the file, and create_pair(), must be done in that time."),
        )
    if "create_pair" in error and "attribute" in error:
        return Diagnosis(
            "no-create-pair",
            msg("student_players.py has no function create_pair()."),
            msg("Define create_pair() at the top level, and let it return the two players."),
        )
    if "create_pair() must return" in error:
        return Diagnosis(
            "create-pair",
            msg("create_pair() does not return two players: {error}", error=plain(error)),
            msg("End it with: return FirstPlayer(ra, name), SecondPlayer(ra, name)"),
        )
    if "SyntaxError" in error or "IndentationError" in error:
        return Diagnosis(
            "syntax",
            msg("student_players.py is not valid Python: {error} ({at})", error=plain(error), at=plain(at)),
            msg("Run it with python3 student_players.py: it shows the line."),
        )
    return Diagnosis(
        "load",
        msg("student_players.py fails while it is loaded: {error} ({at})", error=plain(error), at=plain(at)),
        msg("What stands at the top level of the file, and create_pair(), must work by themselves."),
    )


def _not_listening(case: Case) -> Diagnosis | None:
    if case.fault.kind is not FaultKind.TIMEOUT:
        return None
    allowed = f"{case.limits.start:g}"
    if ports := case.fault.evidence.get("listening"):
        return Diagnosis(
            "wrong-port",
            msg(
                "It listens on port {ports}, but it is asked on port {port}.",
                ports=_listed(ports),
                port=case.fault.evidence.get("port", PORT),
            ),
            msg("Listen on port 8000, on all addresses; if PORT is set in the environment, on that."),
        )
    if case.found.ready_after is not None:
        return Diagnosis(
            "slow-start",
            msg(
                "It starts too slowly: it was ready after {seconds} s, {allowed} s are allowed.",
                seconds=f"{case.found.ready_after:.1f}",
                allowed=allowed,
            ),
            msg("Do less before the first question: load what is needed later, build ahead."),
        )
    return Diagnosis(
        "not-listening",
        msg("It runs, but listens on no port within {allowed} s.", allowed=allowed),
        msg("Start an HTTP server on port 8000 (or on PORT if that is set) before anything else."),
    )


def only_local(ports: Sequence[int]) -> Diagnosis:
    """A server that can be asked from its own machine alone."""
    return Diagnosis(
        "loopback-only",
        msg(
            "It listens on 127.0.0.1 only (port {ports}): in a container nobody outside could ask it.",
            ports=", ".join(map(str, ports)),
        ),
        msg("Listen on all addresses: 0.0.0.0 in place of 127.0.0.1 or localhost."),
    )


def _listed(ports: object) -> str:
    return ", ".join(map(str, ports)) if isinstance(ports, list) else str(ports)


def _ended(case: Case) -> Diagnosis:
    return Diagnosis(
        "ends-at-start",
        msg("It ends before it is asked anything: {error}", error=_error(case)),
        msg("Run its image by hand with docker run or podman run: it should wait for questions.")
        if case.in_image
        else msg("Run its command by hand in its folder: it should wait for questions."),
    )


# --- it does not answer ------------------------------------------------------------------------------


def silent(case: Case) -> Diagnosis | None:
    """No answer, or one that says nothing: what any game's bot can do wrong."""
    match case.fault.kind:
        case FaultKind.TIMEOUT:
            return _late(case)
        case FaultKind.CRASH:
            return _crashed(case)
        case FaultKind.LIMIT:
            return _too_much(case)
        case FaultKind.MALFORMED if case.wire.carrier is Carrier.HTTP:
            return _status(case)
        case _:
            return None


def _late(case: Case) -> Diagnosis | None:
    if case.fault.reason == NO_END_OF_LINE:
        return Diagnosis(
            "no-newline",
            msg("Its answer has no end of line, so it is not complete: {line}", line=plain(_tail(case))),
            msg('End every line with a line feed: print it with "\\n", then flush.'),
        )
    if case.found.flushed.strip() and not case.raw.strip():
        return Diagnosis(
            "buffered-output",
            msg(
                "Its output waits in a buffer: the answer came only when its input was closed: {line}",
                line=plain(case.found.flushed.split(b"\n")[0][:80].decode("utf-8", "replace")),
            ),
            msg(
                "Flush after every answer: fflush(stdout) in C, print(..., flush=True) in Python. And read "
                "line by line, not until the end of the input."
            ),
        )
    if case.found.one_per_connection:
        return _one_per_connection()
    if case.wire.carrier is Carrier.ONCE and object_in(case.raw) is not None:
        return Diagnosis(
            "does-not-end",
            msg(
                "It prints its answer, but does not end within {allowed} s: only then it counts.",
                allowed=f"{case.limits.move:g}",
            ),
            msg("End after printing: leave loops, end threads and child processes, wait for no input."),
        )
    return _slow(case)


def _tail(case: Case) -> str:
    """The line that did not end."""
    return str(case.fault.evidence.get("answer", "")).split("\n")[-1][:80]


def _one_per_connection() -> Diagnosis:
    return Diagnosis(
        "one-answer-per-connection",
        msg("It answers only the first question of a connection; the connection is kept open for the next."),
        msg('Go on reading requests, or say "Connection: close" in the response and close it.'),
    )


def _slow(case: Case) -> Diagnosis | None:
    allowed = f"{case.limits.move:g}"
    fresh = case.found.fresh
    if fresh is not None and fresh.fault is None and not case.fresh_is_legal:
        return Diagnosis(
            "too-slow",
            msg(
                "It is too slow: it answers after {seconds} s, {allowed} s are allowed.",
                seconds=f"{(fresh.micros or 0) / 1e6:.1f}",
                allowed=allowed,
            ),
            msg("Look at the clock while thinking, and answer with the best move so far."),
        )
    if case.wire.carrier is Carrier.LINES and case.raw.strip():
        return None  # it said something: its game knows what
    if case.fresh_is_legal:
        return Diagnosis(
            "hangs-at-times",
            msg(
                "It did not answer within {allowed} s, though a fresh instance answers at once.",
                allowed=allowed,
            ),
            msg("It waits for something after earlier questions, or its time depends on chance."),
        )
    return Diagnosis(
        "no-answer",
        msg("It does not answer within {allowed} s, nor later.", allowed=allowed),
        _where_silent(case),
    )


def _where_silent(case: Case) -> Message:
    match case.wire.carrier:
        case Carrier.HTTP:
            return msg("Does the handler of POST / send a response on every path? Is there an endless loop?")
        case Carrier.LINES:
            return msg("Does it wait for a line that never comes, or loop for ever? Its log is below.")
        case Carrier.ONCE:
            return msg("Does it end after printing? It is given its question at the start, and nothing more.")


def _crashed(case: Case) -> Diagnosis | None:
    if case.wire.hosted:
        return None
    status = case.fault.evidence.get("exit")
    if case.wire.carrier is Carrier.ONCE and object_in(case.raw) is not None:
        return Diagnosis(
            "exit-code",
            msg("It prints an answer, but ends with exit code {code}; only 0 counts.", code=plain(status)),
            msg("End with exit code 0: what fails after printing spoils the answer."),
        )
    if case.found.one_per_connection and not last_error(case.log):
        return _one_per_connection()
    if (diagnosis := missing_module(case, case.log)) is not None:
        return diagnosis
    if (diagnosis := refused(case, case.log)) is not None:
        return diagnosis
    if case.wire.carrier is Carrier.LINES and status == 0:
        return Diagnosis(
            "ends-early",
            msg("It ends (exit code 0) though the game goes on."),
            msg("Go on reading lines until the input ends; one answer is not the end of the game."),
        )
    if case.found.only_without_history:
        return Diagnosis(
            "empty-history",
            msg("It crashes on an empty history, in the first round: {error}", error=_error(case)),
            msg('The only argument is "" then: nothing can be taken out of it.'),
        )
    return Diagnosis(
        "crash",
        msg("It crashes: {error}", error=_error(case)),
        msg("Its log is below; ask it the same question again with `botequim ask` once it is mended."),
    )


def _error(case: Case) -> Message:
    error = last_error(case.log)
    if not error:
        return case.fault.reason
    return msg("{reason}: {error}", reason=case.fault.reason, error=plain(error))


def _too_much(case: Case) -> Diagnosis | None:
    limit = case.fault.evidence.get("limit")
    if limit == "memory":
        return Diagnosis(
            "memory",
            msg("It takes more memory than the {most} MB it may.", most=case.limits.memory // MB),
            msg("Keep less: tables and caches count, and so do all its processes together."),
        )
    if limit == "processes":
        return too_many_processes(case)
    if case.raw:
        return Diagnosis(
            "flood",
            msg("It writes more than {most} KB for one answer.", most=case.limits.output // 1024),
            msg("Write the answer and nothing else; debug output belongs on stderr."),
        )
    return None


# --- HTTP --------------------------------------------------------------------------------------------


def _status(case: Case) -> Diagnosis | None:
    status = case.fault.evidence.get("status")
    if encoding := case.fault.reason.values.get("encoding"):
        return Diagnosis(
            "encoded-response",
            msg('Its response is encoded as "{encoding}", which was not asked for.', encoding=encoding),
            msg("Send the JSON as it is, without Content-Encoding: take the compression out of the server."),
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
            msg("It does not take POST at / (status {status}).", status=status),
            msg("The question is a POST whose body is JSON, not a GET."),
        )
    if 300 <= status < 400:
        return Diagnosis(
            "redirect",
            msg("It sends the question elsewhere (status {status}); that is not followed.", status=status),
            msg("Answer POST / itself, without a redirect."),
        )
    if status >= 500 and (diagnosis := refused(case, case.log)) is not None:
        return diagnosis
    if status >= 500:
        return Diagnosis(
            "server-error",
            msg(
                "Its server fails (status {status}): {error}",
                status=status,
                error=plain(last_error(case.log)),
            ),
            msg("Something in the handler raises an error; its log is below."),
        )
    return Diagnosis(
        "status",
        msg("It refuses the question (status {status}).", status=status),
        msg("The question is a POST to / with Content-Type: application/json and a Content-Length."),
    )
