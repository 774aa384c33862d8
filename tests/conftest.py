"""What all tests share."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import hypothesis
import pytest

from botequim import i18n
from tests.support import environment

environment.normalise()
gc.disable()  # until all tests are collected: what is loaded stays
pytest_plugins = ["tests.support.leftovers", "tests.support.postgres", "tests.support.lab"]
SLOWEST = (
    "cluster_guide",
    "drills",
    "builds",
    "web_organiser",
    "cup_memory",
    "cup_run",
    "cup_postgres",
    "zoo",
    "check",
    "cup_outages",
    "fresh_images",
    "export_images",
    "contract",
    "sandbox",
    "containers",
    "zoo_ours",
    "ctrl_c",
    "cli",
    "cli_bots",
    "cup_live",
    "cup_day",
    "uno",
    "champions",
)
"""Modules with slow tests that share nothing: pytest-xdist starts large groups first, then these, so that a
run does not end with them."""

hypothesis.settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=list(hypothesis.HealthCheck)
)
hypothesis.settings.load_profile("house")


def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`: two for each processor, since half of the time tests wait for bots and pages."""
    return 2 * len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2 * (os.cpu_count() or 1)


def pytest_report_header() -> str:
    """Say what the tests run with."""
    return environment.describe()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let tests that share a browser or a server run in one process, and slow ones first."""
    for item in items:
        found = getattr(item, "_fixtureinfo").name2fixturedefs  # noqa: B009
        shared = [name for name, (*_, one) in found.items() if one.scope == "module" and name[0] != "_"]
        if shared:
            _put_into_group(item, item.path.stem.removeprefix("test_"))
    order = {f"test_{name}": place for place, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: order.get(item.path.stem, len(order)))


def pytest_collection_finish() -> None:
    """Let the garbage collector forget all tests and modules, which live until the end of the run.

    It would look at these several hundred megabytes again whenever a test makes many objects.
    """
    gc.freeze()
    gc.enable()


def _put_into_group(item: pytest.Item, group: str) -> None:
    """Let one process of pytest-xdist run all tests of a group; it finds the group at the end of their ids.

    It appends the group of this mark, but since pytest 9.2 ids are in another attribute (`_id`).
    """
    item.add_marker(pytest.mark.xdist_group(group))
    if item.config.getoption("loadgroup", False) and hasattr(item, "_id"):
        setattr(item, "_id", type(item._id).parse(f"{item.nodeid}@{group}"))  # noqa: B010


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """Every test begins in English, whatever the locale."""
    before = os.environ.get("LANGUAGE")
    i18n.set_language("en")
    yield
    i18n.set_language("en")
    if before is None:
        os.environ.pop("LANGUAGE", None)
    else:
        os.environ["LANGUAGE"] = before


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Where skipping is forbidden, a skipped test is a failed one."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    if report.skipped and os.environ.get("BOTEQUIM_NO_SKIP"):
        report.outcome = "failed"
        report.longrepr = f"skipped where skipping is forbidden: {report.longrepr}"
