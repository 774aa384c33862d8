"""The folder of a cup, beside its file: the stores, and the bots as they were when the cup began.

`mycup.toml` has `mycup.cup/` with `cup.sqlite`, `bots/` and `portraits/`. There are two more files without
results: `live.sqlite` contains the games in progress and may be lost at any time, and `show.sqlite` contains
what the organiser has made public. An entrant is pinned when it is first needed: its files are copied and
built there, and every later stage plays with that copy, even weeks later. Its digest is checked before each
use.

The stores may be in a database instead: see `botequim.storage.address`. The folder then has only the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from botequim import interrupts, registry
from botequim.bots.digests import has_digest
from botequim.bots.entrant import Entrant, Sources
from botequim.bots.introduction import introduce
from botequim.bots.prepare import prepare
from botequim.bots.snapshot import charge_tree_errors_to
from botequim.bots.tree_files import remove_tree
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.process import Program, Sandbox
from botequim.cup.changes import ChangeEntry, Log
from botequim.cup.config import Cup, Entry
from botequim.cup.stage_changes import new_files
from botequim.cup.titles import PAIR, PORTRAITS
from botequim.render.portraits import portrait_of
from botequim.storage import open_storage
from botequim.storage.address import StoreAddress
from botequim.storage.files import atomic_write, safe_name
from botequim.storage.protocol import CupStorage, CupStore

BOTS: Final = "bots"


@dataclass(frozen=True, slots=True)
class CupPaths:
    """The folder of a cup and what is in it."""

    folder: Path
    store: StoreAddress | None = None
    """Where the stores are; None: in the folder."""

    @classmethod
    def of(cls, cup_file: Path) -> CupPaths:
        return cls(cup_file.with_suffix(".cup"))

    @classmethod
    def of_cup(cls, cup: Cup) -> CupPaths:
        return cls(cup.folder, cup.store)

    @property
    def storage(self) -> CupStorage:
        """Where results, live games, visibility and votes are stored."""
        return open_storage(self.folder, self.store)

    @property
    def bots(self) -> Path:
        return self.folder / BOTS


def pin_entrant(
    cup: Cup,
    entry: Entry,
    store: CupStore,
    sandbox: Sandbox,
    *,
    isolated: bool,
    on_work: Callable[[Entry], None] = lambda entry: None,
    tell: Callable[[Message], None] = lambda said: None,
    pin: str = "",
) -> Entrant:
    """Return an entrant as the cup plays it. Copy and build its files now, unless that was done before.

    `pin` is the name under which its files are stored, if that is not the name of the entrant.
    """
    known = store.entrants().get(pin or entry.name)
    if known is not None:
        home = CupPaths.of_cup(cup)
        try:
            entrant = _from_json(known, home, cup.game)
        except (LookupError, TypeError, AttributeError) as error:
            raise store.damage_error("entrants") from error
        return with_limits(cup, _check_pins(entrant, entry))
    if entry.null:  # the same pinned bot once more, even if its files changed
        twin = cup.entry(entry.twin_of)
        pin_entrant(cup, twin, store, sandbox, isolated=isolated, on_work=on_work, tell=tell)
        store.pin_entrant(entry.name, store.entrants()[twin.name])
        return pin_entrant(cup, entry, store, sandbox, isolated=isolated)
    return pin_files(cup, entry, store, sandbox, isolated=isolated, on_work=on_work, tell=tell, pin=pin)


def pin_files(
    cup: Cup,
    entry: Entry,
    store: CupStore,
    sandbox: Sandbox,
    *,
    isolated: bool,
    on_work: Callable[[Entry], None] = lambda entry: None,
    tell: Callable[[Message], None] = lambda said: None,
    pin: str = "",
) -> Entrant:
    """Copy and build the files of an entrant, store where they are, and return it as the cup plays it.

    Corrected files are stored under a name of their own, `pin`, without a title or pictures of the bot.
    """
    home = CupPaths.of_cup(cup)
    on_work(entry)
    home.bots.mkdir(parents=True, exist_ok=True)
    before = set(home.bots.iterdir())
    try:
        entrant = interrupts.run(
            prepare(
                cup.bot_reference(entry),
                cup.game,
                sandbox,
                workshop=home.bots,
                isolated=isolated,
                build_seconds=cup.limits.get("build"),
                tell=tell,
            )
        )
    except BaseException:
        for half_made in set(home.bots.iterdir()) - before:
            remove_tree(half_made)
        raise
    entrant = replace(entrant, name=entrant.name if entrant.built_in else entry.name, given=entry.bot)
    introduction = {} if pin else _introduction(cup, entry, entrant, sandbox, home)
    store.pin_entrant(pin or entry.name, _as_json(entrant, home) | introduction)
    return with_limits(cup, entrant)


def files_in_stage(cup: Cup, changes: Log, name: str, stage: str) -> ChangeEntry | None:
    """Return the entry with the files that an entrant has in a stage; None if it has its first files."""
    return new_files(changes, [plan.name for plan in cup.plans], cup.entry(name).twin_of, stage)


def _introduction(
    cup: Cup, entry: Entry, entrant: Entrant, sandbox: Sandbox, home: CupPaths
) -> dict[str, Any]:
    """Return how an entrant introduces itself. Its pictures are stored, scaled down."""
    introduction = interrupts.run(introduce(entrant, sandbox))
    pin: dict[str, Any] = {PAIR: introduction.pair} if introduction.pair else {}
    portraits = [None if one is None else portrait_of(one) for one in introduction.pictures]
    names = []
    for member, portrait in enumerate(portraits, start=1):
        name = "" if portrait is None else f"{PORTRAITS}/{safe_name(entry.name)}.{member}"
        names.append(name)
        if portrait is not None:
            with atomic_write(home.folder / name) as file:
                file.write(portrait)
    return pin | ({PORTRAITS: names} if any(names) else {})


def forget(cup: Cup, store: CupStore) -> None:
    """Unpin all entrants and delete their files, for a cup without any finished series."""
    store.unpin_entrants()
    remove_tree(CupPaths.of_cup(cup).bots)
    remove_tree(CupPaths.of_cup(cup).folder / PORTRAITS)


def with_limits(cup: Cup, entrant: Entrant) -> Entrant:
    return entrant.with_limits(cup.limits)


def _check_pins(entrant: Entrant, entry: Entry) -> Entrant:
    """Return the entrant if its files are still those that were pinned; else raise an InputError."""
    if entrant.program is not None and entrant.program.image:
        from botequim.bots.images import has_image

        if not interrupts.run(has_image(entrant.program.image)):
            raise InputError(
                msg(
                    'the image of "{name}" ({image}) no longer exists, and the cup cannot '
                    "continue without it; build or load it again, or start a new cup",
                    name=entry.name,
                    image=entrant.program.image,
                )
            )
        return entrant
    if entrant.program is None or not entrant.digest:
        return entrant
    _require_digest(entrant, entry, entrant.program.folder, entrant.digest)
    if entrant.sources is not None:
        _require_digest(entrant, entry, entrant.sources.folder, entrant.sources.digest)
    return entrant


def _require_digest(entrant: Entrant, entry: Entry, folder: Path, digest: str) -> None:
    with charge_tree_errors_to(entrant):
        same = folder.is_dir() and has_digest(folder, digest)
    if not same:
        raise InputError(
            msg(
                'the files of "{name}" in {folder} have changed since the cup began; restore '
                "them, or start a new cup",
                name=entry.name,
                folder=str(folder),
            )
        )


# --- JSON, with paths relative to the folder of the cup ----------------------------------------------

HERE: Final = "{cup}"


def _as_json(entrant: Entrant, home: CupPaths) -> dict[str, Any]:
    value: dict[str, Any] = {
        "name": entrant.name,
        "given": entrant.given,
        "wire": entrant.wire_name,
        "address": entrant.address,
        "by_member": entrant.by_member,
        "digest": entrant.digest,
        "commit": entrant.commit,
    }
    inside = str(home.folder.resolve())
    if entrant.sources is not None:
        value["sources"] = {
            "folder": str(entrant.sources.folder).replace(inside, HERE),
            "digest": entrant.sources.digest,
            "build": entrant.build,
        }
    if entrant.program is not None:
        value["program"] = {
            "command": [word.replace(inside, HERE) for word in entrant.program.command],
            "folder": str(entrant.program.folder).replace(inside, HERE),
            "also": [str(path) for path in entrant.program.extra_paths],
            "environment": dict(entrant.program.environment),
            "image": entrant.program.image,
            "volumes": list(entrant.program.volumes),
            "alias": None if entrant.program.alias is None else str(entrant.program.alias),
        }
    return value


def _from_json(value: Mapping[str, Any], home: CupPaths, game_name: str) -> Entrant:
    program = None
    inside = str(home.folder.resolve())
    if told := value.get("program"):
        program = Program(
            tuple(word.replace(HERE, inside) for word in told["command"]),
            Path(told["folder"].replace(HERE, inside)),
            told["environment"],
            tuple(Path(path) for path in told["also"]),
            image=told.get("image", ""),
            volumes=tuple(told.get("volumes", ())),
            alias=Path(told["alias"]) if told.get("alias") else None,
        )
    sources = None
    build = ""
    if built := value.get("sources"):  # cups that were stored before do not have them
        sources = Sources(Path(built["folder"].replace(HERE, inside)), built["digest"])
        build = built["build"]
    found = Entrant(
        value["name"],
        value["given"],
        program=program,
        address=value["address"],
        by_member=value["by_member"],
        build=build,
        digest=value["digest"],
        sources=sources,
        commit=value.get("commit", ""),
    )
    if value["wire"] is None:
        return found
    wire = registry.wire(game_name, value["wire"])
    return replace(found, wire=wire, limits=wire.limits)
