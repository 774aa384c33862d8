"""Plays animals in real games: prepares them like any entrant, seats them, and reads the record."""

from __future__ import annotations

import asyncio
import functools
import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.bots.prepare import prepare
from botequim.bots.routing import RoutingSandbox
from botequim.core.errors import FaultKind
from botequim.core.limits import MB, EnforcedLimit, Limits
from botequim.core.messages import Message
from botequim.core.options import resolve_options
from botequim.core.process import Program, Sandbox
from botequim.core.turn import PlayedMove
from botequim.engine.series import Series, seat_assignments
from botequim.records.reader import parse
from botequim.records.record import Record
from botequim.records.verify import verify_record
from botequim.sandbox.bubblewrap import Bubblewrap
from botequim.sandbox.containers.sandbox import Containers
from botequim.sandbox.none import NoSandbox
from botequim.sandbox.probe import isolating_sandbox
from tests.support import container_engine
from tests.zoo.animal import WIRES, Animal, End
from tests.zoo.taking import TAKING, UNCOUNTED

BODIES = Path(__file__).parent / "bodies"
PROGRAMS = {"uno": "bot.py", "cubos": "server.py", "rps": "bot.py", "havana": "student_players.py"}
OPTIONS: dict[str, dict[str, Any]] = {"uno": {"players": 2}, "rps": {"rounds": 3}}
SMALL = Limits(move=60.0, start=60.0, memory=128 * MB, processes=40, space=4 * MB, timeouts=2)
"""Of all bots."""
LATE = replace(SMALL, move=8.0, start=25.0)
"""Of those that are to be found late: time passes for them when they say so."""
LATE_LINES = """
late = functools.partial(late, 26)
late_with_another = functools.partial(late_with_another, 26)
spend = functools.partial(spend, 26)
"""
EVERYWHERE = ("/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/mnt", "/opt", "/proc", "/root", "/run",
              "/run/lock", "/srv", "/sys", "/sys/fs/cgroup", "/tmp", "/usr", "/usr/bin", "/usr/lib", "/var",
              "/var/lib", "/var/run", "/var/tmp", "/dev/shm", "/dev/mqueue")  # fmt: skip


@dataclass(frozen=True)
class Backend:
    """A way to run bots, and how one is made of a folder for it."""

    name: str
    """As `Sandbox.name` has it, and a word more where one has several ways."""
    isolates: bool
    sandbox: Callable[[], Sandbox]
    entrant: Callable[[Path, str, Sandbox, Path], Entrant]
    """Of a folder, for a game, in a sandbox, with a workshop."""
    only: frozenset[str] | None = None
    """The animals that are let loose in it, by name, where it differs from another for these alone."""
    wires: tuple[str, ...] = WIRES

    def takes(self, animal: Animal) -> bool:
        if self.only is not None and animal.name not in self.only:
            return False
        return self.isolates or not animal.isolated


def _prepare_isolated(folder: Path, game: str, sandbox: Sandbox, workshop: Path) -> Entrant:
    return asyncio.run(prepare(str(folder), game, sandbox, workshop=workshop, isolated=True))


def _prepare_trusted(folder: Path, game: str, sandbox: Sandbox, workshop: Path) -> Entrant:
    return asyncio.run(prepare(str(folder), game, sandbox, workshop=workshop, isolated=False))


IN_ONE = """
import sys, types
animal = sys.modules["animal"] = types.ModuleType("animal")
animal.__file__ = "/usr/bin/animal.py"
exec({animal!r}, animal.__dict__)
exec({body!r})
"""


@functools.cache
def _engine() -> RoutingSandbox:
    """For images; all else is isolated as usual."""
    return RoutingSandbox(isolating_sandbox(), container_engine.engine())


@functools.cache
def _image() -> str:
    images = _engine().images
    assert isinstance(images, Containers)
    found = asyncio.run(images.engine.image(container_engine.BASE))
    assert found is not None
    return found


def _prepare_contained(folder: Path, game: str, sandbox: Sandbox, workshop: Path) -> Entrant:
    """Without building an image for each: its program is all in the command. The tame one stays outside."""
    if folder.name.startswith("tame"):
        return _prepare_isolated(folder, game, sandbox, workshop)
    animal, body = [(folder / name).read_text(encoding="utf-8") for name in ("animal.py", PROGRAMS[game])]
    command = ("/usr/bin/python3", "-c", IN_ONE.format(animal=animal, body=body))
    program = Program(command, Path("/"), image=_image())
    return Entrant.bot("wild", str(folder), registry.wire(game, game), program)


