"""Bots that are images: built, fetched or loaded, and from then on known by their digest alone."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final, assert_never

from botequim.containers import probe
from botequim.containers.engine import Engine, EngineFailure, Kind
from botequim.core.errors import InputError
from botequim.core.limits import MB, Limits
from botequim.core.messages import Message, msg, plain
from botequim.core.process import Program
from botequim.entrants.copies import copied
from botequim.entrants.entrant import Entrant, Image, Origin

RECIPES: Final = ("Dockerfile", "Containerfile")
KEPT_AS: Final = "localhost/botequim-bot"
"""The name under which images are kept, so that nobody clears them away for having none."""
BUILD_MEMORY: Final = 2048 * MB
SIGNS: Final = ("manifest.json", "oci-layout")
"""Files in an archive that make it an image."""


def is_image(path: Path) -> bool:
    """Whether an archive is an image that an engine has saved."""
    try:
        with tarfile.open(path) as archive:
            return any(member.name.removeprefix("./") in SIGNS for member in archive)
    except (tarfile.TarError, OSError, EOFError):
        return False


async def imaged(
    entrant: Entrant, image: Image, *, workshop: Path, tell: Callable[[Message], None]
) -> Entrant:
    """The same with its image at hand."""
    engine = (await probe.needed()).engine
    limits = entrant.limits or Limits()
    match image.origin:
        case Origin.FOLDER:
            entrant = copied(entrant, workshop)
            found = await _built(engine, entrant, image, limits, tell)
        case Origin.NAME:
            found = await _fetched(engine, entrant, image.what, limits, tell)
        case Origin.ARCHIVE:
            found = await _loaded(engine, entrant, image.what, limits, tell)
        case _:
            assert_never(image.origin)
    assert entrant.program is not None
    return replace(entrant, program=Program((), entrant.program.folder, image=found), image=None)


async def still_there(digest: str) -> bool:
    """Whether the engine has an image."""
    return await (await probe.needed()).engine.image(digest) is not None


async def _built(
    engine: Engine, entrant: Entrant, image: Image, limits: Limits, tell: Callable[[Message], None]
) -> str:
    """From its folder; the same files are not built twice."""
    assert entrant.program is not None
    name = f"{KEPT_AS}:{entrant.digest}"
    there = await engine.image(name)
    if there is not None:
        return there
    folder = entrant.program.folder

    def hear(line: str) -> None:
        tell(msg("building {name}: {step}", name=entrant.name, step=plain(line.strip()[:200])))

    words = ["--memory", str(BUILD_MEMORY), "--memory-swap", str(BUILD_MEMORY), "--force-rm"]
    if engine.kind is Kind.PODMAN:
        words += ["--pull=missing"]
    words += ["--file", str(folder / image.what), "--tag", name, str(folder)]
    await _asked(
        engine,
        ("build", *words),
        limits,
        hear,
        msg('"{given}": its {recipe} cannot be built', given=entrant.given, recipe=image.what),
    )
    built = await engine.image(name)
    assert built is not None
    return built


async def _fetched(
    engine: Engine, entrant: Entrant, name: str, limits: Limits, tell: Callable[[Message], None]
) -> str:
    there = await engine.image(name)
    if there is None:
        tell(msg("fetching the image {name}", name=name))
        why = msg('"{given}": {engine} has no such image, and cannot fetch it', given=entrant.given,
                  engine=engine.kind.value)  # fmt: skip
        await _asked(engine, ("pull", name), limits, None, why)
        there = await engine.image(name)
        assert there is not None
    return await _kept(engine, there)


async def _loaded(
    engine: Engine, entrant: Entrant, path: str, limits: Limits, tell: Callable[[Message], None]
) -> str:
    tell(msg("loading the image {name}", name=Path(path).name))
    why = msg('"{given}": {engine} cannot load it', given=entrant.given, engine=engine.kind.value)
    told = await _asked(engine, ("load", "--input", path), limits, None, why)
    name = told.strip().splitlines()[-1].split()[-1].split(",")[0] if told.strip() else ""
    there = await engine.image(name)
    if there is None:
        raise InputError(msg("{problem}: {why}", problem=why, why=plain(json.dumps(told[-200:]))))
    return await _kept(engine, there)


async def _kept(engine: Engine, digest: str) -> str:
    name = f"{KEPT_AS}:{digest.removeprefix('sha256:')[:32]}"
    await engine.tell("tag", digest.removeprefix("sha256:"), name)
    return digest


async def _asked(
    engine: Engine,
    words: tuple[str, ...],
    limits: Limits,
    on_line: Callable[[str], None] | None,
    problem: Message,
) -> str:
    """What the engine says. That it fails is what somebody gave us to blame for, with its last words."""
    try:
        return await engine.tell(*words, seconds=limits.build, on_line=on_line)
    except EngineFailure as failure:
        error = InputError(msg("{problem}: {why}", problem=problem, why=failure.message))
        error.details = failure.said[-4000:]
        raise error from failure
