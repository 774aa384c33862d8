"""Links in a bot's folder: kept as they are, and what they lead to in the sandbox."""

from __future__ import annotations

import asyncio
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from botequim.botcheck.resources import links
from botequim.bots.entrant import Entrant
from botequim.bots.interpreters import python
from botequim.bots.links import MOST_LINKS, Link, examine_links
from botequim.bots.prepare import prepare
from botequim.core.errors import InputError
from botequim.core.limits import Limits
from botequim.core.process import Program
from botequim.sandbox.bubblewrap import Bubblewrap
from botequim.sandbox.probe import isolating_sandbox
from tests.support.sandboxes import ran


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.py").write_text("import sys; print(sys.prefix, sys.argv[1:])\n")
    return folder


def ready(bot: Path, tmp_path: Path, command: str) -> Entrant:
    (bot / "botequim.toml").write_text(f'command = "{command}"\n')
    workshop = tmp_path / "workshop"
    workshop.mkdir(exist_ok=True)
    return asyncio.run(prepare(str(bot), "uno", isolating_sandbox(), workshop=workshop, isolated=True))


def output(entrant: Entrant) -> str:
    """What an entrant's program writes in the sandbox."""
    sandbox = isolating_sandbox()
    assert isinstance(sandbox, Bubblewrap)
    assert entrant.program is not None
    result = asyncio.run(ran(sandbox, entrant.program, Limits()))
    assert result.status == 0, result.err
    return result.out


def make_environment(bot: Path, *options: str) -> None:
    subprocess.run([str(python()), "-m", "venv", "--without-pip", *options, str(bot / "v")], check=True)


def test_a_virtual_environment_beside_the_bot_works(bot: Path, tmp_path: Path) -> None:
    make_environment(bot)
    script = bot / "v" / "bin" / "script"
    script.write_text(f"#!{bot}/v/bin/python\nimport runpy; runpy.run_path('bot.py')\n")
    script.chmod(0o755)
    entrant = ready(bot, tmp_path, "v/bin/python bot.py one")
    assert output(entrant) == f"{entrant.folder}/v ['one']\n"
    assert entrant.lost_links == ()
    if len(str(script)) < 100:  # the system's limit for the first line of a script
        assert "/v []" in output(ready(bot, tmp_path, "v/bin/script")), "it names the place it was made in"


@pytest.mark.slow
def test_a_virtual_environment_with_a_copy_of_python_works(bot: Path, tmp_path: Path) -> None:
    make_environment(bot, "--copies")
    assert "/v ['one']" in output(ready(bot, tmp_path, "v/bin/python bot.py one"))


def test_scripts_of_npm_find_their_modules(bot: Path, tmp_path: Path) -> None:
    package = bot / "node_modules" / "greeting"
    package.mkdir(parents=True)
    (package / "word.mjs").write_text("export default 'hello'\n")
    (package / "cli.mjs").write_text(
        "#!/usr/bin/env node\nimport word from './word.mjs'; console.log(word)\n"
    )
    (package / "cli.mjs").chmod(0o755)
    (bot / "node_modules" / ".bin").mkdir()
    (bot / "node_modules" / ".bin" / "greeting").symlink_to("../greeting/cli.mjs")
    assert output(ready(bot, tmp_path, "node_modules/.bin/greeting")) == "hello\n"


def test_a_link_into_the_folder_it_was_made_in_works(bot: Path, tmp_path: Path) -> None:
    (bot / "data").write_text("own\n")
    (bot / "link").symlink_to(bot / "data")
    entrant = ready(bot, tmp_path, "cat link")
    assert output(entrant) == "own\n"
    assert entrant.lost_links == ()


