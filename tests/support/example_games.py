"""Installs the example games without an installer: it needs neither a network nor a build backend."""

from __future__ import annotations

import os
import shutil
import tomllib
from pathlib import Path
from typing import Any

from tests import ROOT

GAMES = ROOT / "examples" / "games"


def install(name: str, site: Path) -> None:
    """Put what the project file of an example says into a folder: modules, data and entry points."""
    project: dict[str, Any] = tomllib.loads((GAMES / name / "pyproject.toml").read_text(encoding="utf-8"))
    build = project["tool"]["setuptools"]
    for module in build.get("py-modules", ()):
        shutil.copy(GAMES / name / f"{module}.py", site)
    for package in build.get("packages", ()):
        data = build.get("package-data", {}).get(package, [])
        for pattern in ("*.py", *data):
            for file in (GAMES / name / package).glob(pattern):
                target = site / package / file.relative_to(GAMES / name / package)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)
    about = project["project"]
    info = site / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
    )
    groups = about["entry-points"].items()
    (info / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
            for group, entries in groups
        )
    )


def environment(site: Path) -> dict[str, str]:
    """Return the environment of a program that finds the games of a folder."""
    return {"PYTHONPATH": str(site), "LANG": "C.UTF-8", "PATH": os.defpath, "PYTHONUNBUFFERED": "1"}
