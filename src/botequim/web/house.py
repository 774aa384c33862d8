"""The cups that are served, as the public may see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.cup.absence import held
from botequim.cup.file import Cup
from botequim.cup.home import Home
from botequim.cup.reading import read
from botequim.cup.report.content import Content
from botequim.cup.store import Store


class Hosted:
    """One cup: its file, and what can be read of it just now."""

    def __init__(self, cup: Cup) -> None:
        self.cup: Final = cup
        self.slug: Final = cup.path.stem
        self.home: Final = Home.of(cup.path)

    def content(self) -> Content | None:
        """All that is public, counted; None while nothing was played."""
        if not self.home.store.is_file():
            return None
        with Store.open(self.home.store) as store:
            cup = held(self.cup, store)
            return Content.of(cup, cup.progress(store.get("seed") or "", store.results()), store)


class House:
    """All of them, by the name that stands in addresses."""

    def __init__(self, cups: Sequence[Path]) -> None:
        hosted = [Hosted(read(path)) for path in cups]
        self.cups: Final[Mapping[str, Hosted]] = {one.slug: one for one in hosted}
        if len(self.cups) < len(hosted):
            names = ", ".join(sorted(one.slug for one in hosted))
            raise InputError(msg("two cups have files of the same name: {names}", names=names))
