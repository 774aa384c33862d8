"""The evening of a final, as the document tells it: every command of it is run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from botequim.cli import main, parser
from tests import ROOT

DOCS = ROOT / "docs" / "how-to"
NOT_HERE = ("serve", "doctor")
"""One runs until it is ended, the other tries out the machine: both have tests of their own."""


def commands(name: str) -> list[list[str]]:
    text = (DOCS / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^```\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    assert all(line.startswith("botequim ") for line in lines)
    return [shlex.split(line, comments=True)[1:] for line in lines]


@pytest.mark.parametrize("name", ["final.md", pytest.param("final.pt-BR.md", marks=pytest.mark.slow)])
def test_the_evening_goes_as_it_is_told(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = []
    for words in commands(name):
        if words[0] in NOT_HERE:
            assert callable(parser(words).parse_args(words).run)
            continue
        code = main(words)
        out, err = capsys.readouterr()
        said.append((words[:2], out))
        assert code == 0, (words, out, err)
        assert "ublish" not in out + err or "rehearsal.toml" not in words, "nobody proves a rehearsal"
    status = next(out for words, out in said if words == ["cup", "status"])
    assert "league" in status
    assert "1. " not in status, "the podium is nobody's business yet"
    assert (tmp_path / "rinha.cup" / "report" / "public" / "index.html").is_file()
    assert "1 correct, 0 not" in said[-1][1]


def test_both_languages_tell_the_same_evening() -> None:
    def shape(name: str) -> list[str]:
        text = (DOCS / name).read_text(encoding="utf-8")
        return [line.partition(" ")[0] for line in text.splitlines() if line.startswith(("#", "|"))]

    assert shape("final.md") == shape("final.pt-BR.md")
    spoken = {"Most beautiful play", "A jogada mais bonita", "codes.html", "codigos.html"}
    english, portuguese = (
        [[word for word in words if word not in spoken] for words in commands(name)]
        for name in ("final.md", "final.pt-BR.md")
    )
    assert english == portuguese
