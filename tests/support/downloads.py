"""Downloads of a learning platform, made of real archives, and the command that imports them."""

from __future__ import annotations

import csv
import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from botequim.cup.config_parser import read
from tests.support.cup_commands import Captured, run

Files = Mapping[str, str | bytes]
NOON = datetime(2025, 11, 18, 12, 0)
"""The time of files, unless a test says another."""


def rps_bot(hand: str = "ROCK") -> str:
    return f'import json\nprint(json.dumps({{"move": "{hand}"}}))\n'


def zip_file(files: Files, when: datetime = NOON) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, when.timetuple()[:6]), text)
    return content.getvalue()


def tar_file(files: Mapping[str, str]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return content.getvalue()


def download(
    path: Path, submissions: Mapping[str, Files], times: Mapping[str, datetime] | None = None
) -> Path:
    """Write a zip file with the files of each student: `{"Ana Silva_101": {"bot.zip": ...}}`."""
    with zipfile.ZipFile(path, "w") as archive:
        for student, files in submissions.items():
            when = (times or {}).get(student, NOON)
            for name, content in files.items():
                inside = f"{student}_assignsubmission_file_/{name}"
                archive.writestr(zipfile.ZipInfo(inside, when.timetuple()[:6]), content)
    return path


# --- a class ---------------------------------------------------------------------------------------

LATER = datetime(2025, 11, 19, 9, 30)

SCISSORS = zip_file({"proj/bot.py": rps_bot("SCISSORS"), "proj/a.txt": "x"})
CLASS: dict[str, Files] = {
    "Ana Silva_101": {"bot.zip": zip_file({"bot.py": rps_bot()})},
    "Bento Souza_102": {"meu_bot.py": rps_bot("PAPER")},
    "Carla Dias_103": {"entrega/final/bot.zip": SCISSORS},
    "João Conceição_104": {"main.py": rps_bot() + "import util\n", "util.py": "", "relatorio.pdf": "%PDF"},
}  # fmt: skip
GROUP_LIST = """\
Nome,Sobrenome,RA,Grupo
Ana,Silva,1001,Patos
Bento,Souza,1002,Patos
Carla,Dias,1003,Gansos
Davi,Lima,1004,-
"""


def resubmission(tmp_path: Path) -> Path:
    """Return a download in which Ana has not changed hers, Bento has in time, and Carla was late."""
    changed = CLASS | {
        "Bento Souza_102": {"bot.py": rps_bot("SCISSORS")},
        "Carla Dias_103": {"bot.py": rps_bot("PAPER")},
        "Davi Lima_108": {"bot.py": rps_bot()},
    }
    times = {"Carla Dias_103": LATER, "Davi Lima_108": LATER}
    return download(tmp_path / "second.zip", changed, times)


DEADLINE = ("--deadline", "2025-11-18")


# --- the command -----------------------------------------------------------------------------------


def import_json(capsys: Captured, *words: object) -> dict[str, Any]:
    code, out, err = run(capsys, "import", *map(str, words), "--json")
    assert code == 0, err
    result: dict[str, Any] = json.loads(out)
    return result


def states(result: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["state"] + (" late" if one["late"] else "") for one in result["submissions"]}


def history(cup: Path) -> list[dict[str, str]]:
    with cup.with_suffix(".submissions.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def playing(cup: Path, entrant: str) -> str:
    """Return the text of the programs that an entrant plays with."""
    entry = read(cup).entry(entrant)
    return "".join(path.read_text() for path in sorted((cup.parent / entry.bot).glob("*.py")))
