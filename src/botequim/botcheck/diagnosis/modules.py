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
    """Return the diagnosis of a missing module, with the command that installs it."""
    if match := _NODE.search(log):
        return _missing(match[1], _node_remedy(case, match[1]))
    if match := _PYTHON.search(log):
        return _missing(match[1], _python_remedy(case, match[1]))
    if match := _NOT_IN_MODULE.search(log):
        return Diagnosis(
            "missing-name",
            msg(
                'It imports "{name}", which the module "{module}" does not have.',
                name=match[1],
                module=match[2],
            ),
            msg("Check the spelling, and whether a file of yours has the same name as the module."),
        )
    return None


def undefined_name(case: Case, log: str) -> Diagnosis | None:
    """Return the diagnosis of an undefined name, if that is the last error."""
    error = last_error(log)
    match = _UNDEFINED.search(error)
    if match is None:
        return None
    name = next(group for group in match.groups() if group)
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
    has_requirements = "requirements.txt" in case.files
    if case.environment:
        what = "-r requirements.txt" if has_requirements else name.partition(".")[0]
        return msg(
            "Run `{command}` in the bot's folder to install it into the bot's environment. If it is a file "
            "of your own, put it beside the program.",
            command=plain(f"{case.environment}/bin/python -m pip install {what}"),
        )
    if environments := _unused_environments(case):
        return msg(
            "The bot does not run in its environment {environment}. Name the Python of that environment in "
            "its command ({environment}/bin/python), or create the environment again on this machine.",
            environment=environments[0],
        )
    if not has_requirements:
        return msg(
            "Put the file in the bot's folder: only that folder and the standard library are searched."
        )
    command = "pip install -r requirements.txt"
    return _install(case, command if case.in_image else f"{command} --target .")


def _unused_environments(case: Case) -> list[str]:
    """Return the virtual environments in the folder of a bot, if it runs with another Python."""
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
