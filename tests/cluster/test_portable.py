"""Entrants that travel: prepared here, pickled, their files unpacked elsewhere, and ready to play there."""

from __future__ import annotations

import asyncio
import io
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import botequim
from botequim import registry
from botequim.bots import interpreters
from botequim.bots.entrant import Entrant
from botequim.bots.interpreters import npm_script, python, script_of
from botequim.bots.prepare import prepare
from botequim.bots.tree_files import remove_tree
from botequim.cluster.bot_parcels import write_parcel
from botequim.cluster.parcels import unpack
from botequim.cluster.portable import (
    NotHere,
    PortableEntrant,
    capabilities,
    from_portable,
    load_image,
    to_portable,
)
from botequim.core.errors import InputError
from botequim.core.options import resolve_options
from botequim.core.process import Sandbox
from botequim.engine.jobs import GameSetup, SeriesJob, run_job
from botequim.records.record import Record
from botequim.sandbox.none import NoSandbox
from tests.support import container_engine as engines
from tests.support.container_engine import engine_output, recipe
from tests.support.isolated_games import EXAMPLES, TALKATIVE, faults
from tests.support.isolated_games import sandbox as sandbox
from tests.support.pace import PATIENCE
from tests.support.portable_bots import bot, copy_of

OPTIONS: dict[str, dict[str, Any]] = {"uno": {"players": 2}, "rps": {"rounds": 10}}
GENEROUS = {"move": PATIENCE, "start": PATIENCE, "thinking": None, "timeouts": None}


class Travel:
    """A coordinator whose files are gone when the game begins, and a worker with a folder of its own."""

    def __init__(self, place: Path) -> None:
        self.source = place / "coordinator" / "source"
        self.workshop = place / "coordinator" / "workshop"
        self.worker = place / "worker"
        for folder in (self.source, self.workshop, self.worker):
            folder.mkdir(parents=True)

    def prepare(self, game: str, sandbox: Sandbox, *, isolated: bool = True, wire: str = "") -> Entrant:
        given = f"{wire}:." if wire else "."
        before = Path.cwd()
        os.chdir(self.source)
        try:
            work = prepare(given, game, sandbox, workshop=self.workshop, isolated=isolated)
            return asyncio.run(work).with_limits(GENEROUS)
        finally:
            os.chdir(before)

    def send(self, entrant: Entrant) -> PortableEntrant:
        """Return what arrives at the worker. The files of the bot are unpacked there, and removed here."""
        portable = pickle.loads(pickle.dumps(to_portable(entrant)))
        assert isinstance(portable, PortableEntrant)
        parcel = io.BytesIO()
        write_parcel(entrant, parcel)
        parcel.seek(0)
        unpack(parcel, self.worker / portable.parcel, portable.parcel)
        remove_tree(self.source.parent)
        return portable

    def arrive(self, portable: PortableEntrant) -> Entrant:
        return from_portable(portable, self.worker / portable.parcel)


@pytest.fixture
def travel(tmp_path: Path) -> Travel:
    return Travel(tmp_path)


def keep_records(job: SeriesJob[Record]) -> Callable[[GameSetup, Record], Record]:
    return lambda setup, record: record


def play(game: str, entrant: Entrant, sandbox: Sandbox | None) -> Record:
    rules = registry.game(game)
    settled = resolve_options(rules.name, rules.options, OPTIONS.get(game, {}))
    job = SeriesJob(
        "stage", "key", game, settled, (entrant, Entrant("random", "random")), ("it", "random"),
        ((GameSetup(0, (0, 1), "portable"),),), keep_records, sandbox,
    )  # fmt: skip
    (record,) = run_job(job).games
    return record


def create_environment(folder: Path) -> None:
    subprocess.run([str(python()), "-m", "venv", "--without-pip", str(folder)], check=True)


# --- bots of every kind ------------------------------------------------------------------------------


def c_with_a_build(source: Path) -> str:
    shutil.copy(EXAMPLES / "uno" / "bot.c", source)
    return "uno"


