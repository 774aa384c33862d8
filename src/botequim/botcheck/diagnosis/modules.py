"""Missing modules of a program, and names that it never defines."""

from __future__ import annotations

import re
from typing import Final

from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.diagnosis.surroundings import last_error
from botequim.botcheck.game_checks import Diagnosis
from botequim.bots.environments import ENVIRONMENTS
from botequim.core.messages import Message, msg, plain

_PYTHON: Final = re.compile(r"No module named ['\"]([^'\"]+)")
_NODE: Final = re.compile(r"Cannot find (?:module|package) ['\"]([^'\"]+)")
_NOT_IN_MODULE: Final = re.compile(r"cannot import name ['\"]([^'\"]+)['\"] from ['\"]([^'\"]+)")
_UNDEFINED: Final = re.compile(
    r"NameError: name ['\"](\w+)['\"] is not defined"
    r"|UnboundLocalError: .*local variable ['\"](\w+)['\"]"
    r"|ReferenceError: ([\w$]+) is not defined"
)


def missing_module(case: Case, log: str) -> Diagnosis | None:
    """Name the module that is missing, and how to get it."""
    if found := _NODE.search(log):
        return _missing(found[1], _node_remedy(case, found[1]))
    if found := _PYTHON.search(log):
        return _missing(found[1], _python_remedy(case, found[1]))
    if found := _NOT_IN_MODULE.search(log):
        return Diagnosis(
            "missing-name",
            msg(
                'It imports "{name}", which the module "{module}" does not have.',
                name=found[1],
                module=found[2],
            ),
            msg("Check the spelling, and whether a file of yours has the same name as the module."),
        )
    return None


def undefined_name(case: Case, log: str) -> Diagnosis | None:
    """Name what a program uses without having defined it, if that is its last error."""
    error = last_error(log)
    found = _UNDEFINED.search(error)
    if found is None:
        return None
    name = next(group for group in found.groups() if group)
    at = str(case.fault.evidence.get("at", ""))
    return Diagnosis(
        "undefined-name",
        msg(
            'It uses the name "{name}", which is not defined there: {error} ({at})',
            name=name,
            error=plain(error),
            at=plain(at),
        )
        if at
        else msg(
            'It uses the name "{name}", which is not defined there: {error}', name=name, error=plain(error)
        ),
        msg("Define the name before it is used, import it, or correct its spelling."),
    )


def _missing(name: str, remedy: Message) -> Diagnosis:
    mistake = msg(
        'It imports the module "{name}", which is not installed where the bot runs.', name=plain(name[:120])
    )
    return Diagnosis("missing-module", mistake, remedy)


def _node_remedy(case: Case, name: str) -> Message:
    if name.startswith(("/", ".")):  # one of its own files
        return msg("Put the file in the bot's folder. If a build makes it, run the build first.")
    command = "npm ci" if "package-lock.json" in case.files else "npm install"
    if "package.json" not in case.files:
        command = "npm install " + (name if name.startswith("@") else name.partition("/")[0])
    return _install(case, command)


def _python_remedy(case: Case, name: str) -> Message:
    listed = "requirements.txt" in case.files
    if case.environment:
        what = "-r requirements.txt" if listed else name.partition(".")[0]
        return msg(
            "Run `{command}` in the bot's folder to install it into the bot's environment. If it is a file "
            "of your own, put it beside the program.",
            command=plain(f"{case.environment}/bin/python -m pip install {what}"),
        )
    if unused := _unused_environments(case):
        return msg(
            "The bot does not run in its environment {environment}. Name the Python of that environment in "
            "its command ({environment}/bin/python), or create the environment again on this machine.",
            environment=unused[0],
        )
    if not listed:
        return msg(
            "Put the file in the bot's folder: only that folder and the standard library are searched."
        )
    command = "pip install -r requirements.txt"
    return _install(case, command if case.in_image else f"{command} --target .")


def _unused_environments(case: Case) -> list[str]:
    """Return the virtual environments in the folder of a bot that another Python runs."""
    if case.in_image or case.wire.hosted:
        return []
    return [name for name in ENVIRONMENTS if name in case.files]


def _install(case: Case, command: str) -> Message:
    if case.in_image:
        return msg("Install it while the image is built: RUN {command} in its Dockerfile.", command=command)
    return msg(
        "Run `{command}` in the bot's folder: everything in that folder is copied with the bot.",
        command=command,
    )