def test_a_link_to_the_outside_leads_to_what_is_there_in_the_sandbox(bot: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    for name, target in {
        "out": tmp_path / "secret",
        "up": Path("../secret"),
        "users": Path("/etc/passwd"),
    }.items():
        (bot / name).symlink_to(target)
    entrant = ready(bot, tmp_path, "sh -c 'cat users; cat out || cat up || true'")
    assert [line.split(":")[0] for line in output(entrant).splitlines()] == ["root", "bot"]
    assert entrant.lost_links == (Link("out", str(tmp_path / "secret")), Link("up", "../secret"))
    finding = links(entrant)
    assert finding is not None
    told = [str(finding.message), *map(str, finding.details)]
    assert told[0] == "has symbolic links to files that it cannot see: 2"
    assert f"out points to {tmp_path / 'secret'}"[:60] in told[1]
    assert links(replace(entrant, lost_links=())) is None


def test_a_program_that_is_a_link_to_nowhere_is_named(bot: Path, tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    (tmp_path / "tool").chmod(0o755)
    (bot / "tool").symlink_to("../tool")
    with pytest.raises(InputError, match=r"tool is a link to \.\./tool, which bots cannot see"):
        ready(bot, tmp_path, "./tool")


# --- what a stranger's environment may not ask for ---------------------------------------------------


@pytest.mark.parametrize("name", ["python3", "id_rsa"])
def test_only_a_python_is_shown_because_an_environment_names_it(name: str, bot: Path, tmp_path: Path) -> None:
    """Neither a folder that is none, nor one that says to be one by a link."""
    home = tmp_path / "home" / "bin"
    home.mkdir(parents=True)
    (home / name).write_text("secret")
    (home / name).chmod(0o755)
    (tmp_path / "home" / "lib").mkdir()
    (tmp_path / "home" / "lib" / "python3.11").symlink_to(Path(os.__file__).parent)
    environment = bot / "v"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python3").symlink_to(home / name)
    (environment / "pyvenv.cfg").write_text(f"home = {home}\n")
    found = examine_links(bot, bot, ())
    assert found.interpreters == ()
    assert found.lost == (Link("v/bin/python3", str(home / name)),)


def test_links_that_would_take_for_ever_to_follow(bot: Path) -> None:
    """Each leads through the one before it some hundred times."""
    (bot / "l0").symlink_to(".")
    for number in range(1, 2000):
        (bot / f"l{number}").symlink_to(f"l{number - 1}/" * 300)
    (bot / "v" / "bin").mkdir(parents=True)
    (bot / "v" / "bin" / "python3").symlink_to("../../l1999")
    (bot / "v" / "pyvenv.cfg").write_text(f"home = {bot}/l1999")
    found = examine_links(bot, bot, ())
    assert found.interpreters == ()
    assert "l1" in {link.path for link in found.lost}
    assert len(found.lost) == MOST_LINKS - 1, "l0 leads to the folder itself"


@pytest.mark.parametrize("home", ["", "/", "/nowhere", "relative", "\0", "/proc/self/root/root"])
def test_odd_homes_of_an_environment(home: str, bot: Path) -> None:
    (bot / "pyvenv.cfg").write_text(f"home = {home}\n")
    (bot / "a").mkdir()
    (bot / "a" / "pyvenv.cfg").symlink_to("/dev/zero")
    (bot / "circle").symlink_to("circle")
    assert examine_links(bot, bot, ()).interpreters == ()


def test_the_places_of_a_python_are_shown_as_the_environment_names_them(bot: Path, tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    (installed / "lib" / "python3.11").mkdir(parents=True)
    (installed / "lib" / "python3.11" / "os.py").touch()
    (installed / "bin").mkdir()
    (installed / "bin" / "python3.11").touch(mode=0o755)
    (installed / "bin" / "python3").symlink_to("python3.11")
    (tmp_path / "current").symlink_to(installed)
    environment = bot / "v"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(tmp_path / "current" / "bin" / "python3")
    (environment / "pyvenv.cfg").write_text("")
    shown = examine_links(bot, bot, ()).interpreters
    assert set(shown) == {
        place / name for place in (tmp_path / "current", installed) for name in ("bin", "lib")
    }
    assert examine_links(bot, bot, [tmp_path, installed]).interpreters == (tmp_path, installed)


def test_a_program_can_have_the_name_it_was_copied_from(tmp_path: Path) -> None:
    """Unless something else is there."""
    copy = tmp_path / "copy"
    copy.mkdir()
    sandbox = isolating_sandbox()
    assert isinstance(sandbox, Bubblewrap)
    for alias in (Path("/"), Path("/usr/share"), Path("/etc"), Path("/tmp"), tmp_path, copy, copy / "inside"):
        program = Program(("/bin/sh", "-c", "pwd"), copy, alias=alias)
        assert asyncio.run(ran(sandbox, program)).out == f"{copy}\n", alias