def npm_script_bot(source: Path) -> str:
    shutil.copy(EXAMPLES / "cubos" / "index.mjs", source / "server.mjs")
    (source / "package.json").write_text('{"scripts": {"start": "node server.mjs"}, "type": "module"}')
    return "cubos"


def virtual_environment(source: Path) -> str:
    """Its command is a script of the environment, which contains the path where it was made."""
    create_environment(source / "v")
    (source / "bot.py").write_text(TALKATIVE, encoding="utf-8")
    script = source / "v" / "bin" / "play"
    script.write_text(f"#!{source}/v/bin/python\nimport runpy, sys\nassert sys.prefix != sys.base_prefix\n")
    with script.open("a") as file:
        file.write("runpy.run_path('bot.py')\n")
    script.chmod(0o755)
    assert len(str(script)) < 200, "Linux reads 255 bytes of the first line of a script"
    (source / "botequim.toml").write_text('command = "v/bin/play"\n')
    return "uno"


def example(name: str, game: str) -> Callable[[Path], str]:
    def copy(source: Path) -> str:
        shutil.copytree(EXAMPLES / name, source, dirs_exist_ok=True)
        return game

    return copy


FOUND, _ = interpreters.find_program(["python3"], Path("/"), given="")
PYTHON3 = set() if FOUND[0] == str(python()) else {"program:python3"}
"""The need of `python3`, if that is not the interpreter of Botequim, which every machine has."""
BOTS: dict[str, tuple[Callable[[Path], str], set[str]]] = {
    "python over arena-lines": (example("arena-lines", "rps"), PYTHON3),
    "C with a build": (c_with_a_build, {f"platform:{os.uname().machine}", "libc:glibc"}),
    "havana student": (example("havana", "havana"), set()),
    "npm script": (npm_script_bot, {"program:node"}),
    "virtual environment": (virtual_environment, {f"program:{python().resolve().name}"}),
    "http server": (example("arena-http", "rps"), {"program:node"}),
    "one-shot": (example("arena-once", "rps"), PYTHON3),
}


def known_paths(entrant: Entrant) -> list[str]:
    assert entrant.program is not None
    homes = [sys.base_prefix, str(Path(botequim.__file__).parent), str(Path.home())]
    return [str(entrant.program.folder), *homes]


@pytest.mark.parametrize("kind", BOTS)
def test_a_bot_plays_on_another_machine(kind: str, travel: Travel, sandbox: Sandbox) -> None:
    write, needs = BOTS[kind]
    game = write(travel.source)
    entrant = travel.prepare(game, sandbox)
    pickled = pickle.dumps(to_portable(entrant))
    found = [path for path in known_paths(entrant) if path.encode() in pickled]
    assert found == []
    source_is_needed = kind == "virtual environment"
    assert (str(travel.source).encode() in pickled) == source_is_needed

    portable = travel.send(entrant)
    assert portable.needs == needs
    assert portable.needs <= capabilities()
    there = travel.arrive(portable)
    assert there.record_header_fields() == entrant.record_header_fields()
    assert there.limits == entrant.limits
    record = play(game, there, sandbox)
    assert faults([record]) == []
    assert record.turns


def test_built_in_players_and_servers_have_no_parcel() -> None:
    wire = registry.wire("rps", "arena-http")
    for entrant in (
        Entrant("random", "random"),
        Entrant.bot("lab", "http://lab-7:8000/", wire, address="http://lab-7:8000/"),
    ):
        portable = pickle.loads(pickle.dumps(to_portable(entrant)))
        assert portable.parcel == ""
        assert portable.needs == frozenset()
        assert from_portable(portable, None) == entrant


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0"])
def test_a_server_of_this_machine_cannot_travel(host: str) -> None:
    address = f"http://{host}:8000/"
    entrant = Entrant.bot("own", address, registry.wire("rps", "arena-http"), address=address)
    with pytest.raises(InputError, match="other machines cannot reach"):
        to_portable(entrant)


# --- commands ----------------------------------------------------------------------------------------


