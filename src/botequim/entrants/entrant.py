"""What is known of a bot once it is recognised and ready to sit down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path
from typing import Any

from botequim.core.limits import Limits
from botequim.core.process import Program
from botequim.entrants.links import Link


class Origin(Enum):
    """Where an image comes from."""

    FOLDER = auto()
    """It is built from the Dockerfile there."""
    NAME = auto()
    """The engine has it, or can fetch it."""
    ARCHIVE = auto()
    """It was saved to a file."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image that an engine has yet to be asked for."""

    origin: Origin
    what: str
    """The name of the recipe in the folder, of the image, or of the file."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """Enough for any process to seat it. `wire` is None for a built-in player."""

    name: str
    """As it is shown: the built-in's name, or the last part of what was given."""
    given: str
    """As it was named."""
    wire: str | None = None
    program: Program | None = None
    address: str = ""
    """Of a server that somebody else runs."""
    by_member: bool = False
    """The program is told which member of its team it is: 0, 1, ..."""
    build: str = ""
    """A command line that makes the program out of its sources."""
    digest: str = ""
    """Of its files."""
    limits: Limits | None = None
    """Where they are not the wire's own."""
    image: Image | None = None
    """What its program's image is to be made of."""
    commit: str = ""
    """Of the repository that its files come from."""
    lost_links: tuple[Link, ...] = ()
    """Links in its folder that lead to nothing it can see."""

    @property
    def built_in(self) -> bool:
        return self.wire is None

    @property
    def folder(self) -> Path | None:
        return self.program.folder if self.program is not None else None

    def placed(self, folder: Path, digest: str) -> Entrant:
        """The same with its files in another place."""
        assert self.program is not None
        old = str(self.program.folder)
        command = tuple(
            str(folder) + word[len(old) :] if word == old or word.startswith(old + "/") else word
            for word in self.program.command
        )
        program = replace(self.program, command=command, folder=folder, alias=self.program.folder)
        return replace(self, program=program, digest=digest)

    def described(self) -> dict[str, Any]:
        """As a record's header tells it, beside the name."""
        if self.built_in:
            return {}
        told: dict[str, Any] = {"bot": self.given, "wire": self.wire}
        if self.digest:
            told["files"] = self.digest
        if self.commit:
            told["commit"] = self.commit
        if self.program is not None and self.program.image:
            told["image"] = self.program.image
        return told
