"""Run the tests again and again beside busy loops, and log every result.

    scripts/stress suite --times 3 --loops 6                       what `make test` runs
    scripts/stress processes --times 20 --tests 200 --loops 6      the tests that start the most processes
    scripts/stress count                                           count the processes that each test starts

Each run is a line of JSON in build/stress/log.jsonl. Started again on the same commit, with the same load and
the same selection, it does the runs that are missing.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "build" / "stress"
PYTEST: Final = (sys.executable, "-m", "pytest")
BUSY: Final = """
import ctypes
ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG: never outlive whoever started this
while True:
    pass
"""


def main() -> int:
    """Do what the command line says and return the exit status: 0 if every run passed."""
    own = sys.argv[1:]
    at = own.index("--") if "--" in own else len(own)
    options = _parser().parse_args(own[:at])
    options.words = own[at + 1 :]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.what == "count":
        count_processes(options.folder)
        return 0
    tests = select_tests(options.folder, options.tests) if options.what == "processes" else []
    return run_missing(options, tests)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "scripts/stress", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("suite", "processes", "count"))
    parser.add_argument("--times", type=int, default=3, help="how many runs the log is to have (3)")
    parser.add_argument("--loops", type=int, default=6, help="how many busy loops run beside (6)")
    parser.add_argument("--tests", type=int, default=200, help="how many tests `processes` selects (200)")
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help="of the log and the counts (build/stress)"
    )
    parser.epilog = "What follows after -- goes to pytest."
    return parser


def run_missing(options: argparse.Namespace, tests: list[str]) -> int:
    """Do the runs that the log does not have yet."""
    log = options.folder / "log.jsonl"
    wanted = {
        "what": options.what,
        "commit": _commit(),
        "loops": options.loops,
        "selection": _selection(options, tests),
    }
    past = [run for run in read_log(log) if wanted.items() <= run.items()]
    if past:
        print(f"{len(past)} of {options.times} runs are in {log}", flush=True)
    failed = sum(not run["passed_all"] for run in past)
    with busy_loops(options.loops):
        for number in range(len(past) + 1, options.times + 1):
            result = wanted | {"number": number} | run_tests(options.folder, [*options.words, *tests])
            with log.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(result, ensure_ascii=False) + "\n")
            failed += not result["passed_all"]
            said = "passed" if result["passed_all"] else "FAILED"
            print(f"run {number} of {options.times}: {said}, {result['passed']} tests, {result['seconds']} s")
            print(*result["failed"], sep="\n", end="\n" if result["failed"] else "", flush=True)
    return 1 if failed else 0


def run_tests(folder: Path, words: list[str]) -> dict[str, Any]:
    """Run pytest once as `make test` does, and return what came of it."""
    report, chosen = folder / "report.xml", folder / "arguments.txt"
    report.unlink(missing_ok=True)
    chosen.write_text("\n".join(words), encoding="utf-8")
    command = [*PYTEST, "-n", "auto", "-q", f"--junitxml={report}"]
    began = time.time()
    process = subprocess.Popen([*command, *([f"@{chosen}"] if words else [])], cwd=ROOT)
    try:
        status = process.wait()
    except BaseException:
        process.terminate()  # it ends what its tests have started
        process.wait()
        raise
    cases = list(ElementTree.parse(report).iter("testcase")) if report.exists() else []
    bad = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    return {
        "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
        "seconds": round(time.time() - began),
        "load": round(os.getloadavg()[0], 1),
        "processors": len(os.sched_getaffinity(0)),
        "status": status,
        "passed_all": status == 0,
        "passed": len(cases) - len(bad),
        "failed": sorted({f"{case.get('classname')}::{case.get('name')}" for case in bad}),
    }


@contextlib.contextmanager
def busy_loops(number: int) -> Iterator[None]:
    """Keep this many processes at full speed, at niceness 0."""
    loops = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(number)]
    try:
        for loop in loops:
            with contextlib.suppress(PermissionError):
                os.setpriority(os.PRIO_PROCESS, loop.pid, 0)
        yield
    finally:
        for loop in loops:
            loop.kill()
        for loop in loops:
            loop.wait()


def count_processes(folder: Path) -> None:
    """Run every test of `make test` alone, and write how many processes and threads were started meanwhile.

    The machine's own counter is read, so nothing else should run.
    """
    counts = folder / "processes.tsv"
    partial = folder / "processes.partial"
    partial.unlink(missing_ok=True)
    subprocess.run([*PYTEST, "-n0", "-q", f"--count-processes={partial}"], cwd=ROOT, check=False)
    partial.replace(counts)
    print(f"the counts are in {counts}")


def select_tests(folder: Path, number: int) -> list[str]:
    """Return the tests that start the most processes, by the counts; count first if nobody has."""
    counts = folder / "processes.tsv"
    if not counts.exists():
        print(
            "counting the processes of each test first; this takes a whole run, one test at a time",
            flush=True,
        )
        count_processes(folder)
    rows = [line.split("\t", 1) for line in counts.read_text(encoding="utf-8").splitlines()]
    rows.sort(key=lambda row: (-int(row[0]), row[1]))
    return [test for _, test in rows[:number]]


def read_log(log: Path) -> list[dict[str, Any]]:
    """Return the results so far."""
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []


def _selection(options: argparse.Namespace, tests: list[str]) -> str:
    if not tests:
        return " ".join(options.words) or "all tests of make test"
    digest = hashlib.sha256("\n".join([*options.words, *tests]).encode()).hexdigest()[:12]
    return f"the {len(tests)} tests that start the most processes, {digest}"


def _commit() -> str:
    """Return the commit, with a sign if files differ from it."""
    words = ["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
