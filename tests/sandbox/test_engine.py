"""The command line of a container engine, with a script in place of podman."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from botequim.sandbox.containers.engine import Engine, EngineFailure, Kind

GONE = "determining buildah container for container 9d63: container not known"


def _engine(folder: Path, script: str) -> Engine:
    """Return an engine whose commands run this script."""
    path = folder / "podman"
    path.write_text(f"#!/bin/sh\ncd {folder}\n{script}\n")
    path.chmod(0o755)
    return Engine(Kind.PODMAN, str(path))


def test_containers_are_listed_although_others_remove_some_meanwhile(tmp_path: Path) -> None:
    fails_once = f'[ -e asked ] || {{ touch asked; echo "{GONE}" >&2; exit 125; }}'
    engine = _engine(tmp_path, f'{fails_once}\necho "ab Storage buildah"; echo "cd Exited sleep"')
    assert asyncio.run(engine.leftovers()) == {"ab"}


@pytest.mark.parametrize("error", [GONE, "no space left on device"])
def test_an_engine_that_cannot_list_its_containers_fails_with_its_own_words(
    tmp_path: Path, error: str
) -> None:
    engine = _engine(tmp_path, f'echo "{error}" >&2; exit 125')
    with pytest.raises(EngineFailure) as failure:
        asyncio.run(engine.leftovers())
    assert error in failure.value.said