CONTAINED = frozenset(
    {
        "hangs in its third move", "answers twice", "writes 100 MB", "floods its log",
        "ends without an answer", "dies of a segmentation fault", "stops itself", "traps every signal",
        "sends its response very slowly", "fills the disk", "has a child that outlives it",
        "becomes a daemon", "looks for a network", "reads the referee's secrets",
        "has too many children", "uses all memory", "tries to leave the sandbox", "writes everywhere",
    }
)  # fmt: skip
"""Containers take half a second to start: of each kind of animals some."""

BACKENDS = {
    backend.name: backend
    for backend in (
        Backend("none", isolates=False, sandbox=NoSandbox, entrant=_prepare_trusted),
        Backend("bubblewrap", isolates=True, sandbox=isolating_sandbox, entrant=_prepare_isolated),
        Backend(
            "bubblewrap without groups",
            isolates=True,
            sandbox=lambda: Bubblewrap(group_parents=()),
            entrant=_prepare_isolated,
            only=frozenset(animal.name for animal in TAKING),
        ),
        Backend(
            "container",
            isolates=True,
            sandbox=_engine,
            entrant=_prepare_contained,
            only=CONTAINED,
            wires=("uno", "cubos", "rps"),
        ),
    )
}


@dataclass(frozen=True)
class Facts:
    """What a spy is told to look for."""

    token: str
    """Nowhere but in the secrets; also the mark of our processes."""
    secrets: tuple[Path, ...]
    port: int
    """A server of ours that listens; nobody may come."""
    time: str = ""
    """Lines by which an animal says how late it is."""

    def lines(self) -> str:
        """For an animal to read."""
        return self.time + (
            f"TOKEN = {self.token!r}\nSECRETS = {[str(path) for path in self.secrets]!r}\n"
            f"OURS = {self.port}\nGATEWAYS = {_gateways()!r}\n"
            f"EVERYWHERE = {[*EVERYWHERE, *(str(path.parent) for path in self.secrets)]!r}\n"
        )


@contextmanager
def secrets(token: str, folder: Path, time: str = "") -> Iterator[Facts]:
    """Something to find: files, a variable, a server on the loopback, an abstract socket."""
    places = (folder / "referee" / "secret", folder / "workshop" / "secret", folder / "tame-uno" / "secret")
    for place in places:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(token)
    os.environ["BOTEQUIM_ZOO"] = token
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0{token}")
        for line in (server, local):
            line.listen()
            line.setblocking(False)
        yield Facts(token, places, server.getsockname()[1], time)
        for line in (server, local):
            try:
                line.accept()
            except BlockingIOError:
                continue
            raise AssertionError(f"somebody came to {line}")
    del os.environ["BOTEQUIM_ZOO"]
    seen = [place for place in (*EVERYWHERE, folder / "workshop") if _is_there(Path(place, token))]
    assert not seen, f"an animal wrote to {seen}"


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:  # /root, for an ordinary user: where we may not look, no bot of ours may write
        return False


def _gateways() -> list[str]:
    """Of this machine."""
    routes = [line.split() for line in Path("/proc/net/route").read_text().splitlines()[1:]]
    found = [route[2] for route in routes if route[1] == "00000000" and route[2] != "00000000"]
    return [".".join(str(byte) for byte in reversed(bytes.fromhex(gateway))) for gateway in found]


def bot(animal: Animal | None, wire: str, folder: Path, facts: Facts) -> Path:
    """The folder of an animal, or without one of a bot that behaves."""
    home = folder / (f"wild-{wire}" if animal else f"tame-{wire}")
    home.mkdir(parents=True, exist_ok=True)
    shutil.copy(BODIES / f"{wire}.py", home / PROGRAMS[wire])
    usual = (BODIES / "animal.py").read_text(encoding="utf-8")
    lines = facts.lines() + animal.lines if animal else ""
    (home / "animal.py").write_text(usual + lines, encoding="utf-8")
    for name, content in (animal.files if animal else {}).items():
        (home / name).write_text(content.replace("SECRET", str(facts.secrets[0])), encoding="utf-8")
    return home


@dataclass(frozen=True)
class PlayedAnimal:
    """What came of an animal on one wire."""

    wire: str
    end: End
    with_it: Record
    without: Record
    """The game after it, between two that behave."""