def command_there(entrant: Entrant, folder: Path) -> tuple[str, ...]:
    assert entrant.program is not None
    if not folder.exists():
        shutil.copytree(entrant.program.folder, folder, symlinks=True)
    program = from_portable(pickle.loads(pickle.dumps(to_portable(entrant))), folder).program
    assert program is not None
    return program.command


def test_words_that_contain_the_folder_of_the_bot_follow_it(tmp_path: Path) -> None:
    here, there, made = tmp_path / "here", tmp_path / "there", tmp_path / "made"
    words = (f"{here}/run", f"--data={here}/data", f"cd {made} && {made}/x", f"{here}-other", str(here))
    entrant = bot(here, *words, alias=made)
    assert command_there(entrant, there) == (
        f"{there}/run", f"--data={there}/data", f"cd {there} && {there}/x", f"{here}-other", str(there),
    )  # fmt: skip


def test_the_interpreter_of_botequim_is_that_of_each_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    portable = to_portable(bot(tmp_path / "bot", str(python()), "bot.py"))
    other = tmp_path / "python"
    other.symlink_to(sys.base_prefix)
    monkeypatch.setattr(sys, "base_prefix", str(other))
    program = from_portable(portable, tmp_path / "bot").program
    assert program is not None
    assert program.command == (f"{other}/bin/{python().name}", "bot.py")
    assert other in program.extra_paths


def install(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)
    return folder / name


def test_a_program_is_looked_up_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = install(tmp_path / "coordinator" / "bin", "deno")
    there = install(tmp_path / "worker" / "bin", "deno")
    monkeypatch.setenv("PATH", str(here.parent))
    portable = to_portable(bot(tmp_path / "bot", str(here), "run", "bot.ts"))
    assert "program:deno" in portable.needs
    assert portable.needs <= capabilities()
    monkeypatch.setenv("PATH", str(there.parent))
    program = from_portable(portable, tmp_path / "bot").program
    assert program is not None
    assert program.command == (str(there), "run", "bot.ts")
    assert program.extra_paths == (there.parent.parent,)
    monkeypatch.setenv("PATH", "/usr/bin")
    with pytest.raises(NotHere, match="needs deno, which is not on this machine"):
        from_portable(portable, copy_of(tmp_path / "bot"))
    assert not portable.needs <= capabilities()


def test_a_program_of_the_system_stays_where_it_is_or_is_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command_there(bot(tmp_path / "bot", "/usr/bin/env", "x"), tmp_path / "bot")[0] == "/usr/bin/env"
    entrant = bot(tmp_path / "bot", "/usr/bin/ruby", "bot.rb")
    ruby = install(tmp_path / "worker" / "bin", "ruby")
    if Path("/usr/bin/ruby").exists():
        pytest.skip("this machine has what others lack")
    monkeypatch.setenv("PATH", f"{ruby.parent}:/usr/bin")
    assert command_there(entrant, tmp_path / "bot")[0] == str(ruby)


@pytest.mark.parametrize("kind", ["program", "argument", "environment"])
def test_a_command_that_names_a_file_outside_of_the_folder_is_refused(tmp_path: Path, kind: str) -> None:
    tool = install(tmp_path / "tools" / "bin", "python3" if kind == "environment" else "tool")
    if kind == "environment":
        (tmp_path / "tools" / "pyvenv.cfg").touch()
    words = ["/bin/sh", f"--tool={tool}"] if kind == "argument" else [str(tool)]
    with pytest.raises(
        InputError, match=r"cannot play on another machine: its command names .*tool"
    ) as raised:
        to_portable(bot(tmp_path / "bot", *words))
    assert "Copy the file into that folder" in str(raised.value)


@pytest.mark.parametrize(
    "script", ["node bot.js", "exec node bot.js", "A=1 node bot.js", "node a.js && node b.js", "tsx bot.ts"]
)
@pytest.mark.parametrize("has_node", [True, False])
def test_scripts_of_package_json_are_recognised(
    script: str, has_node: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreters, "_found", lambda name: Path("/opt/n/bin/node") if has_node else None)
    command, _ = npm_script(script)
    assert script_of(command) == script
    assert script_of(("/bin/sh", "-c", script)) is None


