"""A missing extra is installed from where Botequim itself was installed."""

from __future__ import annotations

import json
import re
import shlex
import sys
from importlib.metadata import PathDistribution
from pathlib import Path
from typing import Any

import pytest

from botequim.core import extras
from tests import ROOT

PIP = [sys.executable, "-m", "pip", "install"]


def words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, origin: dict[str, Any] | None) -> list[str]:
    """Return the command for the extra web, if pip has noted this origin."""
    if origin is not None:
        (tmp_path / "direct_url.json").write_text(json.dumps(origin), encoding="utf-8")
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: PathDistribution(tmp_path))
    return shlex.split(extras.extra_command("web"))


@pytest.mark.parametrize("editable", [True, False])
def test_from_a_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, editable: bool) -> None:
    checkout = tmp_path / "a folder"
    checkout.mkdir()
    origin = {"url": checkout.as_uri(), "dir_info": {"editable": True} if editable else {}}
    option = ["--editable"] if editable else []
    assert words(monkeypatch, tmp_path, origin) == [*PIP, *option, f"{checkout}[web]"]


def test_from_wheels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wheel = tmp_path / "botequim-0.1.0-py3-none-any.whl"
    wheel.touch()
    offline = [*PIP, "--no-index", "--find-links"]
    assert words(monkeypatch, tmp_path, None) == [*offline, "wheels", "botequim[web]"]
    origin = {"url": wheel.as_uri(), "archive_info": {}}
    assert words(monkeypatch, tmp_path, origin) == [*offline, str(tmp_path), "botequim[web]"]
    gone = {"url": (tmp_path / "gone").as_uri(), "dir_info": {"editable": True}}
    assert words(monkeypatch, tmp_path, gone) == [*offline, "wheels", "botequim[web]"]


def test_no_text_installs_botequim_from_an_index() -> None:
    """There is no such package in any index: a stranger could put one there."""
    paths = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    paths += [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.md"), *(ROOT / "src").rglob("*.html")]
    paths += [*(ROOT / "scripts").iterdir(), *(ROOT / "deploy").iterdir()]
    assert len(paths) > 300
    install = re.compile(r"pip install [^`\n]*(?<![/\w])botequim\b(?!/)[^`\n]*")
    found = [
        (path.relative_to(ROOT), line)
        for path in paths
        if path.is_file()
        for line in install.findall(path.read_text(encoding="utf-8", errors="replace"))
        if "--no-index" not in line
    ]
    assert found == []
