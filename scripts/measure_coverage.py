"""Measures which lines of the package the tests run, and which tests run them: `make coverage`.

It copies a checkout to HOME/tree and installs it there, uncompiled, in an environment of its own (HOME), so
that no compiled module hides a line. Each Python process that a test starts is measured too, unless it is
killed (SIGKILL), runs without `site` (the sandbox's launcher, `python -S`) or is given an environment of its
own (bots, sandboxed or not, and commands in containers). Results, all in HOME/results:

    coverage.db   what coverage.py recorded; each line with the tests that ran it
    tests*.xml    every test, its outcome and its seconds; of a test that ran again, the last is used
    table.md      statements and coverage by package, and tests by file
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent

LAST = (
    *("champion_tiles", "champions", "cubos_network", "cubos_submission", "rps_champion", "search_agrees"),
    *("train_cubos", "tune_uno", "uno_champion", "zoo_ours"),
)
"""Test files that think for long where the search is not compiled. They run last, each test for a minute."""

LEFT_OUT = ("compiled", "plain_install", "zoo")
"""Test files that compile or install the package, or that mostly run programs in other languages."""

CONFIGURATION = """\
[run]
source = {tree}/src/botequim
data_file = {results}/parts/coverage.db
parallel = true
core = ctrace
sigterm = true
patch = _exit
context = ${{PYTEST_CURRENT_TEST-}}
disable_warnings = no-data-collected, module-not-measured, couldnt-parse

[report]
exclude_also =
    if TYPE_CHECKING:
    assert_never
    ^\\s+\\.\\.\\.$
