"""`Entrant`: everything that is known about a player before it sits down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum, auto
from pathlib import Path
from typing import Any

from botequim.bots.links import Link
from botequim.core.limits import Limits
from botequim.core.process import Program
from botequim.core.wire import Wire


class Origin(Enum):
    """The source of a container image."""

    FOLDER = auto()
    """It is built from the Dockerfile in a folder."""
    NAME = auto()
    """The engine has it, or can fetch it."""
    ARCHIVE = auto()
    """It was saved to a file."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image that the engine has not been asked for yet."""

    origin: Origin
    what: str
    """The name of the recipe in the folder, of the image, or of the file."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The files that a bot was built from."""

    folder: Path
    digest: str


@dataclass(frozen=True, slots=True)
class Entrant:
    """A built-in player, whose `wire` is None, or a bot with its wire and its limits.

    Every process can seat it: it can be pickled, and its wire is then looked up by name.
    """

    name: str
    """The name to show: that of the built-in player, or the last part of `given`."""
    given: str
    """The text that the user wrote."""
    wire: Wire | None = None
    program: Program | None = None
    address: str = ""
    """The URL of a server that somebody else runs."""
    by_member: bool = False
    """Whether the program is told which member of its team it is: 0, 1, ..."""
    build: str = ""
    """A command line that makes the program from its sources."""
    digest: str = ""
    """The digest of its files."""
    sources: Sources | None = None
    """The files that `build` was applied to, if it has been built and they are still there."""
    platform: str = ""
    """The platform that its files were built for, if that was not done where it was prepared."""
    limits: Limits = field(default_factory=Limits)
    """The limits of its wire, as far as nobody has changed them."""
    image: Image | None = None
    """The source of its program's image, until that is prepared."""
    commit: str = ""
    """The commit of the repository that its files come from."""
    log_file: str = ""
    """The file inside its container that the command of its image writes its log to."""
    lost_links: tuple[Link, ...] = ()
    """Links in its folder that lead to nothing it can see."""

    @classmethod
    def bot(cls, name: str, given: str, wire: Wire, program: Program | None = None, **more: Any) -> Entrant:
        """Return a bot with the limits of its wire."""
        return cls(name, given, wire, program, **{"limits": wire.limits, **more})

    @property
    def built_in(self) -> bool:
        return self.wire is None

    @property
    def wire_name(self) -> str | None:
        return None if self.wire is None else self.wire.name

    @property
    def folder(self) -> Path | None:
        return self.program.folder if self.program is not None else None

    def with_limits(self, changes: Mapping[str, Any]) -> Entrant:
        """Return the same bot with some limits changed. A built-in player has none."""
        return self if self.built_in else replace(self, limits=replace(self.limits, **changes))

    def moved_to(self, folder: Path, digest: str) -> Entrant:
        """Return the same bot with its files in another folder."""
        assert self.program is not None
        old = str(self.program.folder)
        command = tuple(
            str(folder) + word[len(old) :] if word == old or word.startswith(old + "/") else word
            for word in self.program.command
        )
        program = replace(self.program, command=command, folder=folder, alias=self.program.folder)
        return replace(self, program=program, digest=digest)

    def record_header_fields(self) -> dict[str, Any]:
        """Return what the header of a record says about it, besides its name."""
        if self.wire is None:
            return {}
        found: dict[str, Any] = {"bot": self.given, "wire": self.wire.name}
        if self.digest:
            found["files"] = self.digest
        if self.platform:
            found["platform"] = self.platform
        if self.commit:
            found["commit"] = self.commit
        if self.program is not None and self.program.image:
            found["image"] = self.program.image
        return found

    def __reduce__(self) -> tuple[Callable[..., Entrant], tuple[Any, ...]]:
        wire = None if self.wire is None else (self.wire.game or "", self.wire.name)
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "wire"}
        return _restore, (wire, values)


def _restore(wire: tuple[str, str] | None, values: Mapping[str, Any]) -> Entrant:
    from botequim import registry

    return Entrant(wire=None if wire is None else registry.wire(*wire), **values)
