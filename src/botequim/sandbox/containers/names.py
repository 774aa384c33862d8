"""Names of images as in docker: `node:20` is `library/node:20` in docker's own registry.

Podman on Debian searches no registry for a short name, but Dockerfiles of competitions have many short names.
So for builds podman gets a copy of this machine's settings in which docker's registry is searched.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

HUB: Final = "docker.io"
VARIABLES: Final = ("CONTAINERS_REGISTRIES_CONF", "REGISTRIES_CONFIG_PATH")
"""The environment variables with the path of podman's settings. The first has precedence."""
_STANDARD_ERROR: Final = re.compile(r"[2&]>>?\s*([^\s;&|<>()]+)")
_BOTH_OUTPUTS: Final = re.compile(r"(?<![0-9&])1?>>?\s*([^\s;&|<>()]+)[^;|]*?2>&1")
_SIMPLE_WORD: Final = re.compile(r"[\w.@%+=:,-][\w.@%+=:,/-]*", re.ASCII)
"""A word that needs no quotes, and is not an absolute path, because that could be a file of the image."""
_VARIABLE: Final = re.compile(r"\$(?:(\w+)|\{(\w+)(?::?-([^}]*))?\})")
SEARCH_KEY: Final = "unqualified-search-registries"


def full_name(name: str) -> str:
    """Return the name with its registry, as docker completes it. A digest is returned unchanged."""
    if name.startswith("sha256:"):
        return name
    first, slash, _ = name.partition("/")
    if not slash:
        return f"{HUB}/library/{name}"
    if first == "localhost" or "." in first or ":" in first:
        return name
    return f"{HUB}/{name}"


def bases(recipe: str) -> list[str]:
    """Return the base images of a Dockerfile, as far as they do not depend on build arguments."""
    images: list[str] = []
    stages = {"scratch"}
    defaults: dict[str, str] = {}
    for line in recipe.replace("\\\n", " ").splitlines():
        match line.split():
            case [word, setting, *_] if word.upper() == "ARG" and not images:
                key, _, value = setting.partition("=")
                defaults[key] = value.strip("\"'")
            case [word, *rest] if word.upper() == "FROM":
                image, *words = [part for part in rest if not part.startswith("--")] or [""]
                image = _VARIABLE.sub(lambda use: defaults.get(use[1] or use[2]) or use[3] or use[0], image)
                if image and "$" not in image and image.lower() not in stages and image not in images:
                    images.append(image)
                stages |= {name.lower() for name in words[1:2]}
    return images


def command(recipe: str) -> str | None:
    """Return the command of a Dockerfile if it is simple and does not name files of the image, else None."""
    parts: dict[str, list[str]] = {}
    for line in recipe.replace("\\\n", " ").splitlines():
        match line.split(maxsplit=1):
            case [word, _] if word.upper() == "FROM":
                parts.clear()
            case [word, rest] if word.upper() in ("ENTRYPOINT", "CMD"):
                parts[word.upper()] = _words(rest)
    words = [*parts.get("ENTRYPOINT", ()), *parts.get("CMD", ())]
    return " ".join(words) if words and all(map(_SIMPLE_WORD.fullmatch, words)) else None


def _words(text: str) -> list[str]:
    """Return the words of a command in a Dockerfile, which is a JSON array or a line for the shell."""
    try:
        value = json.loads(text)
    except ValueError:
        return text.split()
    return [str(word) for word in value] if isinstance(value, list) else text.split()


def log_file(config: Mapping[str, Any]) -> str:
    """Return the file to which the shell command of an image redirects standard error; "" if there is
    none."""
    words = [str(word) for word in (*(config.get("Entrypoint") or ()), *(config.get("Cmd") or ()))]
    if len(words) < 3 or words[1] != "-c" or not words[0].endswith("sh"):
        return ""
    match = _STANDARD_ERROR.search(words[2]) or _BOTH_OUTPUTS.search(words[2])
    return match[1].strip("'\"") if match is not None else ""


def written_settings(folder: Path) -> dict[str, str]:
    """Write podman's settings for short names into a folder; return the environment variable with its path.

    If the settings cannot be read, nothing is written, and podman reports the error.
    """
    try:
        settings = tomllib.loads(_own_settings().read_text(encoding="utf-8"))
    except FileNotFoundError:
        settings = {}
    except (OSError, ValueError):
        return {}
    if "registries" in settings:  # the old format, which cannot be mixed with the new one
        return {}
    settings |= {SEARCH_KEY: [HUB]}
    path = folder / "registries.conf"
    path.write_text("".join(f"{key} = {_toml(value)}\n" for key, value in settings.items()), "utf-8")
    return {VARIABLES[0]: str(path)}


def _own_settings() -> Path:
    """Return podman's settings file on this machine."""
    for variable in VARIABLES:
        if path_text := os.environ.get(variable):
            return Path(path_text)
    folders = [os.environ.get("XDG_CONFIG_HOME"), str(Path("~/.config").expanduser())]
    for folder in folders:
        if folder and (path := Path(folder, "containers", "registries.conf")).exists():
            return path
    return Path("/etc/containers/registries.conf")


def _toml(value: Any) -> str:
    match value:
        case Mapping():
            return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case _:
            return json.dumps(value)
