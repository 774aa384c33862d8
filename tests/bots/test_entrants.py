"""Entrants: what a name means, and what is said when that is unclear."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
import tarfile
import zipfile
from functools import partialmethod
from pathlib import Path

import pytest

from botequim.bots import archive, trees
from botequim.bots.archive import UnpackingLimits
from botequim.bots.digests import digest_of
from botequim.bots.entrant import Entrant
from botequim.bots.prepare import prepare
from botequim.bots.resolve import resolve
from botequim.core.errors import InputError, UnknownName
from botequim.core.process import Sandbox
from botequim.sandbox.none import NoSandbox

STUDENT = "from basic_players import Player\n\ndef pair_name(): return 'x'\n\ndef create_pair(): ...\n"


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    place = tmp_path / "workshop"
    place.mkdir()
    return place


def files(folder: Path, **contents: str) -> Path:
    """A folder with files; `a__b` is `a.b`, and what begins with #! is executable."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        path = folder / name.replace("__", ".")
        path.write_text(content, encoding="utf-8")
        if content.startswith("#!"):
            path.chmod(0o755)
    return folder


def command(entrant: Entrant) -> list[str]:
    """With the program's name and the files' names only."""
    assert entrant.program is not None
    return [Path(word).name for word in entrant.program.command]


# --- what a name means -----------------------------------------------------------------------------


def test_a_built_in_player(workshop: Path) -> None:
    assert resolve("greedy", "cubos", workshop=workshop) == Entrant("greedy", "greedy")


