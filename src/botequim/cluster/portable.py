"""Entrants that travel to another machine: values without paths, which become entrants again there.

An entrant that is ready to play on the coordinator contains paths of that machine: the copy of its files, an
interpreter, the host that loads its file. `to_portable` replaces each of them by what it means (`Place`,
`NamedProgram`), and `from_portable` finds that on the machine that plays. The files and images themselves
travel as parcels.

A machine may lack what a bot needs. What can be said in a word is one of the `needs` of a portable entrant,
by which a scheduler chooses the machine. Everything is checked again on the machine that plays: it raises
`NotHere`, because a bot must not lose games for a program that is missing there. Nothing is needed that the
coordinator's machine lacks: such a bot fails everywhere, and that is its own fault.
"""

from __future__ import annotations

import functools
import ipaddress
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from botequim import registry
from botequim.bots.digests import VERSION_2, digest_of
from botequim.bots.entrant import Entrant
from botequim.bots.environments import base_python, has_base_python, is_below
from botequim.bots.interpreters import find_program, npm_script, python, script_of
from botequim.bots.links import examine_links
from botequim.bots.snapshot import charge_tree_errors_to
from botequim.bots.trees import printable, real_path
from botequim.cluster.calls import called_programs
from botequim.cluster.platforms import (
    SANDBOX_PATH,
    TreeContents,
    depends_on_platform,
    glibc_version,
    is_interpreter,
    local_platforms,
    platform_capabilities,
    platform_name,
    read_tree,
)
from botequim.cluster.platforms import capabilities as capabilities
from botequim.cluster.portable_build import BuiltFiles, PortableBuild
from botequim.cluster.portable_command import (
    NamedProgram,
    Place,
    Word,
    local_program,
    local_text,
    portable_program_word,
    portable_word,
    require_inside,
)
from botequim.core.errors import BotequimError, InputError
from botequim.core.limits import Limits
from botequim.core.messages import Message, msg
from botequim.core.process import Program

CONTAINERS: Final = "containers"
"""What a machine offers that can run images."""
NODE: Final = "program:node"
IMAGE_PARCEL: Final = "image-"


class NotHere(BotequimError):
    """Something that a bot needs is not on this machine; another machine may have it."""


@dataclass(frozen=True, slots=True)
class PortableProgram:
    """How a bot is started, and what it needs of a machine that is not known in a word."""

    program: NamedProgram | Word = ()
    arguments: tuple[Word, ...] = ()
    script: str | None = None
    """The script of package.json that is run instead."""
    variables: tuple[tuple[str, Word], ...] = ()
    alias: str = ""
    """The folder on the coordinator where a file of the bot was made that contains this path: for example a
    script of a virtual environment. It is empty if no file contains it. It is not a path of the machine that
    plays: only the sandbox shows the files of the bot under it, too (`Program.alias`)."""
    environments: tuple[str, ...] = ()
    """The virtual environments in its folder that need a Python of the machine, the one that made them."""
    calls: tuple[str, ...] = ()
    """Interpreters that its scripts call by name, which must be programs of the system."""
    glibc: int = 0
    """N of the version 2.N of glibc that its binaries need; 0 for none."""


@dataclass(frozen=True, slots=True)
class PortableEntrant:
    """An entrant without paths of the machine that it was prepared on. It can be pickled.

    `given` is what the user wrote, which records contain. It may look like a path, but nothing is read there.
    """

    name: str
    given: str
    wire: tuple[str, str] | None = None
    """The game, or "" for any, and the name of its wire; None for a built-in player."""
    program: PortableProgram | None = None
    address: str = ""
    by_member: bool = False
    digest: str = ""
    """The digest of its files that records contain."""
    commit: str = ""
    limits: Limits = field(default_factory=Limits)
    files: str = ""
    """The digest, version 2, of the files that it plays with."""
    image: str = ""
    volumes: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()
    """What a machine must offer to run these files; see `capabilities`."""
    build: PortableBuild | None = None
    """How to build it for another platform, if these files run only on some and its sources are there."""
    platform: str = ""
    """The platform that these files were built for, if that is not the coordinator's."""

    @property
    def parcel(self) -> str:
        """The name of the parcel with its files or its image; "" if it has neither."""
        return f"{IMAGE_PARCEL}{self.image.removeprefix('sha256:')}" if self.image else self.files

    def needs_of_machine(self, *, isolated: bool) -> frozenset[str]:
        """Return what a machine must offer, which may have to build it first, in its sandbox."""
        if self.build is None or not isolated:
            return self.needs
        return frozenset(need for need in self.needs if not depends_on_platform(need)) | {self.build.need}

    def with_files(self, built: BuiltFiles) -> PortableEntrant:
        """Return the same entrant with files for another platform."""
        assert self.program is not None
        program = replace(self.program, alias=built.alias, environments=built.environments, glibc=built.glibc)
        files, platform = built.digest, built.platform
        return replace(self, program=program, files=files, digest=files, platform=platform, build=None)


