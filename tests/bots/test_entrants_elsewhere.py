"""Entrants that come from elsewhere: images, archives of images, Git repositories."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from botequim.bots.entrant import Entrant
from botequim.bots.images import alone
from botequim.bots.prepare import prepare
from botequim.bots.repositories import is_repository, repository_name
from botequim.bots.resolve import resolve
from botequim.bots.routing import RoutingSandbox, sandbox_for
from botequim.bots.transports.process import LogTail
from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.limits import MB, Limits
from botequim.core.messages import Message, msg
from botequim.core.process import Launch, Program
from botequim.sandbox.containers.engine import Engine, EngineFailure, Kind
from botequim.sandbox.containers.names import HUB, bases, command, full_name
from botequim.sandbox.containers.sandbox import Containers
from botequim.sandbox.none import NoSandbox
from botequim.testing import ManualClock
from tests.support import container_engine as engines
from tests.support.container_engine import BASE, engine_output, recipe
from tests.support.pace import until

HELLO = "print('hello')\n"


@pytest.fixture(scope="session")
def containers() -> Containers:
    return engines.engine()


def prepare_bot(given: object, workshop: Path, game: str = "rps", heard: list[str] | None = None) -> Entrant:
    def tell(said: Message) -> None:
        if heard is not None:
            heard.append(str(said))

    workshop.mkdir(exist_ok=True)
    return asyncio.run(prepare(str(given), game, NoSandbox(), workshop=workshop, isolated=True, tell=tell))


def image(entrant: Entrant) -> str:
    assert entrant.program is not None
    return entrant.program.image


# --- images ----------------------------------------------------------------------------------------


def test_a_dockerfile_is_built_once_for_the_same_files(containers: Containers, tmp_path: Path) -> None:
    source = f"# {tmp_path}\n"
    first = recipe(tmp_path / "first", source)
    same = recipe(tmp_path / "same", source)
    other = recipe(tmp_path / "other", source + "\n")
    heard: list[str] = []
    one = prepare_bot(first, tmp_path / "w1", heard=heard)
    assert any("COPY" in line for line in heard), "a build shows its steps"
    heard.clear()
    two = prepare_bot(same, tmp_path / "w2", heard=heard)
    assert heard == []
    assert image(one) == image(two)
    third = prepare_bot(other, tmp_path / "w3")
    assert image(third) != image(one)
    assert (one.name, one.wire_name) == ("first", "rps")
    for entrant in (one, third):
        image_name = f"localhost/botequim-bot:{entrant.digest}"
        # by its name: a listing of all images fails while another test removes one of them
        assert asyncio.run(containers.engine.image(image_name)) is not None
        engine_output(containers, "rmi", "--force", image_name)


def test_an_image_that_somebody_removes_during_a_build_is_not_the_bots_fault(
    containers: Containers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell = Engine.tell
    builds: list[tuple[str, ...]] = []

    async def lose_the_cache_once(engine: Engine, *words: str, **options: Any) -> str:
        if words[0] == "build":
            builds.append(words)
            if len(builds) == 1:
                why = "checking if cached image exists from a previous build: layer not known"
                raise EngineFailure(msg("podman build failed: {why}", why=why))
        return await tell(engine, *words, **options)

    monkeypatch.setattr(Engine, "tell", lose_the_cache_once)
    bot = prepare_bot(recipe(tmp_path / "bot", f"# {tmp_path}\n"), tmp_path / "w")
    assert image(bot)
    assert ["--no-cache" in words for words in builds] == [False, True]
    engine_output(containers, "rmi", "--force", f"localhost/botequim-bot:{bot.digest}")


def test_a_manifest_goes_before_a_dockerfile(tmp_path: Path) -> None:
    bot = recipe(tmp_path / "bot", HELLO)
    (bot / "botequim.toml").write_text('command = "python3 bot.py"\n')
    found = resolve(str(bot), "rps", workshop=tmp_path)
    assert found.image is None


def test_a_dockerfile_that_cannot_be_built_says_why(containers: Containers, tmp_path: Path) -> None:
    bot = recipe(tmp_path / "bot", HELLO, more="COPY nothing.py .\n")
    with pytest.raises(InputError, match="its Dockerfile cannot be built") as raised:
        prepare_bot(bot, tmp_path / "w")
    assert "nothing.py" in raised.value.details


def test_an_image_by_name_and_by_digest(containers: Containers, tmp_path: Path) -> None:
    built = prepare_bot(recipe(tmp_path / "bot", HELLO), tmp_path / "w")
    name = f"localhost/botequim-bot:{built.digest}"
    assert image(prepare_bot(f"image:{name}", tmp_path / "w")) == image(built)
    assert image(prepare_bot(f"image:{image(built)}", tmp_path / "w")) == image(built)
    assert prepare_bot(f"arena-lines:image:{name}", tmp_path / "w").wire_name == "arena-lines"


@pytest.mark.parametrize("name", ["localhost/no-such-image:1", "UPPER CASE", "", "-v"])
def test_an_image_that_cannot_be_had(containers: Containers, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="image"):
        prepare_bot(f"image:{name}", tmp_path / "w")


class Registry(ThreadingHTTPServer):
    """A registry that has no image, and notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Registry)
        self.asked: list[str] = []


