"""A person plays in Chromium while people play at nineteen other tables of the same server.

A real `botequim serve` plays at all tables, with champions at their usual level in the processes of the
server. The other people are plain HTTP clients in one process of their own: each reads its event stream and
moves two to four seconds after it was asked. Chromium runs on the same machine, so its time for drawing
counts too. It also plays alone, half of that time before and half of it after the others.

The latency is the time from the tap, which is the time stamp of the event that the finger is lifted, to the
moment at which the page shows the position that the server sent after the move. The champions' answer takes
from that event to the event that asks the person again.

    python -m benchmarks.browser [--tables 20] [--seconds 40] [--alone 16] [--game fives]
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, sync_playwright

from benchmarks.other_tables import SEATS, OtherTables, open_table
from tests.support.browser import program
from tests.support.processes import Process, children

MEDIAN_MS: Final = 100
LARGEST_KB: Final = 150
LONGEST_PLAY: Final = 60
REACTION_MS: Final = 600
"""The milliseconds after which the person in the browser taps what can be played."""
PATIENCE: Final = 60.0

# Written into the page before its own scripts. The page is not changed: its stream and its requests are
# observed, and the moment is noted at which an event has changed what is shown.
OBSERVER: Final = """
(() => {
  const seen = (window.observed = { moves: [], asked: [], shown: 0, state: {} });
  let tap = null, move = null, arrived = null;
  addEventListener("pointerup", (event) => { tap = event.timeStamp; }, true);
  const fetched = window.fetch;
  window.fetch = (address, ...rest) => {
    if (!new URL(address, location.href).pathname.endsWith("/move")) return fetched(address, ...rest);
    const { game, turn } = seen.state;
    move = { game, turn, tap, sent: performance.now() };
    return fetched(address, ...rest);
  };
  const listen = EventSource.prototype.addEventListener;
  EventSource.prototype.addEventListener = function (kind, listener, ...rest) {
    if (kind !== "table") return listen.call(this, kind, listener, ...rest);
    return listen.call(this, kind, (event) => {
      const { game, turn, phase, mover, you, result } = JSON.parse(event.data);
      const now = event.timeStamp;
      seen.state = { game, turn, phase, mine: you.to_move, over: result !== null };
      if (move && (game > move.game || turn > move.turn)) {
        arrived = { ...move, arrived: now };
        if (!you.to_move && result === null) seen.asked.push({ from: now, to: null });
        move = null;
      }
      const last = seen.asked.at(-1);
      if (last && last.to === null && (you.to_move || result !== null)) last.to = you.to_move ? now : NaN;
      listener.call(this, event);
    }, ...rest);
  };
  new MutationObserver(() => {
    seen.shown += 1;
    if (arrived) seen.moves.push({ ...arrived, shown: performance.now() });
    arrived = null;
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
})();
"""


# --- the server --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunningServer:
    """The server and the address of its pages."""

    process: subprocess.Popen[str]
    port: int

    def seconds(self) -> tuple[float, float]:
        """Return the processor time of the server, and that of the processes in which players think."""
        own = processor_seconds(self.process.pid)
        return own, sum(processor_seconds(child.pid) for child in self.helpers())

    def helpers(self) -> set[Process]:
        return children(self.process.pid)


def processor_seconds(process: int) -> float:
    ticks = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running_server(folder: Path) -> Iterator[RunningServer]:
    command = [
        sys.executable,
        "-m",
        "botequim",
        "serve",
        "--port",
        "0",
        "--tables",
        str(folder),
        "--lang",
        "en",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=sys.stderr, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r":(\d+)/", line)
        if found is None:
            raise SystemExit(f"the server did not start: {line}")
        yield RunningServer(process, int(found[1]))
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)


# --- the browser -------------------------------------------------------------------------------------------


@dataclass
class Figures:
    """What was measured while the browser played, in milliseconds."""

    latencies: list[float] = field(default_factory=list)
    before: list[float] = field(default_factory=list)
    """From the tap to the request."""
    server: list[float] = field(default_factory=list)
    """From the request to the event."""
    after: list[float] = field(default_factory=list)
    """From the event to the page that shows it."""
    answers: list[float] = field(default_factory=list)
    seconds: float = 0.0
    server_seconds: float = 0.0
    thinking_seconds: float = 0.0

    def __add__(self, other: Figures) -> Figures:
        return Figures(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


class BrowserTable:
    """A person who plays in Chromium."""

    def __init__(self, page: Page, port: int, game: str) -> None:
        self._page: Final = page
        self._port: Final = port
        self._game: Final = game
        self.loaded = 0
        """The bytes that the first visit transferred."""

    def sit_down(self) -> None:
        """Open a table, and count the bytes until it is shown."""
        address = f"http://127.0.0.1:{self._port}{open_table(self._port, self._game)}"
        control = self._page.context.new_cdp_session(self._page)
        control.send("Network.enable")
        control.send("Network.setCacheDisabled", {"cacheDisabled": True})
        whole: dict[str, int] = {}
        parts: dict[str, int] = {}

        def count(sizes: dict[str, int], event: dict[str, Any], size: int, *, adds: bool) -> None:
            name = event["requestId"]
            sizes[name] = max(0, size) + (sizes.get(name, 0) if adds else 0)

        control.on(
            "Network.responseReceived",
            lambda one: count(parts, one, int(one["response"]["encodedDataLength"]), adds=True),
        )
        control.on(
            "Network.dataReceived", lambda one: count(parts, one, int(one["encodedDataLength"]), adds=True)
        )
        control.on(
            "Network.loadingFinished",
            lambda one: count(whole, one, int(one["encodedDataLength"]), adds=False),
        )
        self._page.goto(address)
        self._wait_for("observed.state.turn !== undefined && document.querySelector('#stage svg') !== null")
        self._page.wait_for_timeout(1000)
        control.detach()
        self.loaded = sum({**parts, **whole}.values())  # the stream of events is never whole

    def play(self, seconds: float) -> None:
        """Make moves for so long."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            if self._place_to_tap() is None:
                self._page.wait_for_timeout(30)
                continue
            self._page.wait_for_timeout(REACTION_MS)
            if (place := self._place_to_tap()) is not None:
                self._page.touchscreen.tap(*place)

    def _place_to_tap(self) -> Any:
        """Return a place on the screen where something can be played, or None."""
        return self._page.evaluate(
            """() => {
              if (observed.state.over) {
                const next = document.querySelector("#result button");
                if (observed.state.phase === "playing" && next) next.click();
                return null;
              }
              if (!observed.state.mine || document.body.dataset.state !== "mine") return null;
              const find = (what) => document.querySelector(what);
              const one = find("#doing .place") ?? find("#tray .piece.can") ?? find("#doing .act-button");
              if (one === null) return null;
              const { left, top, width, height } = one.getBoundingClientRect();
              return [left + width / 2, top + height / 2];
            }"""
        )

    def take_figures(self) -> Figures:
        """Return what was observed since the last time."""
        seen = self._page.evaluate(
            """() => {
              const { moves, asked } = observed;
              Object.assign(observed, { moves: [], asked: asked.filter((one) => one.to === null) });
              const answers = asked.filter((one) => one.to > one.from).map((one) => one.to - one.from);
              return { moves, answers };
            }"""
        )
        moves = seen["moves"]
        return Figures(
            latencies=[one["shown"] - one["tap"] for one in moves],
            before=[one["sent"] - one["tap"] for one in moves],
            server=[one["arrived"] - one["sent"] for one in moves],
            after=[one["shown"] - one["arrived"] for one in moves],
            answers=seen["answers"],
        )

    def _wait_for(self, true: str) -> None:
        ends = time.monotonic() + PATIENCE
        while not self._page.evaluate(true):
            if time.monotonic() > ends:
                raise SystemExit(f"the page never shows: {true}")
            self._page.wait_for_timeout(50)


def measured(table: BrowserTable, server: RunningServer, seconds: float) -> Figures:
    """Play for so long, and return what was measured."""
    table.take_figures()
    own, thinking = server.seconds()
    began = time.monotonic()
    table.play(seconds)
    figures = table.take_figures()
    figures.seconds = time.monotonic() - began
    after = server.seconds()
    figures.server_seconds, figures.thinking_seconds = after[0] - own, after[1] - thinking
    return figures


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=40, help="how long all tables are played")
    parser.add_argument(
        "--alone", type=float, default=16, help="how long only the browser plays, before and after"
    )
    parser.add_argument("--game", choices=SEATS, default="fives", help="what the browser plays")
    asked = parser.parse_args(words)
    if asked.seconds + asked.alone > LONGEST_PLAY:
        parser.error(f"at most {LONGEST_PLAY} seconds")
    print(f"processes that wanted a processor before: {os.getloadavg()[0]:.1f}, processors: {os.cpu_count()}")
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with (
        tempfile.TemporaryDirectory(prefix="tables-") as folder,
        running_server(Path(folder) / "tables") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=program(), args=arguments)
        context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 900}, has_touch=True)
        page = context.new_page()
        page.add_init_script(OBSERVER)
        table = BrowserTable(page, server.port, asked.game)
        table.sit_down()
        alone = measured(table, server, asked.alone / 2)
        others = OtherTables(server.port, asked.tables - 1)
        try:
            others.wait_for_all(asked.tables - 1)
            before = others.ask()
            together = measured(table, server, asked.seconds)
            after = others.ask("end")
        finally:
            others.close()
        alone += measured(table, server, asked.alone / 2)
        browser.close()
    return print_figures(table.loaded, alone, together, before, after)


