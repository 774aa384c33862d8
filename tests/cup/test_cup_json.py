"""What scripts want of a cup: every action as JSON, and nothing else on the output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.cup_commands import SMALL_CUP, Captured, run


def run_json(capsys: Captured, *words: str) -> Any:
    code, out, _ = run(capsys, *words, "--json")
    assert code == 0
    return json.loads(out)


def test_every_action_of_a_cup_as_json(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "copa.toml"
    file.write_text(SMALL_CUP.replace('seed = "7"\n', ""), encoding="utf-8")
    checked = run_json(capsys, "check", str(file))
    assert [(row["name"], row["ready"]) for row in checked["entrants"]] == [("ana", True), ("bia", True)]
    assert checked["problems"] == []
    rehearsed = run_json(capsys, "rehearse", str(file))
    assert rehearsed["over"]
    stored = [path.name for path in file.with_suffix(".cup").iterdir()]
    assert stored == ["speeds.json"], "a rehearsal leaves nothing; the check stored what it measured"
    played = run_json(capsys, "run", str(file))
    assert played == run_json(capsys, "status", str(file))
    assert {row["entrant"] for row in played["stages"][0]["standings"]} == {"ana", "bia"}
    bundle = tmp_path / "copa.zip"
    written = run_json(capsys, "report", str(file), "--bundle", str(bundle))
    assert Path(written["report"]).is_file()
    assert Path(written["private"]).is_dir()
    assert Path(written["report"]).parent == Path(written["public"])
    assert Path(written["bundle"]) == bundle
    assert written["digest"].startswith("sha256:")


def test_who_is_imported_as_json(tmp_path: Path, capsys: Captured) -> None:
    bot = tmp_path / "bots" / "ana"
    bot.mkdir(parents=True)
    (bot / "bot.py").write_text("print()\n", encoding="utf-8")
    words = ("import", str(tmp_path / "bots"), str(tmp_path / "copa.toml"), "--template", "rps")
    imported = run_json(capsys, *words)
    assert imported["file"] == str(tmp_path / "copa.toml")
    assert imported["entrants"] == imported["added"] == ["ana"]
    assert imported["left_out"] == []