class _Registry(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Registry)
        self.server.asked.append(self.path)
        self.send_response(200 if self.path == "/v2/" else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """What docker's registry is for podman in this test, as this machine's own settings say."""
    with Registry() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        place = f"127.0.0.1:{server.server_port}"
        settings = tmp_path / "own settings.conf"
        settings.write_text(
            f'unqualified-search-registries = ["other.invalid", "{HUB}"]\nshort-name-mode = "enforcing"\n'
            f'[[registry]]\nprefix = "{HUB}"\nlocation = "{place}"\ninsecure = true\n'
        )
        monkeypatch.setenv("CONTAINERS_REGISTRIES_CONF", str(settings))
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("botequim-absent:1.21-alpine", "/v2/library/botequim-absent/manifests/1.21-alpine"),
        ("botequim/absent", "/v2/botequim/absent/manifests/latest"),
    ],
)
def test_short_names_are_docker_s_and_a_missing_image_is_named(
    containers: Containers, registry: Registry, tmp_path: Path, name: str, asked: str
) -> None:
    if containers.engine.kind is not Kind.PODMAN:
        pytest.skip("docker's own settings are the daemon's")
    bot = recipe(tmp_path / "bot", HELLO)
    lines = f"ARG BASE={name}\nFROM $BASE AS base\nFROM base\nCOPY bot.py .\nCMD python3 bot.py\n"
    (bot / "Dockerfile").write_text(lines)
    with pytest.raises(InputError, match=rf"cannot fetch.*pull {HUB}/.*cmd:'python3 bot\.py'") as raised:
        prepare_bot(bot, tmp_path / "w")
    assert f"built on the image {name}," in str(raised.value)
    assert asked in registry.asked
    registry.asked.clear()
    with pytest.raises(InputError, match=r"cannot fetch it.*cmd:'COMMAND'"):
        prepare_bot(f"image:{name}", tmp_path / "w")
    assert asked in registry.asked


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("node:20", f"{HUB}/library/node:20"),
        ("oven/bun", f"{HUB}/oven/bun"),
        ("localhost/own", "localhost/own"),
        ("registry.example:5000/a/b@sha256:12", "registry.example:5000/a/b@sha256:12"),
        ("sha256:12", "sha256:12"),
    ],
)
def test_names_of_images_as_docker_reads_them(name: str, full: str) -> None:
    assert full_name(name) == full


