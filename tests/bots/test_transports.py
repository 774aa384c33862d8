"""Transports: an answer in time, or a fault that says what was wrong, whatever the bot does."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from botequim.bots.transports import Transport
from botequim.bots.transports.http import Http
from botequim.bots.transports.lines import Lines
from botequim.bots.transports.once import Once
from botequim.bots.transports.process import BotProcess, Stopwatch
from botequim.core import clock
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.limits import MB, Limits
from botequim.core.messages import msg
from botequim.core.process import Process
from botequim.core.turn import Reply
from botequim.core.wire import Desynchronised, Question
from botequim.testing import ManualClock
from tests.support.bots import script, shell, starts, starts_once
from tests.support.pace import PATIENCE

PATIENT = Limits(move=60.0, start=60.0)
HASTY = Limits(move=0.5, start=0.5)
"""For bots that never answer: the limits run out in real time."""
HERE = "open('here', 'w').close()"
"""How a bot shows, in its folder, that it has come so far."""


def first(answer: Sequence[bytes]) -> Reply:
    return Reply(answer[0].decode("utf-8"))


def third(answer: Sequence[bytes]) -> Reply | None:
    return Reply(b" ".join(answer).decode()) if len(answer) == 3 else None


def with_bot(transport: Transport, talk: Callable[[Transport], Awaitable[Any]]) -> Any:
    """Start, talk, close, and give what the talk gives."""

    async def session() -> Any:
        try:
            await transport.start()
            return await talk(transport)
        finally:
            await transport.close()

    return asyncio.run(session())


def ask(body: str = "?\n", read: Any = first, **parts: Any) -> Callable[[Transport], Awaitable[Reply]]:
    return lambda bot: bot.exchange(Question(body.encode(), **parts), read)


def with_manual_clock(
    folder: Path, transport: Transport, talk: Callable[[Transport], Awaitable[Any]], *seconds: float
) -> Any:
    """The same, with a clock that is advanced by these seconds when the bot has shown that it is here.

    Then the bot may go on: it sees that by its file, which is gone.
    """

    async def session(manual: ManualClock) -> Any:
        async def start_and_talk() -> Any:
            await transport.start()
            return await talk(transport)

        running = asyncio.ensure_future(start_and_talk())
        try:
            async with asyncio.timeout(PATIENCE):
                while not (folder / "here").exists() and not running.done():
                    await asyncio.sleep(0.005)
            for step in seconds:
                manual.advance(step)
                await asyncio.sleep(0.02)
            (folder / "here").unlink(missing_ok=True)
            return await running
        finally:
            running.cancel()
            await transport.close()

    with clock.use_clock(ManualClock()) as manual:
        return asyncio.run(session(manual))


def late(
    folder: Path, transport: Transport, talk: Callable[[Transport], Awaitable[Any]], *seconds: float
) -> PlayerFault:
    """The fault of a bot for which so much time passes."""
    with pytest.raises(PlayerFault) as caught:
        with_manual_clock(folder, transport, talk, *seconds)
    assert caught.value.fault.kind is FaultKind.TIMEOUT
    return caught.value


def fault(transport: Transport, talk: Callable[[Transport], Awaitable[Any]]) -> PlayerFault:
    with pytest.raises(PlayerFault) as caught:
        with_bot(transport, talk)
    return caught.value


# --- lines -----------------------------------------------------------------------------------------


def lines(folder: Path, source: str, limits: Limits = PATIENT, **more: Any) -> Lines:
    return Lines(starts(script(folder, source), limits), limits, **more)


def test_a_line_is_answered_by_a_line(tmp_path: Path) -> None:
    bot = lines(tmp_path, "while True: print(input().upper())")

    async def talk(bot: Transport) -> list[str]:
        return [(await bot.exchange(Question(f"hello {n}\n".encode()), first)).move for n in range(3)]

    assert with_bot(bot, talk) == ["HELLO 0", "HELLO 1", "HELLO 2"]


def test_the_time_it_took_is_told(tmp_path: Path) -> None:
    bot = lines(tmp_path, f"import os, time; input(); {HERE}\nwhile os.path.exists('here'): pass\nprint(1)")
    assert with_manual_clock(tmp_path, bot, ask(), 1.25).micros == 1_250_000


def test_an_answer_may_be_several_lines(tmp_path: Path) -> None:
    assert with_bot(lines(tmp_path, "input(); print('a\\nb'); print('c')"), ask(read=third)).move == "a b c"


def test_a_program_that_ends_with_its_answer_need_not_end_the_line(tmp_path: Path) -> None:
    assert with_bot(lines(tmp_path, "input(); print('done', end='')"), ask()).move == "done"


def test_questions_larger_than_a_pipe_are_sent_whole(tmp_path: Path) -> None:
    bot = lines(tmp_path, "import time; time.sleep(0.2); print(len(input()))")
    assert with_bot(bot, ask("x" * 300_000 + "\n")).move == "300000"


def test_no_answer_in_time(tmp_path: Path) -> None:
    bot = lines(tmp_path, f"import sys, time; print('hm', file=sys.stderr); input(); {HERE}; time.sleep(300)")
    failure = late(tmp_path, bot, ask("what now\n"), 59.5, 0.5)
    evidence = failure.fault.evidence
    assert evidence["question"] == "what now"
    assert evidence["stderr"] == "hm\n"
    assert (evidence["seconds"], evidence["allowed"]) == (60.0, 60.0)
    assert failure.micros == 60_000_000
    assert not bot.usable


def test_a_limit_runs_out_in_real_time(tmp_path: Path) -> None:
    failure = fault(lines(tmp_path, "import time; time.sleep(300)", HASTY), ask())
    assert failure.fault.kind is FaultKind.TIMEOUT
    assert failure.fault.evidence["seconds"] >= 0.5


def test_an_answer_without_an_end_of_line_is_said_to_be_one(tmp_path: Path) -> None:
    source = f"import os, time; input(); os.write(1, b'half'); {HERE}; time.sleep(300)"
    failure = late(tmp_path, lines(tmp_path, source), ask(), 60)
    assert failure.fault.reason == msg("the answer has no end of line")
    assert failure.fault.evidence["answer"] == "half"


def test_a_crash_tells_the_log_and_the_exit_code(tmp_path: Path) -> None:
    failure = fault(lines(tmp_path, "import sys; input(); sys.exit('I give up')"), ask())
    assert failure.fault.kind is FaultKind.CRASH
    assert failure.fault.evidence["exit"] == 1
    assert "I give up" in failure.fault.evidence["stderr"]
    assert "exit code 1" in str(failure.fault.reason)


def test_a_death_by_signal_is_told(tmp_path: Path) -> None:
    failure = fault(lines(tmp_path, "import os; input(); os.kill(os.getpid(), 9)"), ask())
    assert failure.fault.kind is FaultKind.CRASH
    assert failure.fault.evidence["exit"] == -9


def test_a_bot_that_closes_its_output_has_crashed(tmp_path: Path) -> None:
    source = "import os, time; input(); os.close(1); time.sleep(60)"
    failure = fault(lines(tmp_path, source), ask())
    assert failure.fault.kind is FaultKind.CRASH
    assert failure.fault.reason == msg("the player closed its output")


def test_a_flood_is_a_limit(tmp_path: Path) -> None:
    failure = fault(lines(tmp_path, "while True: print('x' * 1000, end='')"), ask(read=third))
    assert failure.fault.kind is FaultKind.LIMIT
    assert len(failure.fault.evidence["answer"]) < 10_000


def test_a_flood_of_lines_is_one_too(tmp_path: Path) -> None:
    failure = fault(lines(tmp_path, "while True: print('SAY hello')"), ask(read=lambda answer: None))
    assert failure.fault.kind is FaultKind.LIMIT


def test_a_flooded_log_does_not_stop_the_bot_and_its_end_is_kept(tmp_path: Path) -> None:
    source = (
        "import sys\nfor n in range(300000): print(n, file=sys.stderr)\ninput(); print('ok'); input(); 1/0"
    )

    async def talk(bot: Transport) -> None:
        assert (await bot.exchange(Question(b"?\n"), first)).move == "ok"
        await bot.exchange(Question(b"?\n"), first)

    failure = fault(lines(tmp_path, source), talk)
    assert "ZeroDivisionError" in failure.fault.evidence["stderr"]
    assert len(failure.fault.evidence["stderr"]) <= 4000


def test_what_came_before_the_question_is_no_answer_to_it(tmp_path: Path) -> None:
    source = (
        "import os; say = lambda text: os.write(1, text); say(b'early\\n'); input(); say(b'one\\nlate\\n');"
    )
    source += "input(); say(b'two\\n')"  # print would write the end of a line by itself

    async def said(bot: Transport) -> Sequence[bytes]:
        while not (words := bot.take_unsolicited()):
            await asyncio.sleep(0.01)
        return words

    async def talk(bot: Transport) -> list[Any]:
        heard: list[Any] = [await said(bot)]
        heard.append((await bot.exchange(Question(b"?\n"), first)).move)
        heard.append(await said(bot))
        heard.append((await bot.exchange(Question(b"?\n"), first)).move)
        return heard

    assert with_bot(lines(tmp_path, source), talk) == [[b"early"], "one", [b"late"], "two"]


def test_a_fault_in_an_answer_has_the_evidence_and_leaves_the_bot_usable(tmp_path: Path) -> None:
    def refuse(answer: Sequence[bytes]) -> Reply:
        raise PlayerFault(FaultKind.MALFORMED, msg("no such card"), card="7x")

    async def talk(bot: Transport) -> str:
        with pytest.raises(PlayerFault) as caught:
            await bot.exchange(Question(b"one\n"), refuse)
        assert caught.value.fault.reason == msg("no such card")
        evidence = caught.value.fault.evidence
        assert (evidence["question"], evidence["answer"], evidence["card"]) == ("one", "ONE", "7x")
        assert bot.usable
        return str((await bot.exchange(Question(b"two\n"), first)).move)

    assert with_bot(lines(tmp_path, "while True: print(input().upper())"), talk) == "TWO"


def test_an_answer_after_which_nothing_is_certain_ends_the_instance(tmp_path: Path) -> None:
    def refuse(answer: Sequence[bytes]) -> Reply:
        raise Desynchronised(FaultKind.MALFORMED)

    bot = lines(tmp_path, "while True: print(input())")
    assert fault(bot, ask(read=refuse)).fault.kind is FaultKind.MALFORMED
    assert not bot.usable


def test_a_bot_that_greets_is_ready_when_it_has(tmp_path: Path) -> None:
    greeted = lines(
        tmp_path,
        f"import os; {HERE}\nwhile os.path.exists('here'): pass\nprint('I am Ana'); print(input())",
        replace(PATIENT, start=100.0),
        greeting=lambda line: {"name": line.decode()[5:]},
    )
    reply = with_manual_clock(tmp_path, greeted, ask("x\n"), 99)
    assert (reply.move, reply.micros) == ("x", 0), "the time until it greets is not of the move"
    assert greeted.greeting == {"name": "Ana"}
    silent = lines(tmp_path, "import time; time.sleep(300)", HASTY, greeting=lambda line: {})
    assert fault(silent, ask()).fault.kind is FaultKind.TIMEOUT


# --- once ------------------------------------------------------------------------------------------


def once(program: Any, limits: Limits = PATIENT) -> Once:
    return Once(starts_once(program, limits), limits)


def test_a_program_for_each_question(tmp_path: Path) -> None:
    source = "import os, sys; print(sys.argv[1], os.environ['PLAYER_NUMBER'], os.getpid())"
    bot = once(script(tmp_path, source))

    async def talk(bot: Transport) -> list[str]:
        question = Question(b"", ("rp2;sp1",), {"PLAYER_NUMBER": "2"})
        return [str((await bot.exchange(question, first)).move).strip() for _ in range(2)]

    one, other = with_bot(bot, talk)
    assert one.startswith("rp2;sp1 2 ")
    assert one != other, "another process"


def test_an_empty_argument_is_an_argument(tmp_path: Path) -> None:
    bot = once(script(tmp_path, "import sys; print(sys.argv[1:])"))
    assert with_bot(bot, ask("", arguments=("",))).move == "['']\n"


def test_a_question_on_standard_input_ends(tmp_path: Path) -> None:
    bot = once(script(tmp_path, "import sys; print(len(sys.stdin.read()))"))
    assert with_bot(bot, ask("x" * 300_000)).move == "300000\n"


def test_a_program_that_does_not_read_its_question_can_answer(tmp_path: Path) -> None:
    assert with_bot(once(shell(tmp_path, "echo ok")), ask("x" * 300_000)).move == "ok\n"


def test_an_exit_code_is_a_crash_whatever_was_printed(tmp_path: Path) -> None:
    failure = fault(once(shell(tmp_path, 'echo \'{"move": "ROCK"}\'; echo oh >&2; exit 3')), ask(""))
    assert failure.fault.kind is FaultKind.CRASH
    assert failure.fault.evidence["exit"] == 3
    assert "ROCK" in failure.fault.evidence["answer"]
    assert failure.fault.evidence["stderr"] == "oh\n"


def test_a_program_that_does_not_end_is_ended(tmp_path: Path) -> None:
    failure = late(tmp_path, once(shell(tmp_path, "echo hm; touch here; sleep 300")), ask(""), 60)
    assert failure.fault.evidence["answer"] == "hm\n"
    assert failure.fault.evidence["seconds"] == 60.0
    failure = fault(once(shell(tmp_path, "sleep 300"), HASTY), ask(""))
    assert failure.fault.kind is FaultKind.TIMEOUT


def test_a_child_that_is_left_behind_is_not_waited_for(tmp_path: Path) -> None:
    assert with_bot(once(shell(tmp_path, "sleep 60 & echo ok")), ask("")).move == "ok\n"


def test_the_output_of_a_program_is_limited(tmp_path: Path) -> None:
    failure = fault(once(shell(tmp_path, "yes")), ask(""))
    assert failure.fault.kind is FaultKind.LIMIT


def test_two_programs_run_at_the_same_time(tmp_path: Path) -> None:
    # each waits for a file that the other makes: one after the other would never end
    program = shell(tmp_path, 'touch $0; until [ -e "$1" ]; do sleep 0.01; done; echo met')

    async def both() -> list[str]:
        questions = [Question(b"", names) for names in (("a", "b"), ("b", "a"))]
        bots = [once(program) for _ in questions]
        replies = await asyncio.gather(
            *[bot.exchange(question, first) for bot, question in zip(bots, questions, strict=True)]
        )
        return [reply.move for reply in replies]

    assert asyncio.run(both()) == ["met\n", "met\n"]


# --- HTTP ------------------------------------------------------------------------------------------

SERVER = """
import os, socket, sys, threading, time
listener = socket.create_server(("127.0.0.1", int(os.environ["PORT"])))
def request(line):
    data = b""
    while b"\\r\\n\\r\\n" not in data:
        chunk = line.recv(65536)
        if not chunk:
            return None
        data += chunk
    head, _, body = data.partition(b"\\r\\n\\r\\n")
    length = int(head.lower().partition(b"content-length:")[2].split()[0])
    while len(body) < length:
        body += line.recv(65536)
    return body
