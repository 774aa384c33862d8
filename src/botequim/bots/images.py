"""Build, fetch or load the images of bots. From then on an image is known by its digest alone."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, assert_never

from botequim.bots.archive import copy_without_names
from botequim.bots.entrant import Entrant, Image, Origin
from botequim.bots.folders import RECIPES
from botequim.bots.snapshot import snapshot_files
from botequim.bots.trees import real_path
from botequim.core.errors import InputError
from botequim.core.limits import MB
from botequim.core.messages import Message, msg, plain
from botequim.core.process import Program
from botequim.core.wire import TransportKind
from botequim.sandbox.containers import names, probe
from botequim.sandbox.containers.engine import Engine, EngineFailure, Kind

IGNORED: Final = (".containerignore", ".dockerignore")
"""Files that say what is not part of an image."""
KEPT_AS: Final = "localhost/botequim-bot"
"""The name under which images are kept, so that nobody clears them away for having none."""
BUILD_MEMORY: Final = 2048 * MB
BUILD_CPUS: Final = 2
TRANSFER_SECONDS: Final = 1800.0
"""The time to save or load an image of our own, of whatever size."""
CACHE_FAILURE: Final = "checking if cached image exists"
"""The error of podman if somebody removes an image during a build that could reuse its layers."""
OWN_NAMESPACE: Final = (
    "setpriv", "--pdeathsig", "KILL", "--",
    "unshare", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--",
)  # fmt: skip


async def prepare_image(
    entrant: Entrant, *, workshop: Path, build_seconds: float, tell: Callable[[Message], None]
) -> Entrant:
    """Return the entrant with its image, which the engine has and can run.

    `build_seconds` is the time to build or fetch the image.
    """
    image, wire = entrant.image, entrant.wire
    assert image is not None
    assert wire is not None
    containers = await probe.require_engine()
    engine = containers.engine
    match image.origin:
        case Origin.FOLDER:
            entrant = snapshot_files(entrant, workshop)
            found = await _build(engine, entrant, image, build_seconds, tell)
        case Origin.NAME:
            found = await _fetch(engine, entrant, image.what, build_seconds, tell)
        case Origin.ARCHIVE:
            found = await _load(engine, entrant, image.what, build_seconds, tell)
        case _:
            assert_never(image.origin)
    assert entrant.program is not None
    config = await engine.config(found)
    # such a program is given the question as an argument; arena uses standard input
    if wire.transport is TransportKind.ONCE and wire.game is not None:
        _require_entrypoint(entrant, config)
    volumes = tuple(sorted(config.get("Volumes") or {}))
    program = Program((), entrant.program.folder, image=found, volumes=volumes)
    try:
        await containers.try_out(program, entrant.limits)
    except EngineFailure as failure:
        raise InputError(
            msg('"{given}": its image cannot be run: {why}', given=entrant.given, why=failure.message)
        ) from failure
    return replace(entrant, program=program, image=None, log_file=names.log_file(config))


def _require_entrypoint(entrant: Entrant, config: Mapping[str, Any]) -> None:
    """Raise InputError if an argument would not reach the program: a shell drops what replaces CMD."""
    entrypoint = config.get("Entrypoint") or []
    if entrypoint and not (list(entrypoint[:2]) == ["/bin/sh", "-c"] and len(entrypoint) == 3):
        return
    raise InputError(
        msg(
            '"{given}": its image gets an argument for each move, so it needs an ENTRYPOINT '
            'written as a list: ENTRYPOINT ["python3", "bot.py"]. With CMD, the argument would '
            "replace the command; without brackets, a shell would run the command without the "
            "argument",
            given=entrant.given,
        )
    )


async def has_image(digest: str) -> bool:
    return await (await probe.require_engine()).engine.image(digest) is not None


async def _build(
    engine: Engine, entrant: Entrant, image: Image, seconds: float, tell: Callable[[Message], None]
) -> str:
    """Build the image from its folder. The same files are not built twice."""
    assert entrant.program is not None
    name = f"{KEPT_AS}:{entrant.digest}"
    there = await engine.image(name)
    if there is not None:
        return there
    folder = entrant.program.folder
    _require_own_recipes(entrant, folder)

    def hear(line: str) -> None:
        tell(msg("building {name}: {step}", name=entrant.name, step=plain(line.strip()[:200])))

    words = ["--memory", str(BUILD_MEMORY), "--memory-swap", str(BUILD_MEMORY), "--force-rm"]
    words += ["--cpu-period", "100000", "--cpu-quota", str(BUILD_CPUS * 100_000)]
    if engine.kind is Kind.PODMAN:
        words += ["--pull=missing"]
    words += ["--file", str(folder / image.what), "--tag", name, str(folder)]
    problem = msg('"{given}": its {recipe} cannot be built', given=entrant.given, recipe=image.what)
    with alone(engine):
        before = await engine.leftovers()
        try:
            try:
                await _run_engine(engine, ("build", *words), seconds, hear, problem, ends_with_us=True)
            except InputError as failure:
                if CACHE_FAILURE not in str(failure):
                    raise
                uncached = ("build", "--no-cache", *words)
                await _run_engine(engine, uncached, seconds, hear, problem, ends_with_us=True)
        except BaseException as error:
            if left := await engine.leftovers() - before:
                await engine.remove(*left)
            if isinstance(error, InputError):
                await _raise_if_not_fetched(engine, entrant, image.what, error)
            raise
    built = await engine.image(name)
    assert built is not None
    return built


def _require_own_recipes(entrant: Entrant, folder: Path) -> None:
    """Raise InputError for links out of the folder: the engine reads these files on our side."""
    for name in (*RECIPES, *IGNORED):
        path = folder / name
        if path.is_symlink() and not (path.exists() and real_path(path).is_relative_to(folder.resolve())):
            raise InputError(
                msg(
                    '"{given}": {name} is a link that leads out of its folder', given=entrant.given, name=name
                )
            )


async def _raise_if_not_fetched(engine: Engine, entrant: Entrant, recipe: str, error: InputError) -> None:
    """Name the image that a build failed for, if it failed because one could not be fetched."""
    assert entrant.program is not None
    path = entrant.program.folder / recipe
    text = "" if path.is_symlink() else path.read_text(encoding="utf-8", errors="replace")
    for base in names.bases(text):
        repository = base.partition("@")[0].rpartition("/")[2].partition(":")[0]
        if repository in str(error) and await engine.image(base) is None:
            why = msg(
                '"{given}": its {recipe} is built on the image {image}, which {engine} does not have and '
                "cannot fetch. {advice}",
                given=entrant.given,
                recipe=recipe,
                image=base,
                engine=engine.kind.value,
                advice=_advice(engine, base, text),
            )
            raise _with_details(why, error) from error


def _with_details(message: Message, error: InputError) -> InputError:
    result = InputError(message)
    result.details = error.details
    return result


def _advice(engine: Engine, image: str, recipe: str = "") -> Message:
    command = names.command(recipe)
    return msg(
        "Connect this machine to the Internet and run `{engine} pull {image}`, or run the bot without a "
        "container, by its command: cmd:'{command}'",
        command=msg("COMMAND") if command is None else plain(command),
        engine=engine.kind.value,
        image=names.full_name(image),
    )


@contextmanager
def alone(engine: Engine) -> Iterator[None]:
    """Wait until no other process of ours builds, so that leftovers of a failed build can be identified."""
    with Path(engine.path).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


async def _fetch(
    engine: Engine, entrant: Entrant, name: str, seconds: float, tell: Callable[[Message], None]
) -> str:
    there = await engine.image(name)
    if there is None:
        tell(msg("fetching the image {name}", name=name))
        problem = msg(
            '"{given}": {engine} has no such image, and cannot fetch it. {advice}',
            given=entrant.given,
            engine=engine.kind.value,
            advice=_advice(engine, name),
        )
        try:
            await _run_engine(engine, ("pull", names.full_name(name)), seconds, None, problem)
        except InputError as error:
            raise _with_details(problem, error) from error
        there = await engine.image(name)
        assert there is not None
    return await _tag_image(engine, there)


async def _load(
    engine: Engine, entrant: Entrant, path: str, seconds: float, tell: Callable[[Message], None]
) -> str:
    tell(msg("loading the image {name}", name=Path(path).name))
    problem = msg('"{given}": {engine} cannot load it', given=entrant.given, engine=engine.kind.value)
    return await _tag_image(engine, await _load_archive(engine, Path(path), seconds, problem))


async def _load_archive(engine: Engine, path: Path, seconds: float, problem: Message) -> str:
    """Return the digest of the image in an archive, which is loaded without the names in it."""
    with tempfile.TemporaryDirectory(prefix="botequim-") as folder:
        nameless = Path(folder, "image.tar")
        try:
            await asyncio.to_thread(copy_without_names, path, nameless)
        except InputError as error:
            raise InputError(msg("{problem}: {why}", problem=problem, why=error.message)) from error
        output = await _run_engine(engine, ("load", "--input", str(nameless)), seconds, None, problem)
    name = output.strip().splitlines()[-1].split()[-1].split(",")[0] if output.strip() else ""
    there = await engine.image(name)
    if there is None:
        raise InputError(msg("{problem}: {why}", problem=problem, why=plain(json.dumps(output[-200:]))))
    return there


async def save_image(digest: str, path: Path) -> None:
    """Write an image that the engine has to a file, which any engine can load."""
    engine = (await probe.require_engine()).engine
    problem = msg("{engine} cannot save the image {image}", engine=engine.kind.value, image=digest)
    style = ("--format", "docker-archive") if engine.kind is Kind.PODMAN else ()
    words = ("save", *style, "--output", str(path), digest.removeprefix("sha256:"))
    await _run_engine(engine, words, TRANSFER_SECONDS, None, problem)


async def load_saved_image(digest: str, path: Path) -> None:
    """Load an image from a file of `save_image`, unless the engine has it.

    Raise InputError if the file contains another image.
    """
    engine = (await probe.require_engine()).engine
    problem = msg("{engine} cannot load the image {image}", engine=engine.kind.value, image=digest)
    with alone(engine):
        if await engine.image(digest) is None:
            found = await _load_archive(engine, path, TRANSFER_SECONDS, problem)
            if found != digest:
                why = msg("the file contains another image, {found}", found=found)
                raise InputError(msg("{problem}: {why}", problem=problem, why=why))
        await _tag_image(engine, digest)


async def _tag_image(engine: Engine, digest: str) -> str:
    name = f"{KEPT_AS}:{digest.removeprefix('sha256:')[:32]}"
    await engine.tell("tag", digest.removeprefix("sha256:"), name)
    return digest


async def _run_engine(
    engine: Engine,
    words: tuple[str, ...],
    seconds: float,
    on_line: Callable[[str], None] | None,
    problem: Message,
    *,
    ends_with_us: bool = False,
) -> str:
    """Run a command of the engine. If it fails, raise an InputError with the `problem` and the last lines.

    `ends_with_us`: it starts programs of strangers, in a process namespace that ends with the engine's
    command or with us. Only root can make a namespace that an engine works in. An engine that is killed
    leaves its temporary files, so they are in a folder that is removed here.
    """
    before = OWN_NAMESPACE if ends_with_us and os.geteuid() == 0 else ()
    try:
        with tempfile.TemporaryDirectory(prefix="botequim-", ignore_cleanup_errors=True) as folder:
            environment = {"TMPDIR": folder}
            if engine.kind is Kind.PODMAN:
                environment |= names.written_settings(Path(folder))
            return await engine.tell(
                *words, seconds=seconds, on_line=on_line, before=before, environment=environment
            )
    except EngineFailure as failure:
        error = InputError(msg("{problem}: {why}", problem=problem, why=failure.message))
        error.details = failure.said[-4000:]
        raise error from failure
