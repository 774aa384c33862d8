"""Entrants that never sit down: what they consist of, or do while they are built, is refused by name.

Each is entered in a cup beside bots that behave. It is charged with an error that names it, and the cup goes
on without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.support import bombs


@dataclass(frozen=True)
class Refused:
    """One entrant that is refused."""

    name: str
    em_portugues: str
    make: Callable[[Path], Path]
    """Make it in an empty folder, and return what is entered."""
    says: str
    """In the error."""


def _bot(folder: Path, build: str = "") -> Path:
    """A folder with a program, and a command line that builds it."""
    home = folder / "bot"
    home.mkdir()
    (home / "run").write_text("#!/bin/sh\n")
    (home / "run").chmod(0o755)
    lines = 'command = "./run"\n' + (f"build = '''{build}'''\n" if build else "")
    (home / "botequim.toml").write_text(lines)
    return home


def _builds(build: str) -> Callable[[Path], Path]:
    return lambda folder: _bot(folder, build)


def _archive(make: Callable[[Path], None], ending: str) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        path = folder / f"bot{ending}"
        make(path)
        return path

    return made


def _pipe_beside(folder: Path) -> Path:
    home = _bot(folder)
    os.mkfifo(home / "pipe")
    return home


def _manifest_elsewhere(folder: Path) -> Path:
    home = _bot(folder)
    (folder / "secret").write_text("password: 7")
    (home / "botequim.toml").unlink()
    (home / "botequim.toml").symlink_to("../secret")
    return home


def _deep(name: str, count: int) -> str:
    """A command line that makes folders within each other."""
    return f"i=0; while [ $i -lt {count} ]; do mkdir {name} && cd -P {name} || exit 0; i=$((i+1)); done"


LONG = "n" * 240


def _half_a_character(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    script = r'{"scripts": {"start": "python3 bot.py \ud800"}}'
    (folder / "package.json").write_text(script, encoding="utf-8")
    (folder / "bot.py").write_text("", encoding="utf-8")
    return folder


def _commands(command: str) -> Callable[[Path], Path]:
    """Return what makes a bot that is started by a command, as a text of TOML."""

    def make(folder: Path) -> Path:
        bot = _bot(folder)
        (bot / "botequim.toml").write_text(f"command = {command}\n", encoding="utf-8")
        return bot

    return make


REFUSED = (
    Refused("has a command with a 0 character", "tem um comando com um caractere 0",
        _commands(r'"python3 bot.py \u0000"'), "a character that is not allowed in commands"),
    Refused("has a command of 200 kB", "tem um comando de 200 kB",
        _commands(f'"python3 bot.py {"a" * 200_000}"'), "longer than 32 kB"),
    Refused("has a build of 200 kB", "tem uma construção de 200 kB",
        _builds("true " + "a" * 200_000), "longer than 32 kB"),
    Refused("has half a character in its package", "tem meio caractere no seu pacote",
        _half_a_character, "a character that is not allowed in commands"),
    Refused("has a named pipe beside its program", "tem um pipe nomeado ao lado do programa",
        _pipe_beside, "pipe is a named pipe"),
    Refused("makes a named pipe while it is built", "cria um pipe nomeado ao ser construído",
        _builds("mkdir -p d && mkfifo -m 666 d/p0"), "d/p0 is a named pipe"),
    Refused("hides a named pipe beyond the longest path", "esconde um pipe nomeado além do maior caminho",
        _builds(f"{_deep(LONG, 20)}; mkfifo p0"), "/p0 is a named pipe"),
    Refused("makes a socket while it is built", "cria um socket ao ser construído",
        _builds("python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"s\")'"), "s is a socket"),
    Refused("makes a setuid program while it is built", "cria um programa setuid ao ser construído",
        _builds("cp /bin/true t && chmod 4755 t"), "t is a setuid"),
    Refused("fills the disk while it is built", "enche o disco ao ser construído",
        _builds("dd if=/dev/zero of=zeros bs=1M count=600 2>&1"), "cannot be built"),
    Refused("builds 1,500 folders within each other", "constrói 1.500 pastas, uma dentro da outra",
        _builds(_deep("d", 1500)), "folders deep"),
    Refused("builds 21,000 files", "constrói 21.000 arquivos",
        _builds("mkdir f && cd f && seq 21000 | xargs touch"), "more than 20000 files"),
    Refused("has a manifest that is a link to another's file", "tem por manifesto um link para fora",
        _manifest_elsewhere, "leads out of its folder"),
    Refused("is a tar of 1,500 folders within each other", "é um tar de 1.500 pastas, uma dentro da outra",
        _archive(bombs.nested_folders, ".tar.gz"), "more than 100 folders deep"),
    Refused("is a tar with a name of 64 MB (GNU longname)", "é um tar com um nome de 64 MB (GNU longname)",
        _archive(bombs.long_name, ".tar.gz"), "larger than 1 MB"),
    Refused("is a tar with 64 MB of pax headers", "é um tar com 64 MB de cabeçalhos pax",
        _archive(bombs.long_header, ".tar.gz"), "larger than 1 MB"),
    Refused("is an archive that takes 3 GB to unpack", "é um arquivo que precisa de 3 GB para descompactar",
        _archive(bombs.large_dictionary, ".tar.xz"), "more than 512 MB of memory"),
    Refused("is a zip that holds more than it says", "é um zip que contém mais do que diz",
        _archive(bombs.lying, ".zip"), "cannot be unpacked"),
    Refused("is a zip with a file without a name", "é um zip com um arquivo sem nome",
        _archive(bombs.nameless, ".zip"), "a file without a name"),
    Refused("is a tar with a named pipe", "é um tar com um pipe nomeado",
        _archive(bombs.pipe_in_tar, ".tgz"), "d/p0 is a named pipe"),
    Refused("is a tar with a device", "é um tar com um dispositivo",
        _archive(bombs.device, ".tar.gz"), "null is a device"),
    Refused("is a tar that writes through a link", "é um tar que escreve através de um link",
        _archive(bombs.outside_through_a_link, ".tar.gz"), "not a folder"),
    Refused("is a tar with a hard link to another's file", "é um tar com um hard link para arquivo alheio",
        _archive(bombs.outside_by_a_hard_link, ".tar.gz"), "outside of itself"),
)  # fmt: skip