def print_figures(
    loaded: int, alone: Figures, together: Figures, before: Mapping[str, Any], after: Mapping[str, Any]
) -> int:
    """Print the table, and return 1 if a target is missed."""
    if not alone.latencies or not together.latencies:
        raise SystemExit("the browser made no move")
    print(f"{'':34} {'one table':>16} {'all tables':>16}")
    rows = [
        ("moves in the browser", [str(len(one.latencies)) for one in (alone, together)]),
        ("from tap to table, ms", [spread(one.latencies) for one in (alone, together)]),
        ("  from tap to request", [spread(one.before) for one in (alone, together)]),
        ("  from request to event", [spread(one.server) for one in (alone, together)]),
        ("  from event to table", [spread(one.after) for one in (alone, together)]),
        ("champions' answer, ms", [spread(one.answers) for one in (alone, together)]),
        ("server, processors used", [f"{one.server_seconds / one.seconds:.2f}" for one in (alone, together)]),
        (
            "thinking, processors used",
            [f"{one.thinking_seconds / one.seconds:.2f}" for one in (alone, together)],
        ),
    ]
    for name, (first, second) in rows:
        print(f"{name:34} {first:>16} {second:>16}")
    seconds = together.seconds
    turns, moves = after["turns"] - before["turns"], after["moves"] - before["moves"]
    print(f"the other tables: {turns / seconds:.1f} turns/s, {moves / seconds:.1f} of them by people")
    latencies, answers = ([1000 * one for one in after[name]] for name in ("latencies", "answers"))
    print(f"there, in plain clients: from request to event {spread(latencies)} ms, ", end="")
    print(f"champions' answer {spread(answers)} ms (each: median, 95 %)")
    median, usual = statistics.median(together.latencies), statistics.median(alone.latencies)
    print(f"latency with all tables: {median / usual:.2f} times the latency with one")
    print(f"median {median:.0f} ms (< {MEDIAN_MS}); first load {loaded / 1000:.1f} kB (<= {LARGEST_KB})")
    return 0 if median < MEDIAN_MS and loaded <= LARGEST_KB * 1000 else 1


def spread(values: Sequence[float]) -> str:
    """Return the median and the 95th percentile."""
    if not values:
        return "-"
    ordered = sorted(values)
    return f"{statistics.median(ordered):.0f}, {ordered[int(0.95 * (len(ordered) - 1))]:.0f}"


if __name__ == "__main__":
    sys.exit(main())
