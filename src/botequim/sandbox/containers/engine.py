"""The command line of a container engine, podman or docker.

The differences between the two are handled here, and nowhere else.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.core.messages import msg, plain

PATIENCE: Final = 300.0
"""The time limit in seconds of a command that neither builds nor downloads, generous for a busy machine."""
LISTS: Final = 10
"""How often podman is asked again for its containers while others remove some."""
MOST_LINES: Final = 40
"""The most lines of output of a failed command in an error."""
NO_IMAGE: Final = (
    "no such image",
    "not known",
    "no such object",
    "not found",
    "invalid reference",
    "invalid format",
    "must be lowercase",
    "invalid checksum",
    "unable to parse",
)
NEVER: Final = "0001-01-01T00:00:00Z"
"""The time that engines write for an event that has not happened."""


class Kind(StrEnum):
    """The supported engines."""

    PODMAN = "podman"
    DOCKER = "docker"


class EngineFailure(BotequimError):
    """A command of the engine failed. This is never the fault of a bot."""

    said: str = ""
    """The last lines of its output."""


@dataclass(frozen=True, slots=True)
class State:
    """The state of a container."""

    began: bool
    """Whether its own program has run."""
    pid: int
    """The process id of its first process on the host; 0 if it does not run."""
    code: int
    out_of_memory: bool


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine of this machine."""

    kind: Kind
    path: str
    options: tuple[str, ...] = ()
    """Options before every command."""

    @property
    def command(self) -> tuple[str, ...]:
        return (self.path, *self.options)

    async def tell(
        self,
        *words: str,
        seconds: float = PATIENCE,
        on_line: Callable[[str], None] | None = None,
        before: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """Run a command and return its output; `on_line` is called with every line.

        `before` is a command that runs the engine's command as its arguments.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *before,
                *self.command,
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**os.environ, **(environment or {})},
                start_new_session=True,  # so that Ctrl-C only interrupts this process
            )
        except OSError as error:
            raise self._failure(words, str(error.strerror or error)) from error
        output: list[str] = []
        lines: list[str] = []
        try:
            async with clock.timeout(seconds):
                await asyncio.gather(
                    _lines(process.stdout, output, on_line), _lines(process.stderr, lines, on_line)
                )
                code = await process.wait()
        except TimeoutError:
            raise self._failure(words, f"no end after {seconds:g} s", lines) from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if code != 0:
            last = next((line for line in reversed(lines or output) if line.strip()), f"exit code {code}")
            raise self._failure(words, last, output + lines)
        return "\n".join(output)

    def _failure(self, words: tuple[str, ...], why: str, lines: list[str] | None = None) -> EngineFailure:
        # the last part of podman's message is the error of the system
        failure = EngineFailure(
            msg(
                "{engine} {command} failed: {why}",
                engine=self.kind.value,
                command=plain(" ".join(words[:2]) if words[0] == "image" else words[0]),
                why=plain(why.removeprefix("Error: ")[:500]),
            )
        )
        failure.said = "\n".join((lines or [])[-MOST_LINES:])
        return failure

    # --- containers --------------------------------------------------------------------------------

    def making_words(self, name: str, settings: Mapping[str, str | int]) -> list[str]:
        """Return the options of a container, after `run` or `create` and before its image."""
        words = ["--name", name]
        for setting, value in settings.items():
            words += [f"--{setting}", str(value)] if value != "" else [f"--{setting}"]
        if self.kind is Kind.PODMAN:
            # without these options, podman mounts temporary folders without a limit, also for programs that
            # it takes for an init, and passes the proxy settings of this process on
            words += ["--read-only-tmpfs=false", "--systemd=false", "--http-proxy=false"]
            words += ["--image-volume=ignore", "--no-hosts"]
        return words

    async def state(self, name: str) -> State:
        """Return the state of a container. Raise EngineFailure if it does not exist."""
        output = await self.tell("container", "inspect", "--format", "{{json .State}}", name)
        try:
            state = json.loads(output)
            return State(
                began=state["StartedAt"] != NEVER,
                pid=state.get("Pid") or 0,
                code=state["ExitCode"],
                out_of_memory=bool(state.get("OOMKilled")),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise self._failure(("inspect",), f"{output[:200]} ({error})") from error

    async def remove(self, *names: str) -> None:
        """End and remove containers. Those that do not exist are ignored."""
        how = ("--time", "0", "--ignore") if self.kind is Kind.PODMAN else ()
        try:
            await self.tell("rm", "--force", "--volumes", *how, *names)
        except EngineFailure as failure:
            if "no such container" not in failure.said.lower():
                raise

    async def leftovers(self) -> set[str]:
        """Return the temporary containers of builds that exist now."""
        if self.kind is not Kind.PODMAN:
            return set()
        rows = [line.split() for line in (await self._list_containers()).splitlines()]
        return {row[0] for row in rows if row[1:] == ["Storage", "buildah"]}

    async def _list_containers(self) -> str:
        """Return podman's list, with the containers of builds. If a container of somebody else goes away
        meanwhile, podman fails, and is asked again."""
        words = ("ps", "--all", "--external", "--format", "{{.ID}} {{.State}} {{.Command}}")
        for _ in range(LISTS):
            try:
                return await self.tell(*words)
            except EngineFailure as failure:
                if "container not known" not in failure.said:
                    raise
        return await self.tell(*words)

    # --- images ------------------------------------------------------------------------------------

    async def config(self, image: str) -> Mapping[str, Any]:
        """Return the configuration of an image: `Entrypoint`, `Cmd`, `Volumes`."""
        output = await self.tell("image", "inspect", "--format", "{{json .Config}}", image)
        try:
            config = json.loads(output)
        except ValueError as error:
            raise self._failure(("inspect",), f"{output[:200]} ({error})") from error
        return config if isinstance(config, dict) else {}

    async def image(self, name: str) -> str | None:
        """Return the digest of an image with this name; None if there is none."""
        try:
            return _id(await self.tell("image", "inspect", "--format", "{{.Id}}", name))
        except EngineFailure as failure:
            error_text = f"{failure.said} {failure.message}".lower()
            if any(sign in error_text for sign in NO_IMAGE):
                return None
            raise


async def _lines(
    stream: asyncio.StreamReader | None, last: list[str], on_line: Callable[[str], None] | None
) -> None:
    """Read all lines of a stream, of any length."""
    assert stream is not None
    rest = b""
    while chunk := await stream.read(1 << 16):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            _add_line(line, last, on_line)
        rest = rest[-(1 << 16) :]
    if rest:
        _add_line(rest, last, on_line)


def _add_line(line: bytes, last: list[str], on_line: Callable[[str], None] | None) -> None:
    text = line.decode("utf-8", "replace").rstrip("\r")
    last.append(text)
    if len(last) > 10_000:
        del last[:5_000]
    if on_line is not None and text.strip():
        on_line(text)


def _id(digest: str) -> str:
    """Return a digest as docker writes it; podman writes it without `sha256:`."""
    return "sha256:" + digest.strip().removeprefix("sha256:")
