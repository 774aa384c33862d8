"""Draws tiles and cards in a terminal. They can be read without colours too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from botequim.games.cards.cards import Card, Suit

IVORY = "on #f4efdd"
EDGE = f"#8a8371 {IVORY}"
LABEL = "bold"
FAINT = "dim"
LEFT_OUT = " … "
OWN = "bold #f2c14e"
NUMBERS = (
    "#6b6b6b",
    "#c0392b",
    "#1f7a3d",
    "#1d5fa8",
    "#8e44ad",
    "#b8570c",
    "#12121f",
    "#0c7d85",
    "#99226b",
    "#5b4a14",
)
"""A colour for each number of a tile, dark enough for ivory."""
RED, BLACK = f"bold #c0182b {IVORY}", f"bold #16161f {IVORY}"
PIPS = ("", "4", "08", "048", "0268", "02468", "023568", "0234568", "01235678", "012345678")
"""By number: the places of a half, from 0 to 8 row by row, that have a pip."""


def number_style(number: int) -> str:
    return f"bold {NUMBERS[number]} {IVORY}"


# --- tiles on the table ------------------------------------------------------------------------------


def tile_text(halves: Sequence[int]) -> Text:
    """Return a tile on one line: 6-3."""
    return Text.assemble(
        (str(halves[0]), number_style(halves[0])),
        ("-", EDGE),
        (str(halves[1]), number_style(halves[1])),
    )


def face_down(sign: str = "x-x") -> Text:
    return Text(sign, style="#d8d0b8 on #4a5568")


def in_rows(pieces: Sequence[Text], width: int, *, gap: str = "", first: int = 0) -> list[Text]:
    """Return pieces side by side in rows that leave `first` columns free."""
    rows: list[Text] = []
    row = Text()
    for piece in pieces:
        if row.cell_len and first + row.cell_len + len(gap) + piece.cell_len > width:
            rows.append(row)
            row = Text()
        if row.cell_len:
            row.append(gap)
        row.append_text(piece)
    return [*rows, row] if row.cell_len or not rows else rows


def ends(pieces: Sequence[Text], width: int) -> Text:
    """Return pieces in one row. If there are too many, those in the middle are left out."""
    if sum(piece.cell_len + 1 for piece in pieces) <= width + 1:
        return Text(" ").join(pieces)
    each = (width + 2 - len(LEFT_OUT)) // (2 * (pieces[0].cell_len + 1))
    first, last = Text(" ").join(pieces[:each]), Text(" ").join(pieces[len(pieces) - each :])
    return Text.assemble(first, (LEFT_OUT, FAINT), last)


def beside(
    label: str, pieces: Sequence[Text], width: int, *, gap: str = " ", style: str = LABEL
) -> list[Text]:
    """Return `label 0-5 4-4`, with further rows below the first piece."""
    if not pieces:
        return [Text(label.rstrip(), style=style)]
    if len(label) >= width // 2:  # the pieces go below a long label
        rows = in_rows(pieces, width, gap=gap, first=2)
        return [Text(label.rstrip(), style=style), *(Text.assemble("  ", row) for row in rows)]
    indent = len(label) + 1
    rows = in_rows(pieces, width, gap=gap, first=indent)
    head = Text(label.ljust(indent), style=style)
    return [Text.assemble(head if at == 0 else " " * indent, row) for at, row in enumerate(rows)]


# --- pieces in the hand, drawn with their index ------------------------------------------------------


def tall_tile(upper: int, lower: int, *, pips: bool) -> list[Text]:
    """Return an upright tile."""
    wide = 7 if pips else 3
    middle = [*_half(upper, pips=pips), Text("├" + "─" * wide + "┤", EDGE), *_half(lower, pips=pips)]
    return [Text("┌" + "─" * wide + "┐", EDGE), *middle, Text("└" + "─" * wide + "┘", EDGE)]


def _half(number: int, *, pips: bool) -> list[Text]:
    style = number_style(number)
    if not pips:
        return [Text.assemble(("│ ", EDGE), (str(number), style), (" │", EDGE))]
    rows = []
    for row in range(3):
        places = "".join(" ●" if str(row * 3 + column) in PIPS[number] else "  " for column in range(3))
        rows.append(Text.assemble(("│", EDGE), (places + " ", style), ("│", EDGE)))
    return rows


def suit_style(card: Card) -> str:
    return RED if card.suit in (Suit.HEARTS, Suit.DIAMONDS) else BLACK


def small_card(card: Card) -> Text:
    """Return a card on one line: [10♥]."""
    return Text.assemble(("[", EDGE), (str(card), suit_style(card)), ("]", EDGE))


def tall_card(card: Card, *, large: bool = False) -> list[Text]:
    wide, style = (7 if large else 3), suit_style(card)
    rank, suit = card.rank.value, card.suit.value
    rows = [rank.ljust(wide), suit.center(wide)]
    if large:
        rows = [rank.ljust(wide), " " * wide, suit.center(wide), " " * wide, rank.rjust(wide)]
    inner = [Text.assemble(("│", EDGE), (row, style), ("│", EDGE)) for row in rows]
    return [Text("╭" + "─" * wide + "╮", EDGE), *inner, Text("╰" + "─" * wide + "╯", EDGE)]


def card_back(count: int) -> list[Text]:
    """Return the pile, face down, with its number of cards."""
    style = "#d8d0b8 on #4a5568"
    return [
        Text("╭───╮", style),
        Text("│░░░│", style),
        Text(f"│{count:^3}│", style),
        Text("╰───╯", style),
    ]


def side_by_side(blocks: Sequence[Sequence[Text]], *, gap: str = " ") -> list[Text]:
    """Return blocks side by side, aligned at the top."""
    height = max(map(len, blocks), default=0)
    widths = [max((line.cell_len for line in block), default=0) for block in blocks]
    rows = []
    for at in range(height):
        row = Text()
        for number, (block, width) in enumerate(zip(blocks, widths, strict=True)):
            line = block[at] if at < len(block) else Text()
            row.append(gap if number else "")
            row.append_text(line)
            row.append(" " * (width - line.cell_len))
        rows.append(row)
    return rows


def indexed_rows(pieces: Sequence[Text], width: int, *, playable: Iterable[int] = ()) -> list[Text]:
    """Return one-line pieces in rows, each after its index; playable ones are highlighted."""
    can = set(playable)
    numbered_pieces = [
        Text.assemble((f"{at}: ", OWN if at in can else FAINT), piece) for at, piece in enumerate(pieces)
    ]
    return in_rows(numbered_pieces, width, gap="  ") if numbered_pieces else []


def numbered_rows(
    blocks: Sequence[Sequence[Text]], width: int, *, playable: Iterable[int] = ()
) -> list[Text]:
    """Return blocks of the same size in rows, each above its index; playable ones are highlighted."""
    if not blocks:
        return []
    can = set(playable)
    wide = blocks[0][0].cell_len
    each = max(1, (width + 1) // (wide + 1))
    rows: list[Text] = []
    for start in range(0, len(blocks), each):
        some = []
        for at, block in enumerate(blocks[start : start + each], start=start):
            some.append([*block, Text(str(at).center(wide), style=OWN if at in can else FAINT)])
        rows.extend(side_by_side(some))
    return rows
