"""Breaks the package, one small change at a time, and sees whether the tests notice: `make mutations`.

    python scripts/mutate.py --before HOME [--after HOME] [--packages cup,web] [--count 20] [--seconds 3600]

HOME is what `scripts/measure_coverage.py --home HOME` has made: a copy of a checkout, and which tests run
which lines. A seed chooses the same mutations each time, `--count` for each package, among the lines that a
test of the checkout before runs and that the checkout after still has. Each is tried against the tests after
that run its line, the fastest first, until one fails. Survivors are tried against the tests before, too: what
survives after and not before is a regression of the tests. Without `--after` only the tests before are tried.

Results are JSON lines in `--results`, one for each mutation and suite; what stands there is not tried again.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.measure_coverage import ROOT, outcomes, package_of, test_name, test_of
from scripts.mutations import Mutation, mutations_in

SPARED = ("src/botequim/sandbox/cgroups.py",)
"""Not mutated: a wrong limit or a wrong group could stop more than the mutant."""

START = 45
"""Seconds that starting pytest may take on a busy machine."""

SLOWER = 5
"""How many times longer than measured a test may take."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How much is tried for one mutation: the fastest tests, of as many files as possible."""

    tests: int
    seconds: float


class Suite:
    """The tests of one checkout, with what is known about each from its measurement."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.tree = home / "tree"
        self.seconds = {
            test: outcome.seconds
            for test, outcome in outcomes(home / "results").items()
            if outcome.verdict == "passed"
        }
        """By test; only those that passed when they were measured."""
        self._lock = threading.Lock()
        self._database = sqlite3.connect(home / "results" / "coverage.db", check_same_thread=False)
        self._tests = {
            number: test
            for number, context in self._database.execute("select id, context from context")
            if (test := test_name(context)) in self.seconds
        }

    def lines(self, file: str) -> int:
        """The lines that some test runs, as the bits of a number."""
        return functools.reduce(lambda all_lines, row: all_lines | row[1], self._rows(file), 0)

    def tests_of(self, mutation: Mutation) -> set[str]:
        """The tests that run the mutated line; if none is known to, those that run its statement."""
        rows = list(self._rows(mutation.file))
        for line in (mutation.line, mutation.statement):
            if found := {test for test, lines in rows if lines >> line & 1}:
                return found
        return set()

    def mutations(self, file: str) -> list[Mutation]:
        """The mutations of one file; none if this checkout does not have it."""
        return mutations_in(self.tree, file) if (self.tree / file).exists() else []

    def _rows(self, file: str) -> Iterator[tuple[str, int]]:
        query = "select context_id, numbits from line_bits join file on file.id = file_id where path = ?"
        with self._lock:
            rows = self._database.execute(query, (str(self.tree / file),)).fetchall()
        for context, bits in rows:
            if context in self._tests:
                yield self._tests[context], int.from_bytes(bits, "little")


def selection(suite: Suite, tests: set[str], budget: Budget) -> list[str]:
    """The tests to run, fastest first, taken from each file in turn until the budget is spent."""
    by_file: dict[str, list[str]] = defaultdict(list)
    for test in sorted(tests, key=lambda test: (suite.seconds[test], test)):
        by_file[test.split("::")[0]].append(test)
    turns = sorted(
        (turn, suite.seconds[test], test) for file in by_file.values() for turn, test in enumerate(file)
    )
    chosen: list[str] = []
    spent = 0.0
    for _, seconds, test in turns:
        if not chosen or (len(chosen) < budget.tests and spent + seconds <= budget.seconds):
            chosen.append(test)
            spent += seconds
    return sorted(chosen, key=lambda test: suite.seconds[test])


def run(suite: Suite, tests: list[str], changed: dict[str, bytes], group: str) -> tuple[str, str | None]:
    """Run tests with some files changed. Return passed, failed, broken or timeout, and which test failed."""
    seconds = [suite.seconds.get(test, 1) for test in tests]
    each, limit = START + SLOWER * max(seconds), 2 * START + SLOWER * sum(seconds)
    with tempfile.TemporaryDirectory(dir=suite.home, prefix="mutant-") as folder:
        out = Path(folder)
        (out / "changed").mkdir()
        for name, source in changed.items():
            (out / "changed" / name).parent.mkdir(parents=True, exist_ok=True)
            (out / "changed" / name).write_bytes(source)
        pytest = [
            str(suite.home / "bin" / "pytest"),
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "measuring_plugin",
        ]
        pytest += [f"--give-up={each:.0f}", f"--junitxml={out / 'tests.xml'}", "-o", "addopts=", *tests]
        plugin = suite.home / "results" / "plugin"
        process = subprocess.Popen(
            ["sh", str(ROOT / "scripts" / "confine.sh"), str(suite.home), str(out), group, *pytest],
            env={**os.environ, "BOTEQUIM_COMPILE": "0", "PYTHONPATH": str(plugin)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "timeout", "timeout"
        if process.returncode == 0:
            return "passed", None
        report = out / "tests.xml"
        if process.returncode == 1 and report.exists():
            for case in ElementTree.parse(report).iter("testcase"):
                if any(child.tag in {"failure", "error"} for child in case):
                    return "failed", test_of(case)
        return "broken", output.decode(errors="replace")[-400:]


class Trials:
    """What was tried so far, kept as JSON lines."""

    def __init__(self, path: Path, budget: Budget) -> None:
        self.path = path
        self.budget = budget
        self.results: dict[tuple[str, str], dict[str, Any]] = {}
        """By suite and mutation."""
        self._sound: dict[tuple[str, str], bool] = {}
        """By suite and test: whether it passes, confined, where nothing is mutated."""
        self._lock = threading.Lock()
        if path.exists():
            for entry in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
                if entry.get("outcome") != "error":  # those are tried again
                    self._take(entry)

    def _take(self, entry: dict[str, Any]) -> None:
        if "mutation" in entry:
            self.results[entry["suite"], entry["mutation"]] = entry
        else:
            self._sound[entry["suite"], entry["test"]] = entry["passes"]

    def _write(self, entry: dict[str, Any]) -> None:
        with self._lock:
            self._take(entry)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def is_sound(self, name: str, suite: Suite, test: str, group: str) -> bool:
        """Whether a test passes without any mutation; if not, its failure says nothing."""
        if (name, test) not in self._sound:
            outcome, _ = run(suite, [test], {}, group)
            self._write({"suite": name, "test": test, "passes": outcome == "passed"})
        return self._sound[name, test]

    def survives(self, name: str, suite: Suite, mutation: Mutation, group: str) -> bool:
        """Try one mutation against one suite, unless that was done before."""
        if (name, mutation.key) not in self.results:
            self._write(self._try(name, suite, mutation, group))
        return bool(self.results[name, mutation.key]["outcome"] == "survived")

    def _try(self, name: str, suite: Suite, mutation: Mutation, group: str) -> dict[str, Any]:
        began = time.monotonic()
        own = next((each for each in suite.mutations(mutation.file) if each.key == mutation.key), None)
        outcome, by, count, candidates = "not there", None, 0, set[str]()
        if own is not None:
            changed = {own.file: own.apply((suite.tree / own.file).read_bytes())}
            candidates = suite.tests_of(own)
            while True:
                sound = {test for test in candidates if self._sound.get((name, test), True)}
                tests = selection(suite, sound, self.budget)
                count = len(tests)
                if not tests:
                    outcome, by = "survived", "no test runs it"
                    break
                result, by = run(suite, tests, changed, group)
                if result == "failed" and by in sound and not self.is_sound(name, suite, by, group):
                    continue
                if result in {"broken", "timeout"}:
                    plain, failed = run(suite, tests, {}, group)
                    if (
                        plain == "failed"
                        and failed in sound
                        and not self.is_sound(name, suite, failed, group)
                    ):
                        continue
                    result = "failed" if plain == "passed" else "error"
                outcome = {"passed": "survived", "failed": "killed"}.get(result, result)
                break
        return {
            "package": package_of(mutation.file),
            "mutation": mutation.key,
            "suite": name,
            "outcome": outcome,
            "by": by,
            "tests": count,
            "candidates": len(candidates),
            "seconds": round(time.monotonic() - began, 1),
            "where": f"{mutation.file}:{mutation.line} {mutation.function}",
            "change": f"{mutation.kind}: {mutation.before!r} -> {mutation.after!r}",
        }


def choose(before: Suite, after: Suite | None, count: int, seed: int) -> dict[str, list[Mutation]]:
    """By package: `count` mutations on different lines that a test before runs and that both sources have."""
    files: dict[str, list[str]] = defaultdict(list)
    for path in sorted((before.tree / "src" / "botequim").rglob("*.py")):
        file = path.relative_to(before.tree).as_posix()
        if file not in SPARED:
            files[package_of(file)].append(file)
    chosen: dict[str, list[Mutation]] = {}
    for package in sorted(files):
        possible: list[Mutation] = []
        for file in files[package]:
            lines = before.lines(file)
            possible += [each for each in before.mutations(file) if lines >> each.line & 1]
        random.Random(f"{seed} {package}").shuffle(possible)
        there: dict[str, set[str]] = {}
        taken: set[tuple[str, int]] = set()
        chosen[package] = []
        for mutation in possible:
            if len(chosen[package]) == count or (mutation.file, mutation.line) in taken:
                continue
            if after is not None and mutation.file not in there:
                there[mutation.file] = {each.key for each in after.mutations(mutation.file)}
            if after is None or mutation.key in there[mutation.file]:
                taken.add((mutation.file, mutation.line))
                chosen[package].append(mutation)
    return chosen


def summary(trials: Trials, chosen: dict[str, list[Mutation]]) -> str:
    """A table by package, and each mutation that the tests before notice and those after do not."""
    lines = [
        "| package | chosen | tried after | survived after | of these survived before | tried before alone | "
        "survived before alone |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lost: list[str] = []
    total: Counter[int] = Counter()
    for package, mutations in chosen.items():
        after = {each.key: trials.results.get(("after", each.key), {}).get("outcome") for each in mutations}
        before = {each.key: trials.results.get(("before", each.key), {}).get("outcome") for each in mutations}
        both = [key for key, outcome in after.items() if outcome == "survived"]
        numbers = [
            len(mutations),
            sum(outcome is not None for outcome in after.values()),
            len(both),
            sum(before[key] == "survived" for key in both),
            sum(outcome is not None for outcome in before.values()),
            sum(outcome == "survived" for outcome in before.values()),
        ]
        total.update(dict(enumerate(numbers)))
        lines.append(f"| {package} | " + " | ".join(map(str, numbers)) + " |")
        for key in both:
            if before[key] == "killed":
                entry, earlier = trials.results["after", key], trials.results["before", key]
                lost.append(f"{key} {entry['where']}\n    {entry['change']}\n    before: {earlier['by']}")
    lines.append("| all | " + " | ".join(str(total[number]) for number in range(6)) + " |")
    return "\n".join([*lines, "", f"Noticed before and not after: {len(lost)}", *lost])


def remove_groups(group: str) -> None:
    """Remove the control groups of the mutants."""
    for top in Path("/sys/fs/cgroup").glob("*"):
        for folder in sorted(top.glob(f"**/{group}*/**/"), reverse=True):
            if folder.is_dir():
                folder.rmdir()


def main() -> None:
    """Try mutations until all are tried or the time is over, then print the table."""
    parser = argparse.ArgumentParser(description="Try seeded mutations against the tests of two checkouts.")
    parser.add_argument(
        "--before", type=Path, required=True, help="a measured checkout; it chooses the mutations"
    )
    parser.add_argument("--after", type=Path, help="a measured checkout; its tests are tried first")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "mutations.jsonl")
    parser.add_argument(
        "--packages", type=lambda text: text.split(","), help="such as cup,web (default: all)"
    )
    parser.add_argument("--count", type=int, default=20, help="mutations for each package")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="start none after so many seconds"
    )
    parser.add_argument("--jobs", type=int, default=1, help="mutations at the same time")
    parser.add_argument("--tests", type=int, default=60, help="tests for each mutation, at most")
    parser.add_argument("--patience", type=float, default=60, help="measured seconds of these tests, at most")
    parser.add_argument("--list", action="store_true", help="print what would be tried, and try nothing")
    options = parser.parse_args()
    before = Suite(options.before.resolve())
    after = Suite(options.after.resolve()) if options.after not in (None, options.before) else None
    chosen = choose(before, after, options.count, options.seed)
    if options.packages:
        chosen = {package: chosen[package] for package in options.packages}
    if options.list:
        for each in (each for mutations in chosen.values() for each in mutations):
            print(f"{each.key} {each.file}:{each.line} {each.kind}: {each.before!r} -> {each.after!r}")
        return
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        parser.error("mutants run confined (scripts/confine.sh), which needs root and util-linux")
    options.results.parent.mkdir(parents=True, exist_ok=True)
    trials = Trials(options.results, Budget(tests=options.tests, seconds=options.patience))
    order = [
        mutations[number]
        for number in range(options.count)
        for mutations in chosen.values()
        if number < len(mutations)
    ]
    end = time.monotonic() + options.seconds
    group = f"mutant-{os.getpid()}"

    def try_one(mutation: Mutation) -> None:
        if time.monotonic() > end:
            return
        mine = f"{group}-{threading.get_ident()}"
        if after is None or trials.survives("after", after, mutation, mine):
            trials.survives("before", before, mutation, mine)
        for suite in ("after", "before"):
            if entry := trials.results.get((suite, mutation.key)):
                print(f"{suite:6} {entry['outcome']:9} {entry['where']} {entry['change']}", flush=True)

    try:
        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(try_one, order))
    finally:
        remove_groups(group)
    print(summary(trials, chosen))


if __name__ == "__main__":
    main()