# --- on the coordinator --------------------------------------------------------------------------------


def to_portable(entrant: Entrant) -> PortableEntrant:
    """Return a prepared entrant as a value that can travel.

    All its files are read, so the result should be kept. Raise InputError if it cannot play on another
    machine.
    """
    assert entrant.image is None, "it is not prepared"
    wire, program = entrant.wire, entrant.program
    portable = PortableEntrant(
        name=entrant.name,
        given=entrant.given,
        wire=None if wire is None else (wire.game or "", wire.name),
        address=entrant.address,
        by_member=entrant.by_member,
        digest=entrant.digest,
        commit=entrant.commit,
        limits=entrant.limits,
    )
    if entrant.address:
        _require_shared_address(entrant)
    if program is None:
        return portable
    if program.image:
        needs = frozenset({CONTAINERS, *(f"platform:{name}" for name in local_platforms() if name != "i386")})
        return replace(portable, image=program.image, volumes=program.volumes, needs=needs)
    with charge_tree_errors_to(entrant):
        own_digest = entrant.digest.startswith(VERSION_2)
        files = entrant.digest if own_digest else digest_of(program.folder)
        contents = read_tree(program.folder, _own_paths(program))
    started, needs = _portable_program(entrant, program, contents)
    build = _portable_build(entrant, program) if any(map(depends_on_platform, needs)) else None
    return replace(portable, program=started, files=files, needs=needs, build=build)


def _portable_build(entrant: Entrant, program: Program) -> PortableBuild | None:
    if entrant.sources is None:
        return None
    alias = str(program.alias or "")
    with charge_tree_errors_to(entrant):
        mentions = read_tree(entrant.sources.folder, [alias]).mentions if alias else ()
    return PortableBuild(entrant.build, entrant.sources.digest, alias if alias in mentions else "")


def _require_shared_address(entrant: Entrant) -> None:
    """Raise InputError if a server can be reached from this machine only."""
    host = urlsplit(entrant.address).hostname or ""
    try:
        number = ipaddress.ip_address(host)
        local = number.is_loopback or number.is_unspecified
    except ValueError:
        local = host == "localhost" or host.endswith(".localhost")
    if local:
        raise InputError(
            msg(
                '"{given}" is an address of this machine, which other machines cannot reach; give the name '
                "of this machine instead, or the bot itself",
                given=entrant.given,
            )
        )


def _own_paths(program: Program) -> list[str]:
    """Return the paths under which a bot sees its own files, the longest first."""
    paths = {str(path) for path in (program.folder, program.alias) if path not in (None, Path("/"))}
    return sorted(paths, key=len, reverse=True)


def _portable_program(
    entrant: Entrant, program: Program, contents: TreeContents
) -> tuple[PortableProgram, frozenset[str]]:
    """Return how a bot is started, and its needs."""
    own = _own_paths(program)
    environments = _environments(program, contents, own)
    calls = called_programs(program)
    started = PortableProgram(
        variables=tuple((name, portable_word(text, own, None)) for name, text in program.environment.items()),
        alias=_alias(program, contents),
        environments=tuple(environments),
        calls=calls,
        glibc=contents.glibc(),
    )
    needs = {f"program:{name}" for name in environments.values()} & capabilities()
    needs |= {f"program:{name}" for name in calls} | contents.needs()
    if (script := script_of(program.command)) is not None:
        return replace(started, script=script), frozenset(needs | ({NODE} & capabilities()))
    host = None if entrant.wire is None else entrant.wire.host
    words = [portable_word(word, own, host) for word in program.command]
    for word in words[1:]:
        require_inside(entrant, word)
    first = portable_program_word(entrant, words[0])
    if isinstance(first, NamedProgram) and is_interpreter(first.name):
        needs |= {f"program:{first.name}"}
    return replace(started, program=first, arguments=tuple(words[1:])), frozenset(needs)


def _alias(program: Program, contents: TreeContents) -> str:
    """Return the path of the bot's folder that its files contain, or nothing."""
    for path in (program.alias, program.folder):  # what a build makes contains the path of the copy
        if path is not None and str(path) in contents.mentions:
            return str(path)
    return ""


