"""Mistakes of programs that need files, space or processes that the sandbox does not allow."""

from __future__ import annotations

import re
from typing import Final

from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.game_checks import Diagnosis
from botequim.core.limits import MB
from botequim.core.messages import Message, msg, plain

_ERROR: Final = re.compile(r"^\s*(?:Uncaught )?((?:[A-Z]\w*)?(?:Error|Exception|Exit)\b.*)", re.MULTILINE)
_LONGEST: Final = 200
_READ_ONLY: Final = re.compile(r"read-only file system|EROFS", re.IGNORECASE)
_DENIED: Final = re.compile(
    r"permission denied: ['\"]|EACCES: permission denied, \w+ '|cannot create .*: permission denied",
    re.IGNORECASE,
)
"""The message must contain the name of a file, because access to a port can be denied too."""
_RUNNING: Final = re.compile(r"_execute_child|os\.exec|\bspawn")
"""The error is about running a program, which may lack the permission to be run."""
_FULL: Final = re.compile(r"no space left on device|ENOSPC", re.IGNORECASE)
_NO_MORE: Final = re.compile(r"Resource temporarily unavailable|BlockingIOError|\bEAGAIN\b")
_STARTING: Final = re.compile(r"fork|thread|spawn|clone|Popen|Process|exec", re.IGNORECASE)
_NO_THREAD: Final = re.compile(
    r"can't start new thread|[Cc]annot fork|unable to create (?:new )?native thread"
)


def last_error(log: str) -> str:
    errors = _ERROR.findall(log)
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return (errors or lines or [""])[-1][:_LONGEST]


def diagnose_refusal(case: Case, log: str) -> Diagnosis | None:
    """Return the diagnosis if the last error is a refused file or process."""
    error = last_error(log)
    if _READ_ONLY.search(error) or (_DENIED.search(error) and not _RUNNING.search(log)):
        return Diagnosis(
            "cannot-write",
            msg("It tries to write where it has no permission: {error}", error=plain(error)),
            _where_to_write(case),
        )
    if _FULL.search(error):
        return Diagnosis(
            "no-space",
            msg(
                "It writes more than the limit of {most} MB: {error}",
                most=case.limits.space // MB,
                error=plain(error),
            ),
            msg("Write less, or delete files that you no longer need. Logs count too."),
        )
    if _NO_THREAD.search(error) or (_NO_MORE.search(error) and _STARTING.search(log)):
        return too_many_processes(case)
    return None


def _where_to_write(case: Case) -> Message:
    if case.in_image:
        return msg(
            "Write to /tmp, or to a folder that belongs to the container's user. The root user of "
            "the container has no privileges here, so it cannot write to files of other users "
            "(see USER and COPY --chown in the Dockerfile). With docker, only /tmp, /var/tmp, "
            "/run and volumes are writable."
        )
    return msg(
        "Write to /tmp, or create new files directly in the bot's folder. The files that "
        "came with the bot, and its sub-folders, are read-only."
    )


def too_many_processes(case: Case) -> Diagnosis:
    return Diagnosis(
        "processes",
        msg("It starts more processes or threads than the limit of {most}.", most=case.limits.processes),
        msg(
            "Do not start new processes or threads for each question, and end those that you no longer need."
        ),
    )
