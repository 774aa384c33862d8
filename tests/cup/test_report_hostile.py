"""What others wrote stays text in every report."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from botequim.core.sanitize import printable
from botequim.cup.config import Entry
from botequim.cup.report import write_report
from botequim.storage.files import record_name, safe_name
from botequim.storage.values import StoredFault
from tests.support.cup_reports import NAMES, Page, entrants, rows
from tests.support.played_cups import cup_file, play_cup

# --- what others wrote -------------------------------------------------------------------------------

HOSTILE = (
    "<script>alert(1)</script>",
    "</style></title><img src=x onerror=alert(1)>",
    "[x](javascript:alert(1)) `|` **b** https://evil.example",
    "=HYPERLINK(1)",
    "\u202eright to left\u2066 \u2028 \u2029",
    "line\nbreak\r\x1b[31m\x00",
    "x" * 10_000,
    "../../etc/passwd",
    "CON",
    "\ud800 half",
)


LANGUAGES = ("index.en.html", "index.pt-BR.html", "../en/", "../pt-BR/")
"""Links to the other language."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cup in which every text that others write is hostile; no file could hold such names."""
    folder = tmp_path_factory.mktemp("hostile")
    cup = cup_file(folder, "cubos", entrants=entrants(5))
    store, _ = play_cup(cup, folder / "store.db")
    names = dict(zip(NAMES[:5], HOSTILE, strict=False))
    with store:
        league = list(store.results()["league"].values())
    cup = replace(
        cup,
        name=HOSTILE[0] + HOSTILE[2] + HOSTILE[4] + "y" * 10_000,
        entrants=tuple(
            Entry(
                names[entry.name],
                f"cmd:{HOSTILE[0]}; rm -rf '{entry.name}'",
                wire="arena-lines",
                authors=HOSTILE,
                students=("=1+1", HOSTILE[5]),
                repository=["javascript:alert(1)", 'https://evil.example/"><script>', *HOSTILE][at],
                portrait="cup.toml",
            )
            for at, entry in enumerate(cup.entrants)
        ),
        plans=tuple(replace(cup.plans[0], entrants=tuple(names.values())) for _ in range(1)),
    )
    results = {
        f"{number} {names[one.entrants[0]]} | {names[one.entrants[1]]}": replace(
            one,
            key=f"{number} {names[one.entrants[0]]} | {names[one.entrants[1]]}",
            entrants=tuple(names[name] for name in one.entrants),
        )
        for number, one in enumerate(league)
    }
    told = {
        "kind": "crash",
        "why": {"text": "{x} " + HOSTILE[0], "with": {"x": HOSTILE[4]}},
        "evidence": {"question": "\n".join(HOSTILE), "stderr": "````\n" + HOSTILE[1], "<b>": [HOSTILE[6]]},
    }
    faults = [
        StoredFault("league", key, 0, 1, 0, result.entrants[0], "crash", json.dumps(told))
        for key, result in results.items()
    ]

    class FakeStore:
        """A store as far as reports ask it; no real one would hold half a character."""

        def faults(self, entrant: str | None = None) -> list[StoredFault]:
            return [fault for fault in faults if entrant in (None, fault.entrant)]

        def entrants(self) -> dict[str, object]:
            return {}

        def fact(self, name: str) -> None:
            return None

        def records(self) -> Iterator[tuple[str, str, int, list[str]]]:
            for key, result in results.items():
                seats = [{"name": name} for name in result.entrants]
                yield "league", key, 0, [json.dumps({"seats": seats}), json.dumps({"outcome": 1})]

        def record(self, stage: str, key: str, number: int) -> list[str]:
            return next(lines for _, one, _, lines in self.records() if one == key)

    write_report(cup, cup.state("7", {"league": results}), FakeStore(), folder / "report")  # type: ignore[arg-type]
    return folder / "report"


def test_hostile_texts_are_texts_on_pages(hostile: Path) -> None:
    for path in hostile.rglob("*.html"):
        page = Page(path)
        assert page.open == []
        assert not page.names() & {"script", "img", "b", "iframe"}
        assert all(not name.startswith("on") for _, attributes in page.tags for name in attributes)
        for link in page.links():
            assert link.startswith(("https://evil.example/", "records/", "../../../public/", *LANGUAGES))
            assert not set("<>\"' ") & set(link)
        assert not bad_signs(path)
        assert path.stat().st_size < 600_000, "nobody's name makes a page endless"


def bad_signs(path: Path) -> set[str]:
    text = path.read_bytes().decode("utf-8")
    return {sign for sign in text if printable(sign) != sign and sign != "\n"}


def test_hostile_texts_are_texts_in_markdown(hostile: Path) -> None:
    for path in hostile.rglob("*.md"):
        assert not bad_signs(path)
        outside = re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", path.read_text(encoding="utf-8"))
        assert not re.search(r"(?<!\\)<", outside)
        assert not re.search(r"(?<!\\)\[x", outside)
        assert not re.search(r"(?<!\\)\]\(javascript:", outside)
        for table in [block for block in outside.split("\n\n") if block.startswith("| ")]:
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


def test_hostile_texts_are_texts_in_spreadsheets(hostile: Path) -> None:
    paths = list(hostile.rglob("*.csv"))
    assert len(paths) == 4
    for path in paths:
        assert not bad_signs(path)
        for row in rows(path):
            assert None not in row
            for cell in row.values():
                assert not cell.startswith(("=", "+", "@", "\t"))
                assert len(cell) < 1100


def test_hostile_texts_in_json_are_plain_ascii(hostile: Path) -> None:
    text = (hostile / "public" / "report.json").read_bytes()
    assert text.isascii()
    value = json.loads(text)
    assert value["entrants"][0]["name"] == HOSTILE[0], "programs are told as it is"


def test_hostile_names_make_harmless_files(hostile: Path) -> None:
    for path in hostile.rglob("*"):
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", path.name)
        assert len(path.name) < 100
    assert not (hostile.parent / "etc").exists()


def test_different_names_make_different_files() -> None:
    texts = [
        *HOSTILE,
        "con",
        "Con",
        "ana",
        "Ana",
        "ANA",
        "a-b",
        "a b",
        "a|b",
        "",
        ".",
        "..",
        "-",
        safe_name("Ana"),
    ]
    names = [safe_name(text).casefold() for text in texts]
    assert len(set(names)) == len(texts)
    assert safe_name("league") == "league"
    assert record_name("league", "4.1", 0) == "records/league/4.1/0001.jsonl"
