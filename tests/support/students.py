"""What students may submit: files that play, each in a style of its own."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from botequim.games.havana.host import STUDENT_FILE

Files = Mapping[str, str | bytes]


def submit(folder: Path, files: Files | str) -> Path:
    """A student's folder; a text alone is its student_players.py."""
    for name, content in ({STUDENT_FILE: files} if isinstance(files, str) else files).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else textwrap.dedent(content).encode())
    return folder


TWO_GREEDY = """
    from basic_players import GreedyPlayer

    def pair_name():
        return "Os Gananciosos"

    def create_pair():
        return GreedyPlayer(123456, "Ana", "img/ana.png"), GreedyPlayer(654321, "Rui")
    """


def with_play(*lines: str, before: str = "") -> str:
    """A student's file whose play has these lines."""
    play = "\n".join(f"        {line}" for line in lines)
    return f"""{before}
import random
from basic_players import Player


class Mine(Player):
    def play(self, board_extremes, play_hist):
{play}

    def fitting(self, board_extremes):
        return [t for t in self._tiles if not board_extremes or set(t) & set(board_extremes)]


def pair_name():
    return "meus"


def create_pair():
    return Mine(1, "um"), Mine(2, "dois")
"""


FIRST_FIT = (
    "fit = self.fitting(board_extremes)",
    "return (0, fit[0]) if fit else (0, None)",
)


