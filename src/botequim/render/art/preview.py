"""Shows an animation in the terminal; if the output is not a terminal, prints the frames."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.live import Live
from rich.text import Text

from botequim.i18n import _
from botequim.render.art.frames import Frame
from botequim.render.art.options import Colour, GifOptions


def play(
    frames: Sequence[Frame],
    options: GifOptions,
    console: Console,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Show all frames as often as the options say; `sleep` waits between two of them."""
    columns = max(frame.width for frame in frames)
    rows = max(len(frame.lines) for frame in frames)
    pictures = [list(_centre(frame, columns, rows)) for frame in frames]
    # without a terminal, frames cannot be overwritten, so all of them are printed
    if not console.is_terminal or console.is_dumb_terminal:
        for number, lines in enumerate(pictures, start=1):
            console.file.write(_("frame {number} of {count}", number=number, count=len(pictures)) + "\n")
            console.file.write("".join(f"{line.rstrip()}\n" for line in lines))
        return
    if columns > console.width or rows >= console.height:
        note = _(
            "The terminal has {width} columns and {height} lines, the art {columns} and {rows}: it is cut.",
            width=console.width,
            height=console.height,
            columns=columns,
            rows=rows,
        )
        console.print(note, markup=False, highlight=False)
    style = f"{_code(options.theme.ink)} on {_code(options.theme.ground)}"
    # one line is left for the cursor
    texts = [
        Text("\n".join(lines[: console.height - 1]), style=style, no_wrap=True, overflow="crop")
        for lines in pictures
    ]
    with Live(console=console, auto_refresh=False, vertical_overflow="crop") as live:
        count = 0
        while count < options.loop or not options.loop:
            for text in texts:
                live.update(text, refresh=True)
                sleep(options.frame_length / 1000)
            count += 1


def _centre(frame: Frame, columns: int, rows: int) -> Iterator[str]:
    """Yield the rows of a frame that is centred on the canvas."""
    left, above = (columns - frame.width) // 2, (rows - len(frame.lines)) // 2
    blank = " " * columns
    yield from [blank] * above
    yield from ((" " * left + line).ljust(columns) for line in frame.lines)
    yield from [blank] * (rows - above - len(frame.lines))


def _code(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
