"""Downloads of a learning platform, made of real archives."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

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