STYLES: Mapping[str, Files | str] = {
    "two classes": """
        from basic_players import Player, GreedyPlayer

        class Attack(GreedyPlayer):
            pass

        class Defend(Player):
            def __init__(self):
                super().__init__(2, "dois", "img/2.png")

            def play(self, board_extremes, play_hist):
                fit = [t for t in self.tiles if not board_extremes or set(t) & set(board_extremes)]
                return 1, (min(fit, key=sum) if fit else None)

        def pair_name():
            return "dois"

        def create_pair():
            return (Attack(1, "um"), Defend())
        """,
    "a list, and everything by star": """
        from basic_players import *

        class P(Player):
            def play(self, board_extremes, play_hist):
                fit = [t for t in self.tiles if not board_extremes or set(t) & set(board_extremes)]
                return [0, random.choice(fit) if fit else None]

        def pair_name():
            return "lista"

        def create_pair():
            return [P(1, "a"), P(2, "b")]
        """,
    "helper modules": {
        STUDENT_FILE: """
            from basic_players import Player
            from strategy.choosing import best
            import tables

            class P(Player):
                def play(self, board_extremes, play_hist):
                    return best(self.tiles, board_extremes, tables.WEIGHTS)

            def pair_name():
                return open("name.txt", encoding="utf-8").read()

            def create_pair():
                return P(1, "a"), P(2, "b")
            """,
        "name.txt": "Os Módulos",
        "tables.py": "WEIGHTS = {n: n for n in range(10)}",
        "strategy/__init__.py": "",
        "strategy/choosing.py": """
            from .ends import fits

            def best(tiles, ends, weights):
                good = [tile for tile in tiles if fits(tile, ends)]
                return (0, max(good, key=lambda t: weights[t[0]])) if good else (1, None)
            """,
        "strategy/ends.py": """
            def fits(tile, ends):
                return not ends or tile[0] in ends or tile[1] in ends
            """,
    },
    "pictures and the judge": """
        import pygame
        import pygame.locals
        from pygame.locals import *
        from pygame import Surface, display
        from judge import *
        from drawer import draw_board, WHITE
        import tournament, main
        from basic_players import GreedyPlayer

        pygame.init()
        SIZE = int(pygame.display.Info().current_w * 0.5) + len(pygame.font.get_fonts())
        FLAGS = pygame.FULLSCREEN | pygame.DOUBLEBUF

        class Sprite(pygame.sprite.Sprite):
            def __init__(self):
                super().__init__()
                self.image = pygame.transform.scale(pygame.image.load("img/x.png"), (10, 10))

        class Better(Judge):
            pass

        try:
            Sprite()
        except pygame.error:
            raise SystemExit("no")
        for event in pygame.event.get():
            raise SystemExit("no")
        with Surface((1, 2)) as surface:
            surface[0] = surface[1] + -surface[2]

        def pair_name():
            return "desenho"

        def create_pair():
            return GreedyPlayer(1, "a"), GreedyPlayer(2, "b")

        if __name__ == "__main__":
            raise SystemExit("must not run")
        """,
    "the whole project": {
        STUDENT_FILE: TWO_GREEDY + "\n    from judge import TILES, Judge\n    assert len(TILES) == 55\n",
        "basic_players.py": "raise SystemExit('not ours')",
        "judge.py": """
            import pygame
            from basic_players import Player
            from drawer import Drawer

            TILES = [(a, b) for a in range(10) for b in range(a, 10)]

            class Judge:
                def __init__(self):
                    self.drawer = Drawer()
            """,
        "drawer.py": "import pygame\nFONT = pygame.font.SysFont('x', 12)\n\nclass Drawer:\n    pass\n",
        "main.py": "raise SystemExit('must not be run')",
        "img/ana.png": b"\x89PNG",
    },
    "no super().__init__": """
        from basic_players import Player

        class P(Player):
            def __init__(self):
                self.games = 0

            def play(self, board_extremes, play_hist):
                assert self.position in range(4)
                fit = [t for t in self.tiles if not board_extremes or set(t) & set(board_extremes)]
                return 0, (fit[-1] if fit else None)

        def pair_name():
            return 1 / 0

        def create_pair():
            return P(), P()
        """,
    "tiles of the class": """
        from basic_players import Player

        class P(Player):
            tiles = []
            position = None

            def play(self, board_extremes, play_hist):
                fit = [t for t in self._tiles if not board_extremes or set(t) & set(board_extremes)]
                return 0, (fit[-1] if fit else None)

        def pair_name():
            return "classe"

        def create_pair():
            p = P(1, "a")
            return p, p
        """,
    "no base class at all": """
        class P:
            def play(self, board_extremes, play_hist):
                fit = [t for t in self._tiles if not board_extremes or set(t) & set(board_extremes)]
                return 0, (fit[-1] if fit else None)

        def create_pair():
            return P(), P()
        """,
    "prints everywhere": """
        import os, sys
        print("importing ♥", flush=True)
        os.write(1, b"0\\t36\\n")
        os.system("echo from a shell")
        from basic_players import GreedyPlayer

        class P(GreedyPlayer):
            def play(self, board_extremes, play_hist):
                print("0\\t36")
                sys.stdout.write("crash {}\\n")
                sys.__stdout__.write("x\\n")
                print("err", file=sys.stderr)
                try:
                    input("your move? ")
                except EOFError:
                    pass
                return super().play(board_extremes, play_hist)

        def pair_name():
            print("pair_name")
            return "falantes"

        def create_pair():
            return P(1, "a"), P(2, "b")
        """,
    "a slow import": "import time\ntime.sleep(0.3)\n" + textwrap.dedent(TWO_GREEDY),
    "changes what it is given": with_play(
        "play_hist.clear()",
        "play_hist.append(None)",
        "self._tiles.sort(reverse=True)",
        *FIRST_FIT,
    ),
    "takes its tiles itself": with_play(
        "fit = self.fitting(board_extremes)",
        "if not fit:",
        "    return 0, None",
        "self._tiles.remove(fit[0])",
        "return 0, fit[0]",
    ),
    "spoils its tiles": with_play(
        *FIRST_FIT[:1],
        "self._tiles = None if len(play_hist) % 2 else [[1, 2]]",
        "return (0, fit[0]) if fit else (0, None)",
    ),
    "remove_tile of its own": with_play(
        *FIRST_FIT,
        before="",
    ).replace(
        "    def fitting", "    def remove_tile(self, tile):\n        raise KeyError(tile)\n\n    def fitting"
    ),
    "random": with_play(
        "random.seed(7)",
        "fit = self.fitting(board_extremes)",
        "return random.randrange(2), random.choice(fit) if fit else None",
    ),
}
