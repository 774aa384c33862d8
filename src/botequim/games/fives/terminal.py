"""fives at the terminal, with the commands and the display of the original program.

Only tiles are written as everywhere in Botequim: 2-6 where the original program has [6,2].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text

from botequim.core.game import CHANCE
from botequim.core.messages import Message, comma_list, msg
from botequim.core.turn import Step
from botequim.games.dominoes.tiles import Tile
from botequim.games.fives.boneyard import DRAW
from botequim.games.fives.rules import PASS, Move, Pass, Phase, State, View
from botequim.games.fives.spinner import CLOSED, DIRECTIONS, Board, Direction, Halves, Lay
from botequim.i18n import translate
from botequim.terminal.drawing import (
    OWN,
    beside,
    ends,
    face_down,
    in_rows,
    indexed_rows,
    number_style,
    numbered_rows,
    side_by_side,
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
    label_text,
    reject_extra_words,
    unknown_command,
)

LETTERS = {side.value[0]: side for side in DIRECTIONS}
ARMS: Sequence[tuple[Message, str]] = (
    (msg("left:"), "left"),
    (msg("right:"), "right"),
    (msg("up:"), "up"),
    (msg("down:"), "down"),
)
RULE = "-" * 34
FACE_DOWN = "x-x"


class FivesTerminalUI(TerminalUI):
    """Has the commands `m 0 l`, `d` and `p`, and shows the state like the original program."""

    best_of: ClassVar[int] = 3
    robot: ClassVar[Message | None] = msg("robot")

    def help(self) -> Sequence[Help]:
        return (
            Help("m 0 l", msg("lay the tile with that index on the left; r right, u up, d down")),
            Help("d", msg("draw a tile, when none of yours fits")),
            Help("p", msg("pass, when none fits and the boneyard is empty")),
        )

    def parse_command(self, words: Sequence[str], view: View) -> Move:
        if words[0] in ("d", "p"):
            reject_extra_words(words, 1)
            if isinstance(view.legal[0], Lay):
                raise another_fits(view.legal[0].tile)
            return DRAW if words[0] == "d" else PASS
        if words[0] != "m":
            raise unknown_command(words[0])
        tile = view.hand[command_index(words, len(view.hand))]
        reject_extra_words(words, 3)
        if len(words) == 3:
            if words[2] not in LETTERS:
                raise CommandError(msg('"{word}" is not a direction; use l, r, u or d', word=words[2][:20]))
            return Lay(tile, LETTERS[words[2]])
        fitting = [move for move in view.legal if isinstance(move, Lay) and move.tile == tile]
        if not fitting:
            raise fits_nowhere(tile)
        if len(fitting) > 1:
            raise CommandError(
                msg("say where: {command} followed by l, r, u or d", command=f"m {view.hand.index(tile)}")
            )
        return fitting[0]

    def move_text(self, move: Move) -> str:
        if isinstance(move, Lay):
            return str(move.tile)
        return translate(msg("pass")) if isinstance(move, Pass) else translate(msg("draw a tile"))

    def action(self, move: Move, view: View) -> Message:
        if not isinstance(move, Lay):
            return msg("pass") if isinstance(move, Pass) else msg("draw a tile")
        tile = str(move.tile)
        if view.board.is_empty():
            return msg("lay {tile}", tile=tile)
        if move.side is Direction.LEFT or view.board.is_lone_spinner():
            return msg("lay {tile} on the left", tile=tile)
        if move.side is Direction.RIGHT:
            return msg("lay {tile} on the right", tile=tile)
        if move.side is Direction.UP:
            return msg("lay {tile} above the spinner", tile=tile)
        return msg("lay {tile} below the spinner", tile=tile)

    def choices(self, view: View) -> Sequence[Help]:
        return [Help(self.command_for(move, view), self.effect(move, view)) for move in self.moves(view)]

    def effect(self, move: Move, view: View) -> Message:
        """Return what a move does, with the sum of the open ends and the points that it gives."""
        action = self.action(move, view)
        if not isinstance(move, Lay):
            return action
        total = view.board.with_lay(move).score()
        if total % 5 or not total:
            return msg("{action}: the ends add up to {total}", action=action, total=total)
        return msg("{action}: the ends add up to {total}, which you score", action=action, total=total)

    def situation(self, view: View) -> Sequence[Message]:
        if not isinstance(view.legal[0], Lay):
            if isinstance(view.legal[0], Pass):
                return [
                    msg("It is your turn. None of your tiles fits and the boneyard is empty; you must pass.")
                ]
            return [msg("It is your turn. None of your tiles fits; you must draw.")]
        if view.board.is_empty():
            return [msg("It is your turn. The table is empty; you may lay any tile.")]
        return [
            msg(
                "It is your turn. A tile fits if it has the number of an open end ({ends}); the ends add up "
                "to {total} now.",
                ends=comma_list(open_ends(view.board)),
                total=view.board_score,
            )
        ]

    def signs(self, view: View) -> Sequence[Help]:
        return (
            Help("*", msg("the player whose turn it is")),
            Help("(15)", msg("the points of a player")),
            Help(FACE_DOWN, msg("a tile that you do not see")),
            Help(
                label_text(msg("left:"), "5-6"),
                msg("an arm of the spinner; its outermost tile comes first, and 5 is its open end"),
            ),
        )

    def command_for(self, move: Move, view: View) -> str:
        if isinstance(move, Lay):
            return f"m {view.hand.index(move.tile)} {move.side.value[0]}"
        return "p" if isinstance(move, Pass) else "d"

    def round_hands(self, step: Step) -> Sequence[Message]:
        if step.after.phase is not Phase.DEAL or step.turn[0].by == CHANCE:
            return ()
        return [
            msg("{who} still held {tiles}.", who=self.names[seat], tiles=" ".join(map(str, hand)))
            for seat, hand in enumerate(step.after.hands)
            if hand and seat != self.seat
        ]

    def all_hands(self, state: State) -> Hands:
        return state.hands

    def visible_hands(self, view: View) -> Hands:
        return [view.hand if at == view.seat else count for at, count in enumerate(view.counts)]

    def _order(self) -> tuple[int, int]:
        """Return the seats, beginning with the person's own."""
        return (1, 0) if self.seat == 1 else (0, 1)

    def _label(self, view: View, seat: int) -> str:
        star = "*" if seat in self.to_move else ""
        return f"{self.plain_names[seat]}{star}({view.scores[seat]}):"

    def lines(self, view: View, hands: Hands) -> list[str]:
        rows = [RULE]
        for seat in self._order():
            hand = hands[seat]
            texts = [FACE_DOWN] * hand if isinstance(hand, int) else [str(tile) for tile in hand]
            rows.append(f"{self._label(view, seat)} {' '.join(texts)}".rstrip())
        rows.append(label_text(msg("boneyard:"), " ".join([FACE_DOWN] * view.boneyard)))
        rows.append(label_text(msg("tiles:"), "28"))
        spinner = view.board.spinner
        rows.append(label_text(msg("spinner:"), "" if spinner is None else str(spinner)))
        for label, arm in ARMS:
            halves: Sequence[Halves] = getattr(view.board, arm)
            rows.append(label_text(label, " ".join(f"{outer}-{inner}" for outer, inner in halves)))
        rows.append(label_text(msg("board score:"), str(view.board_score)))
        if self.seat is None:
            return rows
        # the original program leaves the indices to be counted
        return [*rows, "   ".join(f"{at}: {tile}" for at, tile in enumerate(view.hand))]

    def drawing(self, view: View, hands: Hands, room: Room) -> list[Text]:
        if room.tight and self.seat is not None:
            return self._tight(view, hands, room)
        rows: list[Text] = []
        for seat in self._order():
            hand = hands[seat]
            style = OWN if seat == self.seat else "bold"
            pieces = [face_down()] * hand if isinstance(hand, int) else [tile_text(tile) for tile in hand]
            rows += beside(self._label(view, seat), pieces, room.width, style=style)
        boneyard = [face_down()] * view.boneyard
        if room.low and boneyard:
            boneyard = [Text.assemble(face_down(), f" × {view.boneyard}")]
        rows += beside(label_text(msg("boneyard:"), ""), boneyard, room.width)
        rows += [Text(label_text(msg("tiles:"), "28"), style="bold")]
        spinner = view.board.spinner
        rows += beside(
            label_text(msg("spinner:"), ""), [] if spinner is None else [tile_text(spinner)], room.width
        )
        for label, arm in ARMS:
            halves: Sequence[Halves] = getattr(view.board, arm)
            rows += beside(label_text(label, ""), [tile_text(one) for one in halves], room.width)
        rows.append(
            Text.assemble((label_text(msg("board score:"), ""), "bold"), " ", (str(view.board_score), OWN))
        )
        if room.ample and (
            cross := _cross(view.board, room.width)
        ):  # the original program does not show this
            rows += [Text(), *cross]
        if self.seat is not None and room.low:
            return rows + self._indexed_hand(view, room)
        if self.seat is not None:
            tiles = [tall_tile(tile.low, tile.high, pips=room.ample) for tile in view.hand]
            rows += [Text(), *numbered_rows(tiles, room.width, playable=_playable(view))]
        return rows

    def _indexed_hand(self, view: View, room: Room) -> list[Text]:
        return indexed_rows([tile_text(tile) for tile in view.hand], room.width, playable=_playable(view))

    def _tight(self, view: View, hands: Hands, room: Room) -> list[Text]:
        """Return a small drawing, with several parts in a row, and the person's own hand only with its
        indices."""
        own, other = self._order()
        parts = [Text(self._label(view, own).rstrip(":"), style=OWN)]
        hand = hands[other]
        if isinstance(hand, int):
            parts.append(_count_text(self._label(view, other), hand))
        else:
            name = Text(self._label(view, other), style="bold")
            parts.append(Text(" ").join([name, *map(tile_text, hand)]))
        parts.append(_count_text(translate(msg("boneyard:")), view.boneyard))
        spinner = view.board.spinner
        parts += beside(
            label_text(msg("spinner:"), ""), [] if spinner is None else [tile_text(spinner)], room.width
        )
        for label, arm in ARMS:
            halves: Sequence[Halves] = getattr(view.board, arm)
            parts.append(Text(translate(label), style="bold"))
            if halves:
                parts[-1].append(" ", style="not bold")
                parts[-1] += ends([tile_text(one) for one in halves], room.width - parts[-1].cell_len)
        score = Text.assemble(
            (label_text(msg("board score:"), ""), "bold"), " ", (str(view.board_score), OWN)
        )
        return [*in_rows([*parts, score], room.width, gap="  "), *self._indexed_hand(view, room)]