"""


def copy_checkout(checkout: Path, tree: Path) -> None:
    """Replace `tree` by the files of a checkout that Git knows or would add."""
    shutil.rmtree(tree, ignore_errors=True)
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listing = subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listing.split("\0")):
        if (checkout / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(checkout / name, tree / name)


def install(home: Path) -> None:
    """Install the copy and what its tests need into the environment `home`."""
    if not (home / "bin" / "pip").exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    tree = home / "tree"
    pip = [str(home / "bin" / "pip"), "install", "-qq", "--disable-pip-version-check"]
    environment = {**os.environ, "BOTEQUIM_COMPILE": "0"}
    needs = ["-r", str(tree / "requirements" / "dev.txt"), "-r", str(ROOT / "requirements" / "coverage.txt")]
    subprocess.run([*pip, *needs], check=True)
    subprocess.run([*pip, "--editable", f"{tree}[pictures,web]"], check=True, env=environment)


def test_files(tree: Path) -> list[str]:
    """The test files to run."""
    files = sorted((tree / "tests").rglob("test_*.py"))
    return [str(file.relative_to(tree)) for file in files if file.stem.removeprefix("test_") not in LEFT_OUT]


def thinks_long(file: str) -> bool:
    """Whether a test file is among those that run last."""
    return Path(file).stem.removeprefix("test_") in LAST


def prepare_results(home: Path) -> None:
    """Begin a measurement: remove what an earlier one recorded and write the configuration."""
    tree, results = home / "tree", home / "results"
    shutil.rmtree(results, ignore_errors=True)
    (results / "parts").mkdir(parents=True)
    (results / "coveragerc").write_text(CONFIGURATION.format(tree=tree, results=results), encoding="utf-8")
    (results / "plugin").mkdir()
    shutil.copy2(ROOT / "scripts" / "measuring_plugin.py", results / "plugin")


def run_tests(home: Path, tests: list[str], *, workers: int, limit: int) -> None:
    """Run tests and record what they cover. A test that takes longer than `limit` seconds fails."""
    results = home / "results"
    name = f"tests{len(list(results.glob('tests*.xml'))) or ''}"
    environment = {
        **os.environ,
        "BOTEQUIM_COMPILE": "0",
        "COVERAGE_PROCESS_START": str(results / "coveragerc"),
        "PYTHONPATH": str(results / "plugin"),
    }
    command = [str(home / "bin" / "pytest"), "-q", "-n", str(workers), "--dist", "loadgroup"]
    command += ["-p", "no:cacheprovider", "-p", "measuring_plugin", f"--give-up={limit}"]
    command += [f"--junitxml={results / name}.xml", *tests]
    with (results / f"{name}.log").open("w", encoding="utf-8") as log:
        status = subprocess.run(
            command, cwd=home / "tree", env=environment, stdout=log, stderr=subprocess.STDOUT
        ).returncode
    print(f"pytest ended with {status}; its output is in {results / name}.log")


@dataclass(frozen=True)
class Outcome:
    """What became of one test: passed, failure, error or skipped."""

    verdict: str
    seconds: float


def test_of(case: ElementTree.Element) -> str:
    """The pytest name of a test in a report; all our tests are functions of modules."""
    return test_name(f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}")


def test_name(context: str) -> str:
    """The name of a test, without its phase (of PYTEST_CURRENT_TEST) and its group (of pytest-xdist)."""
    return re.sub(r"(@\w+)?( \((setup|call|teardown)\))?$", "", context)


def outcomes(results: Path) -> dict[str, Outcome]:
    """By test, its last outcome."""
    found: dict[str, Outcome] = {}
    for report in sorted(results.glob("tests*.xml"), key=lambda path: (len(path.name), path.name)):
        for case in ElementTree.parse(report).iter("testcase"):
            if not case.get("classname", "").startswith("tests."):
                continue  # pytest itself failed
            tags = (child.tag for child in case if child.tag in {"failure", "error", "skipped"})
            found[test_of(case)] = Outcome(next(tags, "passed"), float(case.get("time", 0)))
    return found


def combine(home: Path) -> None:
    """Put what all processes recorded into one file."""
    results = home / "results"
    coverage, configuration = str(home / "bin" / "coverage"), f"--rcfile={results / 'coveragerc'}"
    database = f"--data-file={results / 'coverage.db'}"
    if any((results / "parts").iterdir()):
        merge = [coverage, "combine", "-q", "--append", configuration, database, str(results / "parts")]
        subprocess.run(merge, cwd=home / "tree", check=True)
        for unfinished in (results / "parts").iterdir():  # of processes that were killed while they wrote
            unfinished.unlink()
    report = [coverage, "json", "-q", configuration, database, "-o", str(results / "coverage.json")]
    subprocess.run(report, cwd=home / "tree", check=True)


def package_of(path: str) -> str:
    """The package a source file counts for: the first level below `botequim`, or `botequim` itself."""
    parts = Path(path).parts
    below = parts[parts.index("botequim") + 1 :]
    return below[0] if len(below) > 1 else "botequim"


def unfinished_tests(home: Path) -> list[str]:
    """The tests that failed, and those that an interrupted run did not come to."""
    command = [str(home / "bin" / "pytest"), "--collect-only", "-q", "-p", "no:cacheprovider"]
    command += ["-o", "addopts=", "-m", "not slow", *test_files(home / "tree")]
    listing = subprocess.run(command, cwd=home / "tree", check=True, capture_output=True, text=True).stdout
    known = outcomes(home / "results")
    finished = {test for test, outcome in known.items() if outcome.verdict in {"passed", "skipped"}}
    return [test for test in listing.splitlines() if "::" in test and test not in finished]


def coverage_table(results: Path) -> list[str]:
    """Statements and the share that ran, by package."""
    report = json.loads((results / "coverage.json").read_text(encoding="utf-8"))
    statements: Counter[str] = Counter()
    covered: Counter[str] = Counter()
    for path, file in report["files"].items():
        for package in (package_of(path), "all"):
            statements[package] += file["summary"]["num_statements"]
            covered[package] += file["summary"]["covered_lines"]
    lines = ["| package | statements | covered |", "|---|---:|---:|"]
    for package in sorted(statements, key=lambda name: (name == "all", name)):
        share = 100 * covered[package] / max(1, statements[package])
        lines.append(f"| {package} | {statements[package]} | {share:.1f}% |")
    return lines


def tests_table(results: Path) -> list[str]:
    """How many tests each file has, how many did not pass here, and their seconds."""
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    seconds: dict[str, float] = defaultdict(float)
    for test, outcome in outcomes(results).items():
        for file in (Path(test.split("::")[0]).stem, "all"):
            verdicts[file][outcome.verdict] += 1
            seconds[file] += outcome.seconds
    lines = ["| test file | tests | passed | failed | skipped | seconds |", "|---|---:|---:|---:|---:|---:|"]
    for file in sorted(verdicts, key=lambda name: (name == "all", name)):
        count = verdicts[file]
        numbers = (count.total(), count["passed"], count["failure"] + count["error"], count["skipped"])
        lines.append(f"| {file} | {' | '.join(map(str, numbers))} | {seconds[file]:.0f} |")
    return lines


def main() -> None:
    """Measure one checkout and print the tables."""
    parser = argparse.ArgumentParser(description="Measure coverage, uncompiled, by package and by test.")
    parser.add_argument(
        "--checkout", type=Path, default=ROOT, help="what to measure (default: this checkout)"
    )
    parser.add_argument("--home", type=Path, default=ROOT / ".venvs" / "coverage", help="where to work")
    parser.add_argument("--workers", type=int, default=2, help="tests at the same time")
    parser.add_argument("--limit", type=int, default=120, help="seconds after which a test fails")
    parser.add_argument("--again", action="store_true", help="add to the results: what failed or was not run")
    parser.add_argument("--report", action="store_true", help="only print what was recorded before")
    parser.add_argument("tests", nargs="*", help="which tests (default: all suitable files)")
    options = parser.parse_args()
    home = options.home.resolve()
    tests: list[str] = []
    if options.again:
        tests = options.tests or unfinished_tests(home)
    elif not options.report:
        copy_checkout(options.checkout.resolve(), home / "tree")
        install(home)
        prepare_results(home)
        tests = options.tests or test_files(home / "tree")
    for last, limit in ((False, options.limit), (True, min(60, options.limit))):
        if chosen := [test for test in tests if thinks_long(test.split("::")[0]) == last]:
            run_tests(home, chosen, workers=options.workers, limit=limit)
    combine(home)
    results = home / "results"
    table = "\n".join([*coverage_table(results), "", *tests_table(results), ""])
    (results / "table.md").write_text(table, encoding="utf-8")
    print(table)


if __name__ == "__main__":
    main()