def test_the_images_that_a_dockerfile_is_built_on() -> None:
    text = (
        "# FROM nothing\nARG TAG=20\nFROM --platform=linux/amd64 node:${TAG} AS build\nRUN true\n"
        "from golang:${GO:-1.21} as go\nFROM build\nFROM scratch\nFROM $UNKNOWN\nCOPY --from=go /a /a\n"
    )
    assert bases(text) == ["node:20", "golang:1.21"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('FROM python:3\nCMD ["python3", "-u", "bot.py"]\n', "python3 -u bot.py"),
        ("FROM node:20\ncmd node src/index.js\n", "node src/index.js"),
        ('FROM node:20\nENTRYPOINT ["node"]\nCMD ["index.js"]\n', "node index.js"),
        ("FROM node:20 AS one\nCMD node one.js\nFROM one\nENTRYPOINT []\n", None),
        ("FROM node:20\n", None),
        ("FROM python:3\nCMD python3 bot.py > log 2>&1\n", None),
        ("FROM python:3\nCMD python3 $FILE\n", None),
        ('FROM python:3\nCMD ["python3", "/app/bot.py"]\n', None),
        ("""FROM python:3\nCMD python3 -c 'print()'\n""", None),
    ],
)
def test_the_command_of_a_dockerfile_is_read_only_if_it_is_simple(text: str, expected: str | None) -> None:
    assert command(text) == expected


def test_an_archive_of_an_image(containers: Containers, tmp_path: Path) -> None:
    built = prepare_bot(recipe(tmp_path / "bot", HELLO), tmp_path / "w")
    archive = tmp_path / "saved.tar"
    engine_output(containers, "save", "--output", str(archive), image(built).removeprefix("sha256:"))
    loaded = prepare_bot(archive, tmp_path / "w")
    assert image(loaded) == image(built)
    assert loaded.name == "saved"


