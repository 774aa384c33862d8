"""The terminal user interface that games with one line of tiles and with partners share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from botequim.core.messages import Message, msg
from botequim.games.dominoes.tiles import Tile
from botequim.i18n import _, translate
from botequim.terminal.drawing import (
    FAINT,
    OWN,
    beside,
    ends,
    face_down,
    in_rows,
    indexed_rows,
    numbered_rows,
    tall_tile,
    tile_text,
)
from botequim.terminal.ui import (
    CommandError,
    Hands,
    Help,
    Room,
    TerminalUI,
    another_fits,
    command_index,
    fits_nowhere,
    reject_extra_words,
    unknown_command,
)

PLAIN_WIDTH = 78
"""The width of the line in plain text."""
SIDES = ("l", "r")


class LineTerminalUI(TerminalUI):
    """Has the commands `m 0 l`, `m 0 r` and `p`. Subclasses implement the moves and views of their game."""

    def help(self) -> Sequence[Help]:
        return (
            Help("m 0 l", msg("lay the tile with that index on the left end; r on the right")),
            Help("p", self.passing()),
        )

    def passing(self) -> Any:
        """Return the description of the command `p`."""
        return msg("pass, when no tile fits")

    def parse_command(self, words: Sequence[str], view: Any) -> Any:
        if words[0] == "p":
            reject_extra_words(words, 1)
            if self.pass_move() not in view.legal:
                raise another_fits(view.legal[0].tile)
            return self.pass_move()
        if words[0] != "m":
            raise unknown_command(words[0])
        at = command_index(words, len(view.hand))
        tile = view.hand[at]
        reject_extra_words(words, 3)
        if len(words) == 3 and words[2] not in SIDES:
            raise CommandError(msg('"{word}" is not an end of the line; use l or r', word=words[2][:20]))
        line = self.line(view)
        fitting = [move for move in view.legal if getattr(move, "tile", None) == tile]
        if not fitting:
            raise fits_nowhere(tile)
        if len(words) == 2 or not line:
            if len(fitting) == 1:
                return fitting[0]
            raise CommandError(msg("say at which end: {command} l or {command} r", command=f"m {at}"))
        left = words[2] == "l"
        if (line[0][0] if left else line[-1][1]) not in tile:
            raise CommandError(
                msg("{tile} does not fit the left end, {end}", tile=str(tile), end=line[0][0])
                if left
                else msg("{tile} does not fit the right end, {end}", tile=str(tile), end=line[-1][1])
            )
        return self.lay(tile, left=left)

    def move_text(self, move: Any) -> str:
        tile = getattr(move, "tile", None)
        return translate(msg("pass")) if tile is None else str(tile)

    def action(self, move: Any, view: Any) -> Message:
        tile = getattr(move, "tile", None)
        if tile is None:
            return msg("pass")
        if not self.line(view):
            return msg("lay {tile}", tile=str(tile))
        if self.is_left(move):
            return msg("lay {tile} on the left", tile=str(tile))
        return msg("lay {tile} on the right", tile=str(tile))

    def command_for(self, move: Any, view: Any) -> str:
        tile = getattr(move, "tile", None)
        if tile is None:
            return "p"
        side = "l" if self.is_left(move) else "r"
        return f"m {view.hand.index(tile)} {side}" if self.line(view) else f"m {view.hand.index(tile)}"

    def situation(self, view: Any) -> Sequence[Message]:
        line = self.line(view)
        if not line:
            return [msg("It is your turn. The table is empty; you may lay any tile.")]
        ends = {"left": line[0][0], "right": line[-1][1]}
        if not _playable(view):
            return [
                msg(
                    "It is your turn. The ends of the line are {left} and {right}; none of your tiles has "
                    "one of these numbers, so you must pass.",
                    **ends,
                )
            ]
        return [
            msg(
                "It is your turn. The ends of the line are {left} and {right}; a tile fits if it has one of "
                "these numbers.",
                **ends,
            )
        ]

    def signs(self, view: Any) -> Sequence[Help]:
        return (
            Help("*", msg("the player whose turn it is")),
            Help("[7]", msg("the number of tiles of a player")),
        )

    # --- implemented by games --------------------------------------------------------------------------

    def lay(self, tile: Tile, *, left: bool) -> Any:
        raise NotImplementedError

    def pass_move(self) -> Any:
        raise NotImplementedError

    def is_left(self, move: Any) -> bool:
        """Return whether a move lays its tile on the left."""
        raise NotImplementedError

    def line(self, view: Any) -> Sequence[tuple[int, int]]:
        """Return the tiles on the table, from left to right."""
        raise NotImplementedError

    # --- views -----------------------------------------------------------------------------------------

    def all_hands(self, state: Any) -> Hands:
        hands: Hands = state.hands
        return hands

    def _label(self, seat: int, hand: Sequence[Any] | int) -> str:
        count = hand if isinstance(hand, int) else len(hand)
        partner = ""
        if self.seat is not None and seat == (self.seat + 2) % 4:
            partner = " " + _("(your partner)")
        return f"{self.name(seat)}{partner} [{count}]"

    def lines(self, view: Any, hands: Hands) -> list[str]:
        rows = []
        for seat, hand in enumerate(hands):
            text = "" if isinstance(hand, int) or seat == self.seat else " " + " ".join(map(str, hand))
            rows.append(self._label(seat, hand) + text)
        line = [f"{left}-{right}" for left, right in self.line(view)]
        each = (PLAIN_WIDTH + 1) // 4
        rows += [" ".join(line[at : at + each]) for at in range(0, len(line), each)] or [
            _("The table is empty.")
        ]
        if self.seat is not None:
            rows.append("   ".join(f"{at}: {tile}" for at, tile in enumerate(view.hand)))
        return rows

    def drawing(self, view: Any, hands: Hands, room: Room) -> list[Text]:
        if room.tight and self.seat is not None:
            return self._tight(view, hands, room)
        rows: list[Text] = []
        wide = max(len(self._label(seat, hand)) for seat, hand in enumerate(hands)) if hands else 0
        for seat, hand in enumerate(hands):
            pieces = (
                []
                if room.low and (seat == self.seat or isinstance(hand, int))
                else [face_down("[ ]")] * hand
                if isinstance(hand, int)
                else [Text("…", style=FAINT)]
                if seat == self.seat
                else [tile_text(tile) for tile in hand]
            )
            rows += beside(self._label(seat, hand).ljust(wide), pieces, room.width, style=self._style(seat))
        line = [tile_text(halves) for halves in self.line(view)]
        rows += [
            Text(),
            *(in_rows(line, room.width, gap=" ") if line else [Text(_("The table is empty."), style=FAINT)]),
            Text(),
        ]
        if self.seat is not None and room.low:
            return rows + self._indexed_hand(view, room)
        if self.seat is not None:
            tiles = [tall_tile(tile.low, tile.high, pips=room.ample) for tile in view.hand]
            rows += numbered_rows(tiles, room.width, playable=_playable(view))
        return rows

    def _style(self, seat: int) -> str:
        return OWN if self.seat is not None and seat % 2 == self.seat % 2 else "bold"

    def _indexed_hand(self, view: Any, room: Room) -> list[Text]:
        small = [tile_text(tile) for tile in view.hand]
        return indexed_rows(small, room.width, playable=_playable(view))

    def _tight(self, view: Any, hands: Hands, room: Room) -> list[Text]:
        """Return a small drawing: the players side by side, and of a long line only its ends."""
        who: list[Text] = []
        for seat, hand in enumerate(hands):
            open_hand = () if isinstance(hand, int) or seat == self.seat else hand
            label = Text(self._label(seat, hand), style=self._style(seat))
            who.append(Text(" ").join([label, *map(tile_text, open_hand)]))
        line = [tile_text(halves) for halves in self.line(view)]
        table = ends(line, room.width) if line else Text(_("The table is empty."), style=FAINT)
        return [*in_rows(who, room.width, gap="  "), table, *self._indexed_hand(view, room)]


def _playable(view: Any) -> list[int]:
    playable = {getattr(move, "tile", None) for move in view.legal}
    return [at for at, tile in enumerate(view.hand) if tile in playable]
