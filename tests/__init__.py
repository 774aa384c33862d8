"""The tests. They mirror `src/botequim`; what they share is in `support`."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
"""The project's folder."""
HIGHCARD = ROOT / "examples" / "games" / "highcard"
"""The folder of an example game, to be put on the path of a program that plays it."""
