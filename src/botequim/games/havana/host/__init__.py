"""The files that students of Projeto-02 get, and the program that runs their players.

`basic_players.py`, `host.py` and `stand_ins.py` run in the student's process, inside a sandbox: they import
nothing of botequim, and botequim imports nothing of them.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
"""The folder that a sandbox must show besides the student's own folder."""
HOST = FOLDER / "host.py"
"""Run as `python -I host.py STUDENT_FOLDER ELEMENT`; the element, 0 or 1, of the result of
`create_pair()`."""
STUDENT_FILE = "student_players.py"
