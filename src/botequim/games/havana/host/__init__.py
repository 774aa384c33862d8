"""What students of Projeto-02 are given, and the program that seats them.

`basic_players.py`, `host.py` and `stand_ins.py` run in the student's process, inside a sandbox: they import
nothing of botequim, and botequim imports nothing of them.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
"""All that a sandbox has to show beside the student's own folder."""
HOST = FOLDER / "host.py"
"""Run as `python -I host.py STUDENT_FOLDER ELEMENT`; element 0 or 1 of what `create_pair()` gives."""
STUDENT_FILE = "student_players.py"