def _environments(program: Program, contents: TreeContents, own: Sequence[str]) -> dict[str, str]:
    """Return the virtual environments that need a Python of the machine, with the name of that Python.

    All of them are taken, because nobody knows which ones the bot uses.
    """
    found: dict[str, str] = {}
    for name in contents.environments:
        environment = program.folder / name
        if has_base_python(environment) and not is_below(base_python(environment), map(Path, own)):
            found[name] = real_path(base_python(environment)).name
    return found


# --- on the machine that plays -------------------------------------------------------------------------


def runs_here(portable: PortableEntrant) -> bool:
    """Return whether this machine can run the programs among the files of an entrant as they are."""
    glibc = portable.program.glibc if portable.program is not None else 0
    needs = set(filter(depends_on_platform, portable.needs))
    return needs <= platform_capabilities() and glibc <= (glibc_version() or 0)


def describe_build(program: Program) -> BuiltFiles:
    """Return what other machines of this platform must know about a program that was built on this one."""
    own = _own_paths(program)
    contents = read_tree(program.folder, own)
    environments = tuple(_environments(program, contents, own))
    digest, alias = digest_of(program.folder), _alias(program, contents)
    return BuiltFiles(digest, platform_name(), alias, environments, contents.glibc())


def from_portable(portable: PortableEntrant, folder: Path | None) -> Entrant:
    """Return an entrant that can play on this machine, with its files in a folder, if it has any.

    Raise NotHere if something that it needs is missing. The result is the same until its files change.
    """
    wire = None if portable.wire is None else registry.wire(*portable.wire)
    program: Program | None = None
    if portable.image:
        program = Program((), Path("/"), image=portable.image, volumes=portable.volumes)
    elif portable.program is not None:
        assert folder is not None
        program = _local_program(portable, folder.resolve())
    return Entrant(
        name=portable.name,
        given=portable.given,
        wire=wire,
        program=program,
        address=portable.address,
        by_member=portable.by_member,
        digest=portable.digest,
        commit=portable.commit,
        limits=portable.limits,
        platform=portable.platform,
    )


async def load_image(portable: PortableEntrant, archive: Path) -> None:
    """Load the image of an entrant from its parcel, unless the engine has it, without names from the parcel.

    Raise InputError if the parcel contains another image.
    """
    from botequim.bots.images import load_saved_image

    assert portable.image
    await load_saved_image(portable.image, archive)


@functools.lru_cache(maxsize=256)
def _local_program(portable: PortableEntrant, folder: Path) -> Program:
    started = portable.program
    assert started is not None
    host = None if portable.wire is None else registry.wire(*portable.wire).host
    paths = {Place.FOLDER: str(folder), Place.PYTHON: str(python())}
    paths |= {} if host is None else {Place.HOST: str(host.script)}
    _require_present(portable, started, folder)
    if started.script is not None:
        command, extra_paths = npm_script(started.script)
    else:
        words = [local_text(word, paths) for word in started.arguments]
        first = started.program
        name = local_program(first) if isinstance(first, NamedProgram) else local_text(first, paths)
        try:
            command, extra_paths = find_program([name, *words], folder, given=portable.given)
        except InputError as error:
            raise _missing(portable, Path(name).name) from error
    if host is not None and any(Place.HOST in word for word in started.arguments):
        extra_paths = (*extra_paths, host.script.parent)
    links = examine_links(folder, folder, extra_paths)
    for link in links.lost:
        inside = started.alias and is_below(Path(link.target), [Path(started.alias)])
        if command[0] == str(folder / link.path) and not inside:
            raise _missing(portable, link.target)
    return Program(
        command,
        folder,
        {name: local_text(word, paths) for name, word in started.variables},
        links.interpreters,
        alias=Path(started.alias) if started.alias else None,
    )


def _require_present(portable: PortableEntrant, started: PortableProgram, folder: Path) -> None:
    """Raise NotHere if this machine lacks something that is not part of the command."""
    for name in started.environments:
        if not has_base_python(folder / name):
            raise _missing(portable, str(base_python(folder / name)))
    for name in started.calls:
        if shutil.which(name, path=SANDBOX_PATH) is None:
            raise _missing(portable, name)
    if started.script is not None and NODE in portable.needs and shutil.which("node") is None:
        raise _missing(portable, "node")
    here = glibc_version()
    if started.glibc and (here is None or here < started.glibc):
        raise _missing(portable, f"glibc 2.{started.glibc}")


def _missing(portable: PortableEntrant, what: str) -> NotHere:
    why: Message = msg(
        '"{given}" needs {what}, which is not on this machine', given=portable.given, what=printable(what)
    )
    return NotHere(why)
