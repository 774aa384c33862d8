"""A cup's folder, beside its file: the store, and the bots as they were when the cup began.

`mycup.toml` has `mycup.cup/` with `cup.sqlite`, `bots/` and `portraits/`. Beside the store lie two files that
are nobody's results: `live.sqlite`, the games under way, which may be lost at any time, and `show.sqlite`,
what the organiser lets be seen. An entrant is pinned when it is first needed: its files are copied and built
there, and every later stage plays with that copy, also weeks later. What is pinned is compared with its
digest before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from botequim import interrupts, registry
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.process import Program, Sandbox
from botequim.cup.file import Cup, Entry
from botequim.cup.integrity import Damage, DamagedStore
from botequim.cup.output import safe_name, whole_file
from botequim.cup.store import Store
from botequim.cup.titles import PAIR, PORTRAITS
from botequim.entrants.copies import blame
from botequim.entrants.digests import has_digest
from botequim.entrants.entrant import Entrant
from botequim.entrants.images import still_there
from botequim.entrants.introduction import introduce
from botequim.entrants.prepare import prepare
from botequim.entrants.trees import remove_tree
from botequim.picture.portraits import portrait_of

STORE: Final = "cup.sqlite"
LIVE: Final = "live.sqlite"
SHOW: Final = "show.sqlite"
BOTS: Final = "bots"


@dataclass(frozen=True, slots=True)
class Home:
    """Where a cup keeps what it must not lose."""

    folder: Path

    @classmethod
    def of(cls, cup_file: Path) -> Home:
        return cls(cup_file.with_suffix(".cup"))

    @property
    def store(self) -> Path:
        return self.folder / STORE

    @property
    def live(self) -> Path:
        """The games under way: `botequim.cup.live.Live`."""
        return self.folder / LIVE

    @property
    def show(self) -> Path:
        """What the public may see and does: `botequim.cup.curtain.Show`."""
        return self.folder / SHOW

    @property
    def bots(self) -> Path:
        return self.folder / BOTS


def pinned(
    cup: Cup,
    entry: Entry,
    store: Store,
    sandbox: Sandbox,
    *,
    isolated: bool,
    on_work: Callable[[Entry], None] = lambda entry: None,
    tell: Callable[[Message], None] = lambda said: None,
) -> Entrant:
    """An entrant as the cup plays it: pinned now, or before."""
    home = Home.of(cup.path)
    known = store.entrants().get(entry.name)
    if known is not None:
        try:
            entrant = _from_json(known, home)
        except (LookupError, TypeError, AttributeError) as error:
            raise DamagedStore(store.path, Damage(facts=("entrants",))) from error
        return with_limits(cup, _checked(entrant, entry))
    if entry.null:  # the same bot once more, as it was pinned, whatever became of its files
        twin = cup.entry(entry.twin_of)
        pinned(cup, twin, store, sandbox, isolated=isolated, on_work=on_work, tell=tell)
        store.pin(entry.name, store.entrants()[twin.name])
        return pinned(cup, entry, store, sandbox, isolated=isolated)
    on_work(entry)
    home.bots.mkdir(parents=True, exist_ok=True)
    before = set(home.bots.iterdir())
    try:
        entrant = interrupts.run(
            prepare(
                cup.given(entry),
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
    store.pin(entry.name, _as_json(entrant, home) | _introduced(cup, entry, entrant, sandbox, home))
    return with_limits(cup, entrant)


def _introduced(cup: Cup, entry: Entry, entrant: Entrant, sandbox: Sandbox, home: Home) -> dict[str, Any]:
    """What an entrant says of itself; its pictures are kept as small ones of ours."""
    said = interrupts.run(introduce(entrant, cup.game, sandbox))
    kept: dict[str, Any] = {PAIR: said.pair} if said.pair else {}
    portraits = [None if one is None else portrait_of(one) for one in said.pictures]
    names = []
    for member, portrait in enumerate(portraits, start=1):
        name = "" if portrait is None else f"{PORTRAITS}/{safe_name(entry.name)}.{member}"
        names.append(name)
        if portrait is not None:
            with whole_file(home.folder / name) as file:
                file.write(portrait)
    return kept | ({PORTRAITS: names} if any(names) else {})


def forget(cup: Cup, store: Store) -> None:
    """Unpin everything: for a cup in which nothing was played yet."""
    store.unpin()
    remove_tree(Home.of(cup.path).bots)
    remove_tree(Home.of(cup.path).folder / PORTRAITS)


def with_limits(cup: Cup, entrant: Entrant) -> Entrant:
    """The same with the cup's limits, where it has some of its own."""
    if entrant.wire is None or not cup.limits:
        return entrant
    limits = registry.wire(cup.game, entrant.wire).limits
    changed: dict[str, Any] = dict(cup.limits)
    return replace(entrant, limits=replace(limits, **changed))


def _checked(entrant: Entrant, entry: Entry) -> Entrant:
    """What is pinned must still be what was pinned."""
    if entrant.program is not None and entrant.program.image:
        if not interrupts.run(still_there(entrant.program.image)):
            raise InputError(
                msg(
                    'the image of "{name}" ({image}) is not there any more; the cup cannot go on without it: '
                    "have it built or loaded again, or begin a new cup",
                    name=entry.name,
                    image=entrant.program.image,
                )
            )
        return entrant
    if entrant.program is None or not entrant.digest:
        return entrant
    folder = entrant.program.folder
    with blame(entrant):
        same = folder.is_dir() and has_digest(folder, entrant.digest)
    if not same:
        raise InputError(
            msg(
                'the files of "{name}" in {folder} are not those that the cup began with; put them back, or '
                "begin a new cup",
                name=entry.name,
                folder=str(folder),
            )
        )
    return entrant


# --- as JSON: paths inside of the cup's folder are told from there -----------------------------------

HERE: Final = "{cup}"


def _as_json(entrant: Entrant, home: Home) -> dict[str, Any]:
    value: dict[str, Any] = {
        "name": entrant.name,
        "given": entrant.given,
        "wire": entrant.wire,
        "address": entrant.address,
        "by_member": entrant.by_member,
        "digest": entrant.digest,
        "commit": entrant.commit,
    }
    if entrant.program is not None:
        inside = str(home.folder.resolve())
        value["program"] = {
            "command": [word.replace(inside, HERE) for word in entrant.program.command],
            "folder": str(entrant.program.folder).replace(inside, HERE),
            "also": [str(path) for path in entrant.program.also],
            "environment": dict(entrant.program.environment),
            "image": entrant.program.image,
            "volumes": list(entrant.program.volumes),
            "alias": None if entrant.program.alias is None else str(entrant.program.alias),
        }
    return value


def _from_json(value: Mapping[str, Any], home: Home) -> Entrant:
    program = None
    if told := value.get("program"):
        inside = str(home.folder.resolve())
        program = Program(
            tuple(word.replace(HERE, inside) for word in told["command"]),
            Path(told["folder"].replace(HERE, inside)),
            told["environment"],
            tuple(Path(path) for path in told["also"]),
            image=told.get("image", ""),
            volumes=tuple(told.get("volumes", ())),
            alias=Path(told["alias"]) if told.get("alias") else None,
        )
    return Entrant(
        value["name"],
        value["given"],
        value["wire"],
        program,
        value["address"],
        value["by_member"],
        digest=value["digest"],
        commit=value.get("commit", ""),
    )