# --- what a machine must have ------------------------------------------------------------------------


def test_an_environment_whose_python_is_not_there(travel: Travel, sandbox: Sandbox) -> None:
    game = virtual_environment(travel.source)
    (travel.source / "botequim.toml").write_text('command = "v/bin/python bot.py"\n')
    portable = travel.send(travel.prepare(game, sandbox))
    assert travel.arrive(portable).program is not None
    link = travel.worker / portable.parcel / "v" / "bin" / "python"
    link.parents[2].rename(travel.worker / "other machine")
    link = travel.worker / "other machine" / "v" / "bin" / "python"
    link.unlink()
    link.symlink_to("/opt/python3.99/bin/python3.99")
    with pytest.raises(
        NotHere, match=r"needs /opt/python3\.99/bin/python3\.99, which is not on this machine"
    ):
        from_portable(portable, travel.worker / "other machine")


def test_an_environment_of_another_version_of_python(travel: Travel, sandbox: Sandbox) -> None:
    game = virtual_environment(travel.source)
    (travel.source / "botequim.toml").write_text('command = "v/bin/python bot.py"\n')
    portable = travel.send(travel.prepare(game, sandbox))
    library = next((travel.worker / portable.parcel / "v" / "lib").glob("python3.*"))
    library.rename(library.with_name("python3.99"))  # as if /usr/bin/python3 were another one there
    with pytest.raises(NotHere, match="python"):
        travel.arrive(portable)


def test_files_that_changed_since_the_bot_was_prepared_do_not_travel(
    travel: Travel, sandbox: Sandbox
) -> None:
    shutil.copytree(EXAMPLES / "arena-lines", travel.source, dirs_exist_ok=True)
    entrant = travel.prepare("rps", sandbox)
    assert entrant.folder is not None
    (entrant.folder / "new").touch()
    with pytest.raises(InputError, match="have changed"):
        write_parcel(entrant, io.BytesIO())


def test_a_bot_without_a_copy_travels_too(travel: Travel) -> None:
    """Without isolation it runs where it is, and has no digest."""
    shutil.copytree(EXAMPLES / "arena-lines", travel.source, dirs_exist_ok=True)
    entrant = travel.prepare("rps", NoSandbox(), isolated=False)
    assert entrant.digest == ""
    there = travel.arrive(travel.send(entrant))
    assert there.digest == ""
    assert faults([play("rps", there, NoSandbox())]) == []


# --- images ------------------------------------------------------------------------------------------


def test_an_image_plays_after_it_was_saved_removed_and_loaded(travel: Travel, tmp_path: Path) -> None:
    containers = engines.engine()
    shutil.rmtree(travel.source)
    source = (EXAMPLES / "arena-lines" / "bot.py").read_text(encoding="utf-8") + f"# {tmp_path}\n"
    recipe(travel.source, source)
    entrant = travel.prepare("rps", NoSandbox(), wire="arena-lines")
    assert entrant.program is not None
    digest = entrant.program.image
    other = PortableEntrant("other", "other", image="sha256:" + "0" * 64)
    try:
        portable = pickle.loads(pickle.dumps(to_portable(entrant)))
        assert str(tmp_path).encode() not in pickle.dumps(portable)
        assert portable.parcel == "image-" + digest.removeprefix("sha256:")
        assert "containers" in portable.needs
        archive = tmp_path / "image.tar"
        with archive.open("wb") as file:
            write_parcel(entrant, file)
        engine_output(containers, "rmi", "--force", digest.removeprefix("sha256:"))
        assert asyncio.run(containers.engine.image(digest)) is None

        with pytest.raises(InputError, match="the file contains another image"):
            asyncio.run(load_image(other, archive))
        asyncio.run(load_image(portable, archive))
        archive.unlink()
        asyncio.run(load_image(portable, archive))  # the engine has it
        there = from_portable(portable, None)
        assert there.record_header_fields() == entrant.record_header_fields()
        assert faults([play("rps", there, containers)]) == []
    finally:
        engine_output(containers, "rmi", "--force", "--ignore", digest.removeprefix("sha256:"))