def raw(status, *headers, version="1.1"):
    return "\\r\\n".join([f"HTTP/{version} {status}", *headers, "", ""]).encode()
def ok(body, *headers):
    return raw("200 OK", f"Content-Length: {len(body)}", *headers) + body.encode()
while True:
    line, _ = listener.accept()
    with line:
        while (body := request(line)) is not None:
            TALK
"""


def server(folder: Path, talk: str, limits: Limits = PATIENT) -> Http:
    talk = talk.replace("\n", "\n            ")
    program = script(folder, SERVER.replace("TALK", talk))
    return Http(limits, launch=starts(program, limits, port=True))


def test_questions_over_one_connection(tmp_path: Path) -> None:
    bot = server(tmp_path, "line.sendall(ok(body.decode().upper() + str(id(line))))")

    async def talk(bot: Transport) -> list[str]:
        return [(await bot.exchange(Question(f"q{n} ".encode()), first)).move for n in range(3)]

    answers = with_bot(bot, talk)
    assert [answer.split()[0] for answer in answers] == ["Q0", "Q1", "Q2"]
    assert len({answer.split()[1] for answer in answers}) == 1


@pytest.mark.parametrize(
    "talk",
    [
        "line.sendall(raw('200 OK', 'Transfer-Encoding: chunked'))\n"
        "line.sendall(b'2\\r\\nhe\\r\\n3\\r\\nllo\\r\\n0\\r\\n\\r\\n')",
        "line.sendall(raw('200 OK', version='1.0') + b'hello'); break",
        "line.sendall(raw('201 Created', 'Connection: close', 'Content-Length: 5') + b'hello'); break",
        "line.sendall(raw('100 Continue') + ok('hello'))",
        "for sign in ok('hello'): line.sendall(bytes([sign])); time.sleep(0.001)",
    ],
    ids=["chunked", "until closed", "closes", "continue", "drips"],
)
def test_every_proper_response_is_read(talk: str, tmp_path: Path) -> None:
    async def twice(bot: Transport) -> list[str]:
        return [(await bot.exchange(Question(b"?"), first)).move for _ in range(2)]

    assert with_bot(server(tmp_path, talk), twice) == ["hello", "hello"]


def test_a_connection_that_was_closed_meanwhile_is_made_anew(tmp_path: Path) -> None:
    bot = server(tmp_path, "line.sendall(ok('hello')); line.shutdown(2); break")

    async def twice(bot: Transport) -> list[str]:
        answers = []
        for _ in range(3):
            answers.append((await bot.exchange(Question(b"?"), first)).move)
            await asyncio.sleep(0.1)
        return answers

    assert with_bot(bot, twice) == ["hello"] * 3


@pytest.mark.parametrize(
    ("talk", "kind", "reason"),
    [
        ("line.sendall(raw('500 Oh', 'Content-Length: 4') + b'boom')", "malformed", "status 500"),
        ("line.sendall(raw('302 Go', 'Location: /', 'Content-Length: 0'))", "malformed", "status 302"),
        ("line.sendall(ok('x', 'Content-Encoding: gzip'))", "malformed", "gzip"),
        ("line.sendall(b'I do not speak that\\r\\n\\r\\n')", "malformed", "not HTTP"),
        ("line.sendall(raw('200 OK', 'Content-Length: -4') + b'boom')", "malformed", "not HTTP"),
        ("line.sendall(raw('200 OK', 'Content-Length: 99') + b'short'); break", "crash", "closed the conn"),
        ("break", "crash", "closed the connection"),
        ("os._exit(7)", "crash", "closed the connection"),
        ("while True: line.sendall(b'x'); time.sleep(0.01)", "malformed", "not HTTP"),
        ("line.sendall(raw('200 OK', 'Transfer-Encoding: chunked'))\n"
         "while True: line.sendall(b'400\\r\\n' + b'x' * 1024 + b'\\r\\n')", "limit", "longer"),
    ],
)  # fmt: skip
def test_every_improper_response_is_a_fault(talk: str, kind: str, reason: str, tmp_path: Path) -> None:
    failure = fault(server(tmp_path, talk), ask("?"))
    assert failure.fault.kind.value == kind
    assert reason in str(failure.fault.reason)
    assert failure.fault.evidence["question"] == "?"


def test_half_a_response_is_late(tmp_path: Path) -> None:
    talk = f"line.sendall(raw('200 OK', 'Content-Length: 99') + b'x'); {HERE}; time.sleep(300)"
    failure = late(tmp_path, server(tmp_path, talk), ask("?"), 60)
    assert "60 s" in str(failure.fault.reason)
    evidence = failure.fault.evidence
    assert (evidence["question"], evidence["seconds"]) == ("?", 60.0)
    assert evidence["answer"].endswith("x")


def test_the_exit_of_a_server_that_died_is_told(tmp_path: Path) -> None:
    assert fault(server(tmp_path, "os._exit(7)"), ask("?")).fault.evidence["exit"] == 7


def test_two_answers_to_one_question_leave_nothing_for_the_next(tmp_path: Path) -> None:
    bot = server(tmp_path, "line.sendall(ok(body.decode()) + ok('stale'))")

    async def twice(bot: Transport) -> list[str]:
        answers = []
        for n in range(3):
            answers.append((await bot.exchange(Question(f"q{n}".encode()), first)).move)
            await asyncio.sleep(0.05)
        return answers

    assert with_bot(bot, twice) == ["q0", "q1", "q2"]


def test_a_late_answer_is_never_taken_for_the_next(tmp_path: Path) -> None:
    bot = server(tmp_path, "time.sleep(300); line.sendall(ok(body.decode()))", replace(PATIENT, move=0.5))
    assert fault(bot, ask("one")).fault.kind is FaultKind.TIMEOUT
    assert not bot.usable


def test_a_server_may_take_its_time_to_start(tmp_path: Path) -> None:
    talk = SERVER.replace("TALK", "line.sendall(ok('hi'))")
    slow = script(tmp_path, f"import os; {HERE}\nwhile os.path.exists('here'): pass\n{talk}")
    limits = replace(PATIENT, start=100.0)
    bot = Http(limits, launch=starts(slow, limits, port=True))
    reply = with_manual_clock(tmp_path, bot, ask("?"), 99)
    assert (reply.move, reply.micros) == ("hi", 0)


def test_a_server_that_ends_or_never_listens(tmp_path: Path) -> None:
    ends = Http(PATIENT, launch=starts(shell(tmp_path, "echo no module >&2; exit 2"), PATIENT, port=True))
    failure = fault(ends, ask())
    assert (failure.fault.kind, failure.fault.evidence["exit"]) == (FaultKind.CRASH, 2)
    assert "no module" in failure.fault.evidence["stderr"]
    sleeps = Http(HASTY, launch=starts(shell(tmp_path, "sleep 300"), HASTY, port=True))
    failure = fault(sleeps, ask())
    assert failure.fault.kind is FaultKind.TIMEOUT
    assert "does not listen on port" in str(failure.fault.reason)


def test_an_address_where_nothing_is() -> None:
    failure = fault(Http(replace(PATIENT, start=0.5), url="http://127.0.0.1:1/"), ask())
    assert "nothing answers at 127.0.0.1:1" in str(failure.fault.reason)


def test_a_large_question_over_http(tmp_path: Path) -> None:
    bot = server(tmp_path, "line.sendall(ok(str(len(body))))")
    assert with_bot(bot, ask("x" * (2 * MB))).move == str(2 * MB)


# --- whose delay it was ------------------------------------------------------------------------------

BUSY = "import time\nend = time.monotonic() + 60\nwhile time.monotonic() < end: pass"


class ScheduledProcess:
    """A process of which only the schedule is known: first this, then that."""

    def __init__(self, *schedules: Mapping[int, tuple[int, int]]) -> None:
        self._schedules = list(schedules)

    def schedule(self) -> Mapping[int, tuple[int, int]]:
        return self._schedules.pop(0)


SECOND = 10**9


@pytest.mark.parametrize(
    ("before", "after", "queued"),
    [
        ({}, {}, 0.0),
        ({7: (5 * SECOND, 0)}, {7: (7 * SECOND, 0)}, 0.0),
        ({7: (5 * SECOND, SECOND)}, {7: (6 * SECOND, 2 * SECOND)}, 1.0),
        ({}, {7: (SECOND, SECOND), 8: (SECOND, SECOND)}, 0.0),
        ({7: (0, 0)}, {7: (SECOND // 2, SECOND), 8: (SECOND // 2, SECOND // 2)}, 1.0),
        ({7: (0, 0)}, {7: (0, 9 * SECOND)}, 2.0),
    ],
    ids=["unknown", "alone", "beside another", "beside itself", "beside both", "at most all the time"],
)
def test_waiting_for_others_is_not_waiting_for_oneself(
    before: Mapping[int, tuple[int, int]], after: Mapping[int, tuple[int, int]], queued: float
) -> None:
    instance = object.__new__(BotProcess)
    instance.process = cast(Process, ScheduledProcess(before, after))  # type: ignore[misc]
    with clock.use_clock(ManualClock()) as manual:
        watch = Stopwatch(5.0)
        instance.note_schedule()
        manual.advance(2.0)
        assert instance.scheduling_delay(watch) == queued


def test_a_bot_that_had_no_processor_is_not_the_only_one_late(tmp_path: Path) -> None:
    """Three that want the same processor all the time: each waits for two thirds of it."""
    core = min(os.sched_getaffinity(0))
    program = script(tmp_path, f"import os; os.sched_setaffinity(0, {{{core}}}); input()\n{BUSY}")
    limits = replace(PATIENT, move=1.5)

    async def all_at_once() -> list[PlayerFault]:
        bots = [Lines(starts(program, limits), limits) for _ in range(3)]
        for bot in bots:
            await bot.start()
        try:
            return [
                fault
                for fault in await asyncio.gather(
                    *[bot.exchange(Question(b"?\n"), first) for bot in bots], return_exceptions=True
                )
                if isinstance(fault, PlayerFault)
            ]
        finally:
            for bot in bots:
                await bot.close()

    queued = [fault.fault.evidence["queued"] for fault in asyncio.run(all_at_once())]
    assert len(queued) == 3
    assert all(seconds > 0.2 * 1.5 for seconds in queued)


def test_a_bot_that_waits_for_itself_is_late_alone(tmp_path: Path) -> None:
    core = min(os.sched_getaffinity(0))
    threads = (
        f"import multiprocessing, os, time\nos.sched_setaffinity(0, {{{core}}})\n"
        "def spin():\n    end = time.monotonic() + 60\n    while time.monotonic() < end: pass\n"
        "input()\nfor _ in range(3): multiprocessing.Process(target=spin, daemon=True).start()\nspin()"
    )
    failure = fault(lines(tmp_path, threads, replace(PATIENT, move=1.5)), ask())
    assert failure.fault.kind is FaultKind.TIMEOUT
    assert failure.fault.evidence["queued"] < 1.5
