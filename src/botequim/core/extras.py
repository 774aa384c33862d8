"""The command that installs an extra of Botequim, for the way in which Botequim itself was installed."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg

PACKAGE = "botequim"


def extra_error(problem: Message, extra: str) -> InputError:
    """Return the error that an extra is missing, with the command that installs it."""
    return InputError(msg("{problem}: {command}", problem=problem, command=extra_command(extra)))


def extra_command(extra: str) -> str:
    """Return the command that installs an extra, from where Botequim itself was installed."""
    pip = [sys.executable or "python3", "-m", "pip", "install"]
    return shlex.join([*pip, *_source(extra)])


def _source(extra: str) -> list[str]:
    origin = _origin()
    path = Path(unquote(urlsplit(str(origin.get("url", ""))).path))
    if "dir_info" in origin and path.is_dir():
        editable = ["--editable"] if origin["dir_info"].get("editable") else []
        return [*editable, f"{path}[{extra}]"]
    wheels = path.parent if "archive_info" in origin and path.is_file() else "wheels"
    return ["--no-index", "--find-links", str(wheels), f"{PACKAGE}[{extra}]"]


def _origin() -> dict[str, Any]:
    """Return what the installer noted about the place of the package; empty if it came from a list of them.

    It is the file `direct_url.json`, which pip writes for a checkout or a single wheel.
    """
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found: Any = json.loads(distribution(PACKAGE).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
