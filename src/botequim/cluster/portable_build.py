"""Builds that travel: how a bot is built on other platforms, and what such a build has made.

The coordinator builds a bot for its own platform. A machine that cannot run that program gets the sources,
which are built once for each platform of the cluster; see `platform_builds` and `build_rights`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Final

BUILD: Final = "build:"
"""How the needs begin that are met by building a bot."""


@dataclass(frozen=True, slots=True)
class PortableBuild:
    """How a bot is built from its sources."""

    command: str
    source: str
    """The digest of its sources, which is the name of their parcel."""
    alias: str = ""
    """The folder on the coordinator where the sources were, if they contain this path. See `PortableProgram`,
    which has the same of the files that were built."""

    @property
    def need(self) -> str:
        """The name of this build among the needs of a bot."""
        return BUILD + sha256(f"{self.source}\n{self.command}".encode(errors="surrogateescape")).hexdigest()


@dataclass(frozen=True, slots=True)
class BuiltFiles:
    """What a build has made on one platform."""

    digest: str
    """The digest of the files, which is the name of their parcel."""
    platform: str
    alias: str
    environments: tuple[str, ...]
    glibc: int
    """The last three are those of a `PortableProgram`."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> BuiltFiles:
        return cls(**{**value, "environments": tuple(value["environments"])})
