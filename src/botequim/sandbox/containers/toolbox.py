"""Builds an image to try an engine, from a few programs of this machine, so that no registry is needed."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from botequim.sandbox.containers.engine import Engine
from botequim.sandbox.selftest import TOOLS

NAME: Final = "localhost/botequim-toolbox"
FOLDERS: Final = ("tmp", "proc", "sys", "dev", "run", "etc", "var/tmp")
_LIBRARY: Final = re.compile(r"(/[^\s]+) \(0x")


async def image(engine: Engine) -> str:
    """Return the digest of the image, which is built if it does not exist."""
    files = _files()
    digest = hashlib.sha256()
    for name_in_image, path in files.items():
        digest.update(name_in_image.encode() + path.read_bytes())
    name = f"{NAME}:{digest.hexdigest()[:16]}"
    digest_found = await engine.image(name)
    if digest_found is None:
        with tempfile.TemporaryDirectory(prefix="botequim-") as folder:
            archive = Path(folder, "toolbox.tar")
            _pack(files, archive)
            await engine.tell("import", str(archive), name)
        digest_found = await engine.image(name)
    assert digest_found is not None
    return digest_found


def _files() -> dict[str, Path]:
    """Return the programs and the libraries that they need, by their path in the image."""
    files: dict[str, Path] = {}
    for name in TOOLS:
        program = shutil.which(name)
        if program is None:
            continue
        files[f"bin/{name}"] = Path(program).resolve()
        result = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
        for library in _LIBRARY.findall(result.stdout):
            files[library.lstrip("/")] = Path(library).resolve()
    return dict(sorted(files.items()))


def _pack(files: dict[str, Path], archive: Path) -> None:
    with tarfile.open(archive, "w") as tar:
        for name in FOLDERS:
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
        for name, path in files.items():
            content = path.read_bytes()
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755
            tar.addfile(entry, io.BytesIO(content))