def test_an_archive_that_only_looks_like_an_image(containers: Containers, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("[]")
    subprocess.run(["tar", "-cf", "bad.tar", "manifest.json"], cwd=tmp_path, check=True)
    with pytest.raises(InputError, match="cannot load it"):
        prepare_bot(tmp_path / "bad.tar", tmp_path / "w")


def test_an_archive_cannot_pass_itself_off_as_anothers_image(containers: Containers, tmp_path: Path) -> None:
    """Its author may know the files of another bot, and so the name that its image will have."""
    victim = recipe(tmp_path / "victim", f"# {tmp_path}, the victim\n")
    digest = prepare_bot(victim, tmp_path / "w").digest
    own = f"localhost/botequim-bot:{digest}"
    engine_output(containers, "rmi", "--force", own)
    evil = recipe(tmp_path / "evil", f"# {tmp_path}, the other\n")
    with alone(containers.engine):
        engine_output(containers, "build", "--tag", own, str(evil))
    archive = tmp_path / "evil.tar"
    engine_output(containers, "save", "--output", str(archive), own)
    engine_output(containers, "rmi", "--force", own)
    other = image(prepare_bot(archive, tmp_path / "w"))
    assert asyncio.run(containers.engine.image(own)) is None
    heard: list[str] = []
    assert image(prepare_bot(victim, tmp_path / "w", heard=heard)) != other
    assert heard, "it was built"
    engine_output(containers, "rmi", "--force", own, other.removeprefix("sha256:"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("USER ghost", "ghost"),
        ("ENTRYPOINT []\nCMD []", "image cannot be run|ENTRYPOINT"),
        ('ENTRYPOINT []\nCMD ["/usr/bin/python3", "bot.py"]', "ENTRYPOINT"),
        ("ENTRYPOINT /usr/bin/python3 bot.py", "ENTRYPOINT"),
    ],
)
def test_an_image_that_cannot_play_is_known_before_a_game(
    containers: Containers, tmp_path: Path, line: str, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        prepare_bot(recipe(tmp_path / "bot", HELLO, more=line + "\n"), tmp_path / "w")


def test_what_an_author_wants_to_write_is_in_memory_and_has_its_limit(
    containers: Containers, tmp_path: Path
) -> None:
    bot = prepare_bot(recipe(tmp_path / "bot", HELLO, more="VOLUME /data\n"), tmp_path / "w")
    assert bot.program is not None
    assert bot.program.volumes == ("/data",)
    script = "head -c 9000000 /dev/zero >/data/much; wc -c </data/much"

    async def run() -> str:
        assert bot.program is not None
        program = replace(bot.program, command=("-c", f"import os; os.system({script!r})"))
        process = containers.start(Launch(program, Limits(space=MB), stdin=False))
        output = LogTail(process.stdout)
        try:
            await process.wait_exit()
            return output.text()
        finally:
            output.close()
            await process.close()

    bot = replace(bot, program=replace(bot.program, image=asyncio.run(_python(containers, tmp_path))))
    assert 0 < int(asyncio.run(run())) <= MB


async def _python(containers: Containers, tmp_path: Path) -> str:
    """An image whose program is the interpreter itself."""
    folder = tmp_path / "python"
    folder.mkdir()
    (folder / "Dockerfile").write_text(f'FROM {BASE}\nVOLUME /data\nENTRYPOINT ["/usr/bin/python3"]\n')
    name = "localhost/botequim-test:python"
    with alone(containers.engine):
        await containers.engine.tell("build", "--tag", name, str(folder), seconds=300)
    found = await containers.engine.image(name)
    assert found is not None
    return found


def test_a_build_that_takes_too_long_leaves_nothing_running(containers: Containers, tmp_path: Path) -> None:
    mark = f"{86_000 + os.getpid()}"  # seconds that nobody else sleeps
    bot = recipe(tmp_path / "bot", HELLO, more=f"RUN sleep {mark}\n")
    before = asyncio.run(containers.engine.leftovers())
    with pytest.raises(InputError, match="no end after 3 s"):
        asyncio.run(prepare(str(bot), "rps", NoSandbox(), workshop=tmp_path, isolated=True, build_seconds=3))
    assert not _marked_processes(mark)
    left = asyncio.run(containers.engine.leftovers()) - before
    # others build at the same time; theirs go away
    until(lambda: not left.intersection(asyncio.run(containers.engine.leftovers())))


def test_a_build_that_fails_leaves_those_who_play_alone(containers: Containers, tmp_path: Path) -> None:
    mark = f"{76_000 + os.getpid()}"
    bot = recipe(tmp_path / "bot", HELLO, more=f"RUN sleep {mark}\n")
    base = asyncio.run(containers.engine.image(BASE))
    assert base is not None

    async def build_while_another_plays() -> None:
        preparing = prepare(str(bot), "rps", NoSandbox(), workshop=tmp_path, isolated=True, build_seconds=300)
        building = asyncio.create_task(preparing)
        while not _marked_processes(mark):
            assert not building.done()
            await asyncio.sleep(0.05)
        player = containers.start(Launch(Program(("/bin/sleep", "100"), Path("/"), image=base), Limits()))
        try:
            await player.wait_running()
            manual.advance(300)
            with pytest.raises(InputError, match="no end after 300 s"):
                await building
            assert player.status is None
        finally:
            building.cancel()
            await player.close()

    with clock.use_clock(ManualClock()) as manual:
        asyncio.run(build_while_another_plays())


def test_a_build_ends_with_whoever_asked_for_it(containers: Containers, tmp_path: Path) -> None:
    mark = f"{96_000 + os.getpid()}"
    bot = recipe(tmp_path / "bot", HELLO, more=f"RUN sleep {mark}\n")
    command = [sys.executable, "-m", "botequim", "match", "rps", str(bot), "greedy"]
    place = {**os.environ, "TMPDIR": str(tmp_path)}  # who is killed cannot remove temporary files
    devnull = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=devnull, stderr=devnull, env=place) as match:
        try:
            until(lambda: _marked_processes(mark) or match.poll() is not None)
            assert match.poll() is None
        finally:
            match.kill()
    until(lambda: not _marked_processes(mark))
    with alone(containers.engine):
        for left in asyncio.run(containers.engine.leftovers()):
            asyncio.run(containers.engine.remove(left))


def _marked_processes(mark: str) -> list[str]:
    """The processes that have a word among their own."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(folder.name)
    return found


def test_programs_and_images_sit_at_one_table(containers: Containers, tmp_path: Path) -> None:
    bot = prepare_bot(recipe(tmp_path / "bot", HELLO), tmp_path / "w")
    (tmp_path / "plain.py").write_text(HELLO)
    plain = prepare_bot(tmp_path / "plain.py", tmp_path / "w")
    assert isinstance(sandbox_for(NoSandbox(), [plain]), NoSandbox)
    assert isinstance(sandbox_for(NoSandbox(), [bot]), Containers)
    both = sandbox_for(NoSandbox(), [bot, plain, Entrant("random", "random")])
    assert isinstance(both, RoutingSandbox)
    assert bot.program is not None
    assert plain.program is not None
    names = both.sandbox_of(bot.program).name, both.sandbox_of(plain.program).name
    assert names == (containers.name, "none")


def test_an_engine_that_does_not_hold_every_limit_is_refused_for_strangers(
    containers: Containers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = prepare_bot(recipe(tmp_path / "bot", HELLO), tmp_path / "w")
    weak = Containers(containers.engine, containers.enforces - {next(iter(containers.enforces))})
    monkeypatch.setattr("botequim.sandbox.containers.probe._result", replace_sandbox(weak))
    assert sandbox_for(NoSandbox(), [bot]) is weak
    with pytest.raises(InputError, match="does not enforce"):
        sandbox_for(NoSandbox(), [bot], isolated=True)


def replace_sandbox(sandbox: Containers) -> object:
    from botequim.sandbox.containers.probe import ProbeResult

    return replace(ProbeResult(None), sandbox=sandbox)


@pytest.mark.parametrize("name", ["Dockerfile", ".dockerignore"])
def test_an_engine_reads_no_file_of_ours(name: str, tmp_path: Path) -> None:
    bot = recipe(tmp_path / "bot", HELLO)
    (tmp_path / "secret").write_text("FROM secret\n")
    (bot / name).unlink(missing_ok=True)
    (bot / name).symlink_to("../secret")
    with pytest.raises(InputError, match=rf"{name} is a link that leads out of its folder"):
        prepare_bot(bot, tmp_path / "w")


# --- repositories ----------------------------------------------------------------------------------


def git(folder: Path, *words: str) -> str:
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    ran = subprocess.run(
        ["git", "-C", str(folder), *settings, *words], capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three commits: one on the branch `old`, one with the tag `v1`, one on main."""
    folder = tmp_path / "my-bot"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    for number, branch in ((1, "old"), (2, "v1"), (3, "")):
        (folder / "bot.py").write_text(f"# {number}\n")
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "--message", str(number))
        if branch:
            git(folder, "tag" if branch == "v1" else "branch", branch)
    return folder