def test_a_file_beside_a_built_in_player_needs_its_path(
    tmp_path: Path, workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files(tmp_path, greedy="#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    assert resolve("greedy", "uno", workshop=workshop).built_in
    assert command(resolve("./greedy", "uno", workshop=workshop)) == ["greedy"]


@pytest.mark.parametrize(
    ("game", "wire"),
    [("cubos", "cubos"), ("uno", "arena-http"), ("fives", "arena-http"), ("rps", "arena-http")],
)
def test_an_address(game: str, wire: str, workshop: Path) -> None:
    found = resolve("http://127.0.0.1:8000/", game, workshop=workshop)
    assert (found.wire_name, found.address, found.name) == (wire, "http://127.0.0.1:8000/", "127.0.0.1:8000")


@pytest.mark.parametrize(
    ("game", "wire"),
    [("cubos", "cubos"), ("uno", "uno"), ("rps", "rps"), ("havana", "arena-lines"), ("fives", "arena-lines")],
)
def test_a_command_speaks_the_wire_of_its_game(game: str, wire: str, workshop: Path) -> None:
    found = resolve("cmd:node src/index.mjs --fast", game, workshop=workshop)
    assert found.wire_name == wire
    assert command(found) == ["node", "index.mjs", "--fast"]
    assert found.program is not None
    assert found.program.folder == Path.cwd()


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("node src/index.mjs --fast", "index.mjs"),
        ("sh bot.sh 8000", "bot.sh"),
        ("./server 8000", "server"),
        ("python3.11 -u -m game.bot 8000", "game.bot"),
        ("env PORT=8000 LEVEL=3 node server.js", "server.js"),
        ("sh -c 'exec ./bot 8000'", "sh"),
        ("sh", "sh"),
    ],
)
def test_a_command_is_named_by_its_program(
    line: str, name: str, workshop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files(tmp_path, server="#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("shutil.which", lambda program: f"/usr/bin/{program}")
    assert resolve(f"cmd:{line}", "cubos", workshop=workshop).name == name


@pytest.mark.parametrize(
    ("contents", "line"),
    [
        ({"scripts": {"start": "node dist/server.js --quick"}}, "exec node dist/server.js --quick"),
        ({"scripts": {"start": " LEVEL=3 node a.js "}, "main": "lib.js"}, "LEVEL=3 node a.js"),
        ({"scripts": {"start": "node a.js && node b.js"}}, "node a.js && node b.js"),
    ],
)
def test_the_start_script_of_a_package(
    contents: dict[str, object], line: str, tmp_path: Path, workshop: Path
) -> None:
    """It is run as npm runs it, rather than a file whose name looks like a program."""
    folder = files(tmp_path / "mine", package__json=json.dumps(contents), index__js="", lib__js="")
    found = resolve(str(folder), "cubos", workshop=workshop)
    assert found.program is not None
    assert found.program.command[:2] == ("/bin/sh", "-c")
    assert found.program.command[2].endswith(f"; export PATH; {line}")
    assert "$PWD/node_modules/.bin" in found.program.command[2]
    assert found.name == "mine"
    files(folder, run__sh="echo")
    assert command(resolve(str(folder), "cubos", workshop=workshop)) == ["sh", "run.sh"], "made for it"


@pytest.mark.parametrize("text", ["[]", "{", '{"scripts": []}', '{"scripts": {"start": 7}}', "[" * 9999])
def test_a_package_that_says_nothing_of_a_start(text: str, tmp_path: Path, workshop: Path) -> None:
    folder = files(tmp_path / "mine", package__json=text, index__js="")
    assert command(resolve(str(folder), "cubos", workshop=workshop)) == ["node", "index.js"]


def test_a_wire_can_be_named(workshop: Path) -> None:
    found = resolve("arena-once:cmd:sh bot.sh", "cubos", workshop=workshop)
    assert found.wire_name == "arena-once"
    with pytest.raises(UnknownName, match='unknown wire "arena-smoke" for cubos; known: cubos, arena-http'):
        resolve("arena-smoke:cmd:sh bot.sh", "cubos", workshop=workshop)


@pytest.mark.parametrize(
    ("contents", "started"),
    [
        ({"bot__py": ""}, ["bot.py"]),
        ({"index__mjs": ""}, ["node", "index.mjs"]),
        ({"bot": "#!/bin/sh\n"}, ["bot"]),
        ({"run__sh": "echo"}, ["sh", "run.sh"]),
        ({"package__json": '{"main": "lib.js"}', "lib__js": ""}, ["node", "lib.js"]),
        ({"main__c": "", "deck__c": "", "deck__h": ""}, ["bot"]),
        ({"Makefile": "bot:\n\ttouch bot\n"}, ["bot"]),
        ({"botequim__toml": 'command = "sh -c true"\nname = "Zé"\n', "bot__py": ""}, ["sh", "-c", "true"]),
    ],
)
def test_a_folder_is_what_is_in_it(
    contents: dict[str, str], started: list[str], tmp_path: Path, workshop: Path
) -> None:
    found = resolve(str(files(tmp_path / "mine", **contents)), "uno", workshop=workshop)
    assert command(found)[-len(started) :] == started
    assert found.name == ("Zé" if "botequim__toml" in contents else "mine")
    assert found.wire_name == "uno"


@pytest.mark.parametrize("place", ["", "dominoes", "projeto/dominoes"])
def test_a_course_file_wherever_it_lies(place: str, tmp_path: Path, workshop: Path) -> None:
    files(tmp_path / "pair" / place, student_players__py=STUDENT, main__py="", helper__py="")
    for name in (tmp_path / "pair", tmp_path / "pair" / place / "student_players.py"):
        found = resolve(str(name), "havana", workshop=workshop)
        assert (found.wire_name, found.by_member) == ("havana", True)
        assert command(found)[-2] == "host.py"


def test_archives(tmp_path: Path, workshop: Path) -> None:
    source = files(tmp_path / "123456_654321", student_players__py=STUDENT, helper__py="")
    with zipfile.ZipFile(tmp_path / "123456_654321.zip", "w") as zipped:
        zipped.write(source / "student_players.py", "123456_654321/student_players.py")
    with tarfile.open(tmp_path / "123456_654321.tar.xz", "w:xz") as tarred:
        tarred.add(source, "123456_654321")
    for ending in (".zip", ".tar.xz"):
        found = resolve(str(tmp_path / f"123456_654321{ending}"), "havana", workshop=workshop)
        assert (found.wire_name, found.name) == ("havana", "123456_654321")
        assert found.folder is not None
        assert found.folder.is_relative_to(workshop)


# --- what is said when it is unclear -----------------------------------------------------------------


def refusal(name: str, game: str, workshop: Path) -> str:
    with pytest.raises(InputError) as caught:
        resolve(name, game, workshop=workshop)
    return str(caught.value)


def test_a_name_that_means_nothing_says_what_was_tried(workshop: Path) -> None:
    assert refusal("deepblue", "cubos", workshop) == (
        '"deepblue" is neither a player of cubos (known: champion, greedy, pimc, pimc-js, random) '
        "nor a file or folder; see docs/reference/bots.md"
    )


def test_a_similar_player_is_suggested(workshop: Path) -> None:
    assert refusal("champoin", "cubos", workshop).endswith("; did you mean champion?")


def test_an_empty_folder_says_what_was_looked_for(tmp_path: Path, workshop: Path) -> None:
    said = refusal(str(files(tmp_path / "empty")), "havana", workshop)
    for looked in ("student_players.py", "botequim.toml", "index.mjs", "*.c"):
        assert looked in said


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ("command = 7\n", '"command" must be a text in quotes'),
        ("comand = 'x'\n", 'unknown key "comand"; known: build, command'),
        ("name = 'x'\n", '"command" is missing'),
        ("command = \n", "not a TOML file"),
        ("command = 'sh \"'\n", "not a command line"),
        ("command = 'sh'\nwire = 'smoke'\n", 'unknown wire "smoke"'),
        ("command = './nothing'\n", "there is no ./nothing"),
        ("command = 'no-such-program-anywhere'\n", "no-such-program-anywhere is not found"),
    ],
)
def test_a_bad_manifest(manifest: str, said: str, tmp_path: Path, workshop: Path) -> None:
    folder = files(tmp_path / "mine", botequim__toml=manifest)
    assert said in refusal(str(folder), "uno", workshop)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cmd:", "the command is missing"),
        ("cmd:sh 'x", "not a command line"),
        ("uno:http://127.0.0.1:8000/", "not carried by HTTP"),
    ],
)
def test_bad_commands_and_addresses(name: str, said: str, workshop: Path) -> None:
    assert said in refusal(name, "uno", workshop)


