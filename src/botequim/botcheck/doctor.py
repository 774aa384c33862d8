"""Tries which parts of Botequim work on this machine."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from botequim import i18n, interrupts, registry
from botequim.botcheck.channels import Place, avoidable_channels
from botequim.compiled import SAMPLES, is_compiled
from botequim.core.errors import BotequimError
from botequim.core.limits import EnforcedLimit, limits_list
from botequim.core.messages import Message, comma_list, msg, plain
from botequim.engine.executors import cores
from botequim.sandbox import probe as sandbox_probe
from botequim.sandbox.containers.engine import Kind
from botequim.sandbox.containers.probe import MISSING, probe_engine
from botequim.sandbox.containers.sandbox import WRITABLE

PROBE_SECONDS = 20


class State(StrEnum):
    """The state of a part."""

    WORKS = "works"
    MISSING = "missing"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """One part, and what to do about it if it does not work."""

    part: Message
    state: State
    detail: Message
    remedy: Message | None = None
    needed: bool = False
    """Whether Botequim does not work without this part."""


def examine() -> Iterator[Finding]:
    """Examine every part, one after the other. Some take a few seconds."""
    for probe in PROBES:
        yield probe()


def _python() -> Finding:
    detail = msg("{version}, {cores} cores", version=platform.python_version(), cores=cores())
    return Finding(msg("Python"), State.WORKS, detail, needed=True)


def _games() -> Finding:
    working, broken = [], []
    for name in registry.game_names():
        try:
            working.append(registry.game(name).name)
        except BotequimError as error:
            broken.append(error.message)
    part = msg("installed games")
    if not working:
        remedy = msg("install Botequim again; in its checkout: pip install --editable .")
        return Finding(part, State.MISSING, msg("no game can be played"), remedy, needed=True)
    names = plain(", ".join(working))
    if broken:
        remedy = msg("uninstall or fix the plugin; the other games are not affected")
        detail = msg("{names}; but: {why}", names=names, why=broken[0])
        return Finding(part, State.BROKEN, detail, remedy)
    return Finding(part, State.WORKS, names, needed=True)


def _check_compiled() -> Finding:
    part = msg("compiled rules")
    if all(is_compiled(name) for name in SAMPLES):
        return Finding(part, State.WORKS, msg("all, with mypyc"))
    remedy = msg(
        "everything works without them; for speed, install a C compiler (apt-get install gcc "
        "libc6-dev python3-dev) and then botequim again"
    )
    return Finding(part, State.MISSING, msg("the rules run as plain Python, more slowly"), remedy)


def _languages() -> Finding:
    part = msg("languages")
    if i18n.catalogues_exist():
        return Finding(part, State.WORKS, plain(", ".join(i18n.LANGUAGES)))
    remedy = msg("install botequim again: its message catalogues were not compiled")
    return Finding(part, State.BROKEN, msg("only English"), remedy)


def _bubblewrap() -> Finding:
    part = msg("sandbox: bubblewrap")
    result = sandbox_probe.probe_result()
    if result.sandbox is None:
        remedy = msg("until it works, you can only run your own bots, without isolation")
        return Finding(part, State.MISSING, result.why or plain("-"), remedy)
    limits = result.sandbox.enforces
    detail = msg(
        "enforces by control groups: {some}; by other means: {others}",
        some=limits_list(result.by_groups),
        others=limits_list(limits - result.by_groups),
    )
    missing = [limit for limit in EnforcedLimit if limit not in limits]
    note = None
    if not result.sandbox.private:
        note = msg("two instances of one bot can signal to each other by locks on shared files")
    else:
        note = _channels_note(Place.USER if os.geteuid() else Place.ROOT)
    if note is not None:
        detail = msg("{detail}; {note}", detail=detail, note=note)
    if missing:
        how = sandbox_probe.remedy(missing[0], result.sandbox)
        remedy = msg("does not enforce: {names}; {remedy}", names=limits_list(missing), remedy=how)
        return Finding(part, State.BROKEN, detail, remedy)
    if not result.sandbox.private:
        remedy = msg("this needs overlayfs, which ordinary users can use on Linux 5.11 or later")
        return Finding(part, State.BROKEN, detail, remedy)
    return Finding(part, State.WORKS, detail)


def _channels_note(place: Place) -> Message | None:
    """Return a note on the channels that are open in a place and closed elsewhere; None if there is none."""
    channels = avoidable_channels(place)
    if not channels:
        return None
    return msg(
        "two instances of one bot can signal to each other by {channels}: see docs/reference/security.md",
        channels=comma_list(channels),
    )


def _engine(kind: Kind, package: str) -> Callable[[], Finding]:
    def probe() -> Finding:
        part = msg("containers: {engine}", engine=kind.value)
        result = interrupts.run(probe_engine(kind))
        if result.why == MISSING:
            remedy = msg(
                "for bots that come as images, install it: apt-get install {package}", package=package
            )
            return Finding(part, State.MISSING, msg("no {command} command", command=kind.value), remedy)
        if result.sandbox is None:
            remedy = (
                msg("start the docker service (dockerd), or use podman, which needs no service")
                if kind is Kind.DOCKER
                else msg(
                    "run `podman info` to see what is wrong; with hybrid control groups, install runc "
                    "instead of crun"
                )
            )
            return Finding(part, State.BROKEN, result.why or plain("-"), remedy)
        limits = [limit for limit in EnforcedLimit if limit in result.sandbox.enforces]
        detail = msg("enforces: {limits}", limits=limits_list(limits))
        if not result.sandbox.layered:
            detail = msg(
                "{detail}; a container can write only in {places}",
                detail=detail,
                places=plain(", ".join(WRITABLE)),
            )
        if (note := _channels_note(Place.CONTAINER)) is not None:
            detail = msg("{detail}; {note}", detail=detail, note=note)
        missing = [limit for limit in EnforcedLimit if limit not in limits]
        if not missing:
            return Finding(part, State.WORKS, detail)
        remedy = msg(
            "does not enforce: {names}; {remedy}",
            names=limits_list(missing),
            remedy=sandbox_probe.remedy(missing[0], result.sandbox),
        )
        return Finding(part, State.BROKEN, detail, remedy)

    return probe


def _compiler() -> Finding:
    part = msg("C compiler")
    command = shlex.split(os.environ.get("CC", "cc")) or ["cc"]
    code, output = _try(*command, "--version")
    if code == 0:
        return Finding(part, State.WORKS, plain(output.splitlines()[0] if output else command[0]))
    remedy = msg("for bots written in C, install one: apt-get install gcc libc6-dev")
    return Finding(part, State.MISSING, msg("no {command} command", command=command[0]), remedy)


def _try(*command: str) -> tuple[int, str]:
    try:
        ran = subprocess.run(command, capture_output=True, timeout=PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return -1, str(error)
    output = (ran.stdout + ran.stderr).decode("utf-8", "replace").strip()
    return ran.returncode, output[-4000:] if ran.returncode == 0 else output.splitlines()[
        -1
    ] if output else "-"


PROBES: tuple[Callable[[], Finding], ...] = (
    _python,
    _games,
    _check_compiled,
    _languages,
    _compiler,
    _bubblewrap,
    _engine(Kind.PODMAN, "podman runc"),
    _engine(Kind.DOCKER, "docker.io"),
)
