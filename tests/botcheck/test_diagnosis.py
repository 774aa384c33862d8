"""Diagnoses of `botequim check` that need no bot: pure functions of the evidence."""

from __future__ import annotations

import pytest

from botequim import registry
from botequim.botcheck.diagnosis import diagnose
from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.game_checks import Diagnosis
from botequim.core.errors import Fault, FaultKind
from botequim.core.messages import msg


def start_failure(log: str, *files: str, environment: str = "", in_image: bool = False) -> Diagnosis:
    """The diagnosis of a cubos bot that ended at its start with this log."""
    wire = registry.wire("cubos", "cubos")
    fault = Fault(FaultKind.CRASH, msg("the player ended"), {"stderr": log, "exit": 1})
    case = Case(
        registry.game("cubos"),
        wire,
        wire.limits,
        fault,
        files=files,
        environment=environment,
        in_image=in_image,
    )
    return diagnose(case)


NODE = "node:internal/modules\n\nError: Cannot find module 'express'\nRequire stack:\n- /b/a.js\n"
NODE_SCOPED = "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@hono/node-server' imported from /b/a.mjs\n"
NODE_OWN = "Error: Cannot find module '/b/dist/index.js'\n"
PYTHON = "Traceback (most recent call last):\n  ...\nModuleNotFoundError: No module named 'flask'\n"


@pytest.mark.parametrize(
    ("log", "files", "remedy"),
    [
        (NODE, ("package.json", "package-lock.json"), "Run `npm ci` in the bot's folder"),
        (NODE, ("package.json",), "Run `npm install` in the bot's folder"),
        (NODE_SCOPED, (), "Run `npm install @hono/node-server` in the bot's folder"),
        (NODE_OWN, ("package.json", "package-lock.json"), "If a build makes it, run the build first"),
        (PYTHON, ("requirements.txt",), "Run `pip install -r requirements.txt --target .`"),
        (PYTHON, (), "only that folder and the standard library are searched"),
    ],
)
def test_how_to_get_a_module_that_is_missing(log: str, files: tuple[str, ...], remedy: str) -> None:
    found = start_failure(log, *files)
    assert found.key == "missing-module"
    assert remedy in str(found.remedy)


@pytest.mark.parametrize(
    ("files", "command"),
    [
        (("v", "requirements.txt"), "v/bin/python -m pip install -r requirements.txt"),
        (("v",), "v/bin/python -m pip install flask"),
    ],
)
def test_a_module_that_is_missing_in_the_environment_of_a_bot(files: tuple[str, ...], command: str) -> None:
    remedy = str(start_failure(PYTHON, *files, environment="v").remedy)
    assert f"Run `{command}` in the bot's folder" in remedy
    assert "--target" not in remedy


def test_a_module_that_is_missing_beside_an_environment_that_is_not_used() -> None:
    remedy = str(start_failure(PYTHON, "requirements.txt", ".venv").remedy)
    assert "Name the Python of that environment in its command (.venv/bin/python)" in remedy


def test_a_module_that_is_missing_in_an_image() -> None:
    found = start_failure(NODE, "package.json", "package-lock.json", in_image=True)
    assert "RUN npm ci in its Dockerfile" in str(found.remedy)
    found = start_failure(PYTHON, "requirements.txt", in_image=True)
    assert "RUN pip install -r requirements.txt in its Dockerfile" in str(found.remedy)


@pytest.mark.parametrize(
    ("log", "key", "mistake"),
    [
        ("NameError: name 'mao' is not defined\n", "undefined-name", 'the name "mao"'),
        ("ReferenceError: mesa is not defined\n    at Server.<anonymous>\n", "undefined-name", '"mesa"'),
        (
            "UnboundLocalError: cannot access local variable 'lado' where it is not set\n",
            "undefined-name",
            '"lado"',
        ),
        (
            "ImportError: cannot import name 'Tile' from 'dominoes' (/b/dominoes.py)\n",
            "missing-name",
            'It imports "Tile", which the module "dominoes" does not have.',
        ),
        ("NameError: name 'x' is not defined\nValueError: bad\n", "ends-at-start", "ValueError: bad"),
    ],
)
def test_names_that_a_program_does_not_have(log: str, key: str, mistake: str) -> None:
    found = start_failure(log)
    assert found.key == key
    assert mistake in str(found.mistake)