def fetch(given: str, tmp_path: Path) -> tuple[Entrant, str]:
    entrant = prepare_bot(given, tmp_path / "workshop")
    assert entrant.program is not None
    return entrant, (entrant.program.folder / "bot.py").read_text()


def test_a_repository_at_its_head(repository: Path, tmp_path: Path) -> None:
    entrant, source = fetch(f"file://{repository}", tmp_path)
    assert source == "# 3\n"
    assert entrant.name == "my-bot"
    assert entrant.commit == git(repository, "rev-parse", "HEAD")
    assert entrant.record_header_fields()["commit"] == entrant.commit


@pytest.mark.parametrize(("ref", "number"), [("old", 1), ("v1", 2), ("main", 3)])
def test_a_repository_at_a_branch_or_tag(repository: Path, tmp_path: Path, ref: str, number: int) -> None:
    for address in (f"file://{repository}", str(repository), f"git+file://{repository}"):
        _, source = fetch(f"{address}#{ref}", tmp_path)
        assert source == f"# {number}\n"


@pytest.mark.parametrize("length", [40, 8])
def test_a_repository_at_a_commit(repository: Path, tmp_path: Path, length: int) -> None:
    commit = git(repository, "rev-parse", "old")
    entrant, source = fetch(f"file://{repository}#{commit[:length]}", tmp_path)
    assert (entrant.commit, source) == (commit, "# 1\n")