def open_ends(board: Board) -> list[Message]:
    """Return the open ends with their numbers: `left: 6`."""
    return [
        msg("{where} {number}", where=name, number=end)
        for (name, _arm), end in zip(ARMS, board.ends(), strict=True)
        if end != CLOSED
    ]


def _uses(move: Move, tile: Tile) -> bool:
    return isinstance(move, Lay) and move.tile == tile


def _playable(view: View) -> list[int]:
    return [at for at, tile in enumerate(view.hand) if any(_uses(move, tile) for move in view.legal)]


def _count_text(label: str, count: int) -> Text:
    return Text.assemble((label, "bold"), " ", face_down(), f" × {count}")


def _cross(board: Board, width: int) -> list[Text]:
    """Return a drawing of the arms around the spinner; an empty list if it does not fit."""
    if board.spinner is None:
        line = [tile_text(one) for one in board.left]
        return side_by_side([[one] for one in line]) if len(line) * 4 <= width else []
    left = [tile_text(one) for one in board.left]
    right = [tile_text((inner, outer)) for outer, inner in reversed(board.right)]
    if (len(left) + 1 + len(right)) * 4 > width:
        return []
    across = side_by_side([[one] for one in [*left, tile_text(board.spinner), *right]])
    indent = " " * (len(left) * 4)
    up = [_upright(half, indent) for halves in board.up for half in halves]
    down = [_upright(half, indent) for outer, inner in reversed(board.down) for half in (inner, outer)]
    return [*up, *across, *down]


def _upright(half: int, indent: str) -> Text:
    return Text.assemble(indent, (f" {half} ", number_style(half)))
