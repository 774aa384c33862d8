"""Options of an animation: colours, size, speed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, TypeAlias

from botequim.core.errors import InputError
from botequim.core.messages import msg

Colour: TypeAlias = tuple[int, int, int]

STEP: Final = 10
"""The unit of durations in milliseconds: GIFs count in hundredths of a second."""
SHORTEST: Final = 20
"""The shortest duration in milliseconds; browsers slow down anything shorter."""
LONGEST: Final = 60_000
MOST_LOOPS: Final = 65_536
LARGEST_SCALE: Final = 8
MOST_FRAMES: Final = 50
"""The most frames of a converted image."""


class Theme(Enum):
    """The colours of the ground and of the ink."""

    PAPER = ((0xFB, 0xF7, 0xEC), (0x2A, 0x28, 0x2E))
    GREEN = ((0x06, 0x15, 0x0B), (0x4A, 0xF6, 0x7A))
    AMBER = ((0x18, 0x0F, 0x02), (0xFF, 0xB6, 0x2E))

    @property
    def label(self) -> str:
        return self.name.lower()

    @property
    def ground(self) -> Colour:
        return self.value[0]

    @property
    def ink(self) -> Colour:
        return self.value[1]

    @property
    def dark(self) -> bool:
        return sum(self.ground) < sum(self.ink)


class Style(StrEnum):
    """The characters of a converted image."""

    ASCII = "ascii"
    BLOCKS = "blocks"
    BRAILLE = "braille"


@dataclass(frozen=True, slots=True)
class GifOptions:
    """The options of a GIF. Values that a GIF cannot have are an InputError."""

    theme: Theme = Theme.PAPER
    scale: int = 1
    """The pixels for each pixel of a glyph."""
    frame_length: int = 200
    """The duration of a frame in milliseconds."""
    loop: int = 0
    """The number of repetitions; 0 for no end."""

    def __post_init__(self) -> None:
        if not 1 <= self.scale <= LARGEST_SCALE:
            raise InputError(
                msg("the scale is {given}; it must be from 1 to {most}", given=self.scale, most=LARGEST_SCALE)
            )
        if not SHORTEST <= self.frame_length <= LONGEST:
            raise InputError(
                msg(
                    "a frame cannot take {given} ms; use {least} to {most} ms",
                    given=self.frame_length,
                    least=SHORTEST,
                    most=LONGEST,
                )
            )
        if self.frame_length % STEP:
            raise InputError(
                msg(
                    "a frame cannot take {given} ms: GIFs count in steps of {step} ms; use {less} or {more}",
                    given=self.frame_length,
                    step=STEP,
                    less=self.frame_length // STEP * STEP,
                    more=self.frame_length // STEP * STEP + STEP,
                )
            )
        if not 0 <= self.loop <= MOST_LOOPS:
            raise InputError(
                msg(
                    "a GIF cannot repeat {given} times; use 1 to {most}, or 0 to repeat forever",
                    given=self.loop,
                    most=MOST_LOOPS,
                )
            )