def let_loose(
    animal: Animal, backend: Backend, folder: Path, facts: Facts, wires: Collection[str] = WIRES
) -> list[PlayedAnimal]:
    """Play on these wires: a game with the animal, then one without it.

    The wires are tried at the same time, unless the animal is late: the clock jumps for all bots.
    """
    sandbox = backend.sandbox()
    with tempfile.TemporaryDirectory(prefix="botequim-zoo-", dir=folder) as workshop:

        def entrant(one: Animal | None, wire: str, limits: Limits) -> Entrant:
            home = bot(one, wire, folder, facts)
            return replace(backend.entrant(home, wire, sandbox, Path(workshop)), limits=limits)

        games = [
            (
                wire,
                end,
                entrant(animal, wire, LATE if end.kind is FaultKind.TIMEOUT else SMALL),
                entrant(None, wire, SMALL),
            )
            for wire, end in animal.ends(_limits_by(backend, sandbox)).items()
            if wire in backend.wires and wire in wires
        ]

        async def all_wires() -> list[PlayedAnimal]:
            if facts.time:
                return [await _both(sandbox, *game) for game in games]
            results = await asyncio.gather(
                *[_both(sandbox, *game) for game in games], return_exceptions=True
            )  # none is called off for another
            for failure in results:
                if isinstance(failure, BaseException):
                    raise failure
            return [result for result in results if isinstance(result, PlayedAnimal)]

        return asyncio.run(all_wires())


def _limits_by(backend: Backend, sandbox: Sandbox) -> str:
    """Return the backend whose ends apply: most ordinary users may make no control groups."""
    if isinstance(sandbox, Bubblewrap) and not sandbox.enforced_limits >= {
        EnforcedLimit.MEMORY,
        EnforcedLimit.PROCESSES,
    }:
        return UNCOUNTED
    return backend.name


async def _both(sandbox: Sandbox, wire: str, end: End, wild: Entrant, tame: Entrant) -> PlayedAnimal:
    with_it = await _play(sandbox, wire, {"wild": wild, "tame": tame})
    without = await _play(sandbox, wire, {"one": tame, "other": tame})
    return PlayedAnimal(wire, end, with_it, without)


async def _play(sandbox: Sandbox, wire: str, entrants: Mapping[str, Entrant]) -> Record:
    game = registry.game(wire)
    options = resolve_options(game.name, game.options, OPTIONS.get(wire, {}))
    seated = seat_assignments(game.teams(options), list(entrants.values()), list(entrants))
    async with Series(game, seated, games=1, sandbox=sandbox) as series:
        return await series.play(f"zoo/{wire}", options)


# --- reading the record --------------------------------------------------------------------------------


def judge(played: PlayedAnimal) -> None:
    """Whether it ended as it must: asserts."""
    game = registry.game(played.wire)
    teams = game.teams(played.with_it.options)
    by_seat = {seat: _moves_of(played.with_it, seat) for team in teams for seat in team}
    mistakes = {seat: [made for made in moves if made.fault] for seat, moves in by_seat.items()}
    tame = [_move_text(made) for seat in teams[1] for made in mistakes[seat]]
    assert not tame, f"the other player is charged on {played.wire}: {tame}"
    assert not [_move_text(made) for turn in played.without.turns for made in turn if made.fault]
    for record in (played.with_it, played.without):
        (found,) = parse([line.encode() for line in record.lines()], "zoo.jsonl")
        assert verify_record(found).ok
    wild = [made for seat in teams[0] for made in mistakes[seat]]
    if played.end.kind is None:
        assert not wild, f"{played.wire}: {[_move_text(made) for made in wild]}"
        if played.end.why:
            warned = [
                str(warning) for seat in teams[0] for made in by_seat[seat] for warning in made.warnings
            ]
            assert any(played.end.why in warning for warning in warned), (played.wire, warned)
        return
    assert wild, f"nothing is charged on {played.wire}"
    for made in wild:
        _judge_fault(played, made)
    # in the first of its seats that came so far: its partner may have ended the game before
    first = min(by_seat[seat].index(made) + 1 for seat in teams[0] for made in mistakes[seat][:1])
    assert first == played.end.at, f"{played.wire}: at fault in its move {first}"


def _judge_fault(played: PlayedAnimal, made: PlayedMove) -> None:
    fault, end = made.fault, played.end
    assert fault is not None
    if str(fault.reason).startswith("not asked"):
        return
    shown = f"{played.wire}: {_move_text(made)}"
    assert fault.kind is end.kind, shown
    assert end.why in str(fault.reason), shown
    if not fault.evidence:  # the same as before in this game
        return
    for name, part in end.shows.items():
        assert part in str(fault.evidence.get(name, f"no {name}")), shown


def _moves_of(record: Record, seat: int) -> list[PlayedMove]:
    return [made for turn in record.turns for made in turn if made.by == seat]


def _move_text(made: PlayedMove) -> str:
    assert made.fault is not None
    reason: Message = made.fault.reason
    return f"{made.fault.kind} {reason} {dict(made.fault.evidence)}"


def moves(record: Record) -> list[str]:
    """As they were played, without times."""
    return [record.game.write(made.move) for turn in record.turns for made in turn]
