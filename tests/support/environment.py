"""Normalises what every test process inherited from the process that started the tests.

The tests of how Botequim reads a terminal's width, a language or a time zone set these themselves.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Final

REMOVE: Final = (
    *(
        "COLUMNS",
        "LINES",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "PAGER",
        "EDITOR",
        "VISUAL",
    ),
    *("LANGUAGE", "BOTEQUIM_CLUSTER_KEY", "BOTEQUIM_LANG", "BOTEQUIM_STORE"),
    *("CDPATH", "ENV", "BASH_ENV", "SOURCE_DATE_EPOCH"),
    *("PYTHONASYNCIODEBUG", "PYTHONDEVMODE", "PYTHONDONTWRITEBYTECODE", "PYTHONFAULTHANDLER"),
    *("PYTHONHASHSEED", "PYTHONHOME"),
    *("PYTHONINSPECT", "PYTHONIOENCODING", "PYTHONMALLOC", "PYTHONNOUSERSITE", "PYTHONOPTIMIZE"),
    *("PYTHONPROFILEIMPORTTIME", "PYTHONSAFEPATH", "PYTHONSTARTUP", "PYTHONTRACEMALLOC", "PYTHONUNBUFFERED"),
    *("PYTHONUTF8", "PYTHONVERBOSE", "PYTHONWARNINGS", "PYTHON_COLORS"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
)
REMOVE_STARTING: Final = ("LC_", "DASK_", "GIT_", "PG")
HERE: Final = "127.0.0.1,localhost"
SET: Final = {"LANG": "C.UTF-8", "TZ": "UTC", "TERM": "xterm-256color", "NO_PROXY": HERE, "no_proxy": HERE}


def normalise() -> None:
    """Set the environment variables, the umask and the signal handlers of this process to known values."""
    for name in tuple(os.environ):
        if name in REMOVE or name.startswith(REMOVE_STARTING):
            del os.environ[name]
    os.environ.update(SET)
    sys.dont_write_bytecode = False  # else every process of every run compiles all tests again
    time.tzset()
    os.umask(0o022)
    heed_signals()


def heed_signals() -> None:
    """Let programs that the tests start react to Ctrl-C and to a closed terminal.

    A signal that is ignored here (`nohup`, cron, a background job of a script) would be ignored there too. A
    handler of ours is not inherited by a program, so whoever ran `nohup` still gets what they asked for.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def describe() -> str:
    """Return one line that says what the tests run with, for the head of the report."""
    who = "root" if os.geteuid() == 0 else f"user {os.geteuid()}"
    return f"as {who}, {len(os.sched_getaffinity(0))} processors, Python {sys.version.split()[0]}"