def test_a_file_that_cannot_be_started(tmp_path: Path, workshop: Path) -> None:
    files(tmp_path, notes__txt="hello")
    assert "cannot be started" in refusal(str(tmp_path / "notes.txt"), "uno", workshop)


def test_two_course_files_in_one_folder(tmp_path: Path, workshop: Path) -> None:
    for pair in ("a", "b"):
        files(tmp_path / "all" / pair, student_players__py=STUDENT)
    assert "2 files student_players.py" in refusal(str(tmp_path / "all"), "havana", workshop)


# --- strangers' archives ---------------------------------------------------------------------------


def test_an_archive_cannot_write_outside(tmp_path: Path, workshop: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as zipped:
        zipped.writestr("../../escaped.py", "")
    assert "outside of itself" in refusal(str(tmp_path / "bad.zip"), "havana", workshop)
    with tarfile.open(tmp_path / "bad.tar.gz", "w:gz") as tarred:
        tarred.add(files(tmp_path / "x", y="") / "y", "../../escaped.py")
    assert "outside of itself" in refusal(str(tmp_path / "bad.tar.gz"), "havana", workshop)
    assert not list(tmp_path.rglob("escaped.py"))


def test_links_in_an_archive_are_kept_as_they_are(tmp_path: Path, workshop: Path) -> None:
    folder = files(tmp_path / "linked", student_players__py=STUDENT)
    (folder / "secret").symlink_to("/etc/passwd")
    with tarfile.open(tmp_path / "linked.tar", "w") as tarred:
        tarred.add(folder, "linked")
    found = resolve(str(tmp_path / "linked.tar"), "havana", workshop=workshop)
    assert found.folder is not None
    assert (found.folder / "secret").readlink() == Path("/etc/passwd")


@pytest.mark.parametrize("name", ["junk.zip", "junk.tar.xz", "junk.tar.gz", "cut.zip"])
def test_a_broken_archive(name: str, tmp_path: Path, workshop: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"PK\x03\x04" + b"junk" * 50 if name.startswith("cut") else b"junk" * 50)
    assert "cannot be unpacked" in refusal(str(path), "havana", workshop)


def test_a_bomb_is_not_unpacked(tmp_path: Path, workshop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LIMITS", UnpackingLimits(size=1 << 20))
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("zeros", b"\0" * (2 << 20))
    assert "more than" in refusal(str(tmp_path / "bomb.zip"), "havana", workshop)


# --- made ready ------------------------------------------------------------------------------------


def ready(name: Path | str, game: str, workshop: Path, *, isolated: bool = True) -> Entrant:
    sandbox: Sandbox = NoSandbox()
    return asyncio.run(prepare(str(name), game, sandbox, workshop=workshop, isolated=isolated))


def test_an_isolated_bot_is_a_copy_with_a_digest(tmp_path: Path, workshop: Path) -> None:
    folder = files(tmp_path / "mine", bot__py="print(1)", data__txt="x")
    (folder / ".git").mkdir()
    (folder / "out").symlink_to("/etc/passwd")
    one = ready(folder, "uno", workshop)
    assert one.folder is not None
    assert one.folder.is_relative_to(workshop)
    assert sorted(path.name for path in one.folder.iterdir()) == ["bot.py", "data.txt", "out"]
    assert (one.folder / "out").readlink() == Path("/etc/passwd"), "a link is copied as it is"
    assert one.program is not None
    assert one.program.command[-1] == str(one.folder / "bot.py")
    (folder / "data.txt").write_text("y")
    other = ready(folder, "uno", workshop)
    assert one.digest != other.digest
    assert (one.folder / "data.txt").read_text() == "x", "what its author changes changes no game"
    assert ready(folder, "uno", workshop).digest == other.digest


def test_your_own_bot_runs_where_it_is(tmp_path: Path, workshop: Path) -> None:
    folder = files(tmp_path / "mine", bot__py="print(1)")
    assert ready(folder, "uno", workshop, isolated=False).folder == folder


def test_sources_are_built_beside_and_not_in_place(tmp_path: Path, workshop: Path) -> None:
    folder = files(
        tmp_path / "mine",
        main__c='#include <stdio.h>\n#include "word.h"\nint main(void) { puts(WORD); return 0; }\n',
        word__h='#define WORD "built"\n',
    )
    built = ready(folder, "uno", workshop)
    assert built.program is not None
    assert subprocess.check_output(built.program.command, text=True) == "built\n"
    assert not (folder / "bot").exists()


def test_a_build_that_fails_says_why(tmp_path: Path, workshop: Path) -> None:
    folder = files(tmp_path / "mine", main__c="int main(void) { return nothing; }\n")
    with pytest.raises(InputError) as caught:
        ready(folder, "uno", workshop)
    assert "cannot be built with `cc -O2 -o bot main.c -lm`: exit code 1" in str(caught.value)
    assert "nothing" in caught.value.details


def test_a_folder_that_is_too_large(tmp_path: Path, workshop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees.Bounds, "__init__", partialmethod(trees.Bounds.__init__, entries=3))
    folder = files(tmp_path / "mine", bot__py="", **{f"f{n}": "" for n in range(9)})
    with pytest.raises(InputError, match="put the bot in a folder of its own"):
        ready(folder, "uno", workshop)


def test_what_is_no_file_is_refused_in_a_folder_and_after_a_build(tmp_path: Path, workshop: Path) -> None:
    folder = files(tmp_path / "mine", bot__py="")
    os.mkfifo(folder / "pipe")
    with pytest.raises(InputError, match=r"the files of .*mine.* cannot be used: pipe is a named pipe"):
        ready(folder, "uno", workshop)
    (folder / "pipe").unlink()
    files(folder, botequim__toml='command = "./bot.py"\nbuild = "mkdir -p d && mkfifo -m 666 d/p0"\n')
    with pytest.raises(InputError, match=r"the files of .*mine.* cannot be used: d/p0 is a named pipe"):
        ready(folder, "uno", workshop)


def test_a_build_cannot_share_a_file_with_others(tmp_path: Path, workshop: Path) -> None:
    (tmp_path / "outside").touch()
    build = f"ln {shlex.quote(str(tmp_path / 'outside'))} shared"
    folder = files(tmp_path / "mine", botequim__toml=f'command = "./bot"\nbuild = """{build}"""\n')
    with pytest.raises(InputError, match="shared is also a file outside of the folder"):
        ready(folder, "uno", workshop)


def test_a_digest_tells_what_was_built(tmp_path: Path, workshop: Path) -> None:
    build = "date +%N >moment"
    folder = files(tmp_path / "mine", botequim__toml=f'command = "./bot"\nbuild = "{build}"\n')
    one, other = ready(folder, "uno", workshop), ready(folder, "uno", workshop)
    assert one.folder is not None
    assert other.folder is not None
    assert sorted(path.name for path in one.folder.iterdir()) == ["botequim.toml", "moment"]
    kept = sorted(path.name for path in one.folder.parent.iterdir())
    assert kept == ["bot", "source"], "what is played, and what it was built from"
    assert one.sources is not None
    assert one.sources.digest == digest_of(folder) == digest_of(one.sources.folder)
    assert (one.digest == other.digest) == (
        (one.folder / "moment").read_text() == (other.folder / "moment").read_text()
    )


def test_names_with_spaces(tmp_path: Path, workshop: Path) -> None:
    folder = files(tmp_path / "my bots", **{"a bot__c": "int main(void) { return 0; }\n"})
    built = ready(folder / "a bot.c", "uno", workshop)
    assert built.program is not None
    assert subprocess.call(built.program.command) == 0
    assert shlex.split(built.build)[-2] == "a bot.c"


def test_names_that_are_no_text_and_the_shape_of_a_folder_come_along(tmp_path: Path, workshop: Path) -> None:
    bot = files(tmp_path / "bot", bot__py="print()\n")
    (bot / "data").mkdir()
    (bot / "inside").mkdir()
    (bot / "inside" / "f").write_text("f")
    (bot / "alias").symlink_to("inside")
    (bot / "out").symlink_to("/etc")
    with open(os.fsencode(bot) + b"/caf\xe9", "w") as odd:
        odd.write("x")
    entrant = asyncio.run(prepare(str(bot), "rps", NoSandbox(), workshop=workshop, isolated=True))
    assert entrant.program is not None
    copy = entrant.program.folder
    assert (copy / "data").is_dir()
    assert (copy / "alias" / "f").read_text() == "f"
    assert (copy / "out").readlink() == Path("/etc")
    assert b"caf\xe9" in os.listdir(os.fsencode(copy))  # noqa: PTH208
    assert re.fullmatch(r"v2-[0-9a-f]{64}", entrant.digest)