def test_another_repository_that_is_meant_by_the_environment_is_left_alone(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet", "--initial-branch=main")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert fetch(f"file://{repository}#v1", tmp_path)[1] == "# 2\n"
    assert (other / ".git" / "HEAD").read_text() == "ref: refs/heads/main\n"


def test_what_a_commit_leaves_uncommitted_does_not_play(repository: Path, tmp_path: Path) -> None:
    (repository / "bot.py").write_text("# not committed\n")
    assert fetch(f"{repository}#main", tmp_path)[1] == "# 3\n"
    assert fetch(str(repository), tmp_path)[1] == "# not committed\n"


@pytest.mark.parametrize(
    "given", ["file:///no/such/repository", "{repository}#no-such-branch", "{repository}#--upload-pack=x"]
)
def test_a_repository_that_cannot_be_fetched(repository: Path, tmp_path: Path, given: str) -> None:
    with pytest.raises(InputError, match=r"cannot be fetched|is neither a player of rps"):
        prepare_bot(given.format(repository=repository), tmp_path / "w")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("https://example.org/team/bot.git#main", "bot"),
        ("https://example.org/team/bot", "bot"),
        ("git@example.org:team/bot.git", "bot"),
        ("ssh://git@example.org/team/bot", "bot"),
        ("http://example.org/team/bot.git", "bot"),
    ],
)
def test_what_is_taken_for_a_repository(given: str, name: str) -> None:
    assert is_repository(given)
    assert repository_name(given) == name


@pytest.mark.parametrize("given", ["http://127.0.0.1:8000/", "cmd:bot#x", "greedy", "image:a/b"])
def test_what_is_not(given: str) -> None:
    assert not is_repository(given)


def test_nothing_of_a_repository_is_run_when_it_is_fetched(repository: Path, tmp_path: Path) -> None:
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    fetch(f"file://{repository}", tmp_path)
    assert not (tmp_path / "ran").exists()


def test_a_repository_that_stands_for_ten_billion_files(repository: Path, tmp_path: Path) -> None:
    tree = git(repository, "rev-parse", "HEAD^{tree}")
    for _ in range(10):
        entries = "".join(f"040000 tree {tree}\t{number}\n" for number in range(10))
        command = ["git", "-C", str(repository), "mktree"]
        tree = subprocess.run(
            command, input=entries, capture_output=True, text=True, check=True
        ).stdout.strip()
    commit = git(repository, "commit-tree", tree, "-m", "bomb")
    git(repository, "branch", "bomb", commit)
    with pytest.raises(InputError, match=r"#bomb.* cannot be fetched: it holds more than 20000 files"):
        prepare_bot(f"file://{repository}#bomb", tmp_path / "w")
    assert len(list((tmp_path / "w").glob("fetched-*/*"))) == 1, "nothing was written but the history"


def test_a_repository_with_a_dockerfile_becomes_an_image(
    repository: Path, containers: Containers, tmp_path: Path
) -> None:
    (repository / "Dockerfile").write_text(engines.DOCKERFILE)
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "a Dockerfile")
    entrant, _ = fetch(f"file://{repository}", tmp_path)
    assert image(entrant).startswith("sha256:")
    assert entrant.commit == git(repository, "rev-parse", "HEAD")
