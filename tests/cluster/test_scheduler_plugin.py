"""What Botequim adds to Dask's scheduler, without a network: uploads, machines that stand by, messages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from botequim.cluster.bounded_folder import DiskFull
from botequim.cluster.parcels import ParcelStore
from botequim.cluster.settings import apply_settings
from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.core.messages import msg
from botequim.testing import ManualClock

NAME = f"v2-{'7' * 64}"


class Scheduler:
    """The parts of Dask's scheduler that the plugin uses."""

    def __init__(self) -> None:
        self.handlers: dict[str, Callable[..., Any]] = {}
        self.workers: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return self.handlers[f"botequim_{name}"]


@pytest.fixture
def time() -> Iterator[ManualClock]:
    manual = ManualClock()
    with clock.use_clock(manual):
        yield manual


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def store(tmp_path: Path) -> ParcelStore:
    return ParcelStore(tmp_path / "parcels", 1 << 20)


@pytest.fixture
def scheduler(store: ParcelStore, told: list[str]) -> Iterator[Scheduler]:
    apply_settings()
    from botequim.cluster.scheduler_plugin import ClusterPlugin

    made = Scheduler()
    plugin = ClusterPlugin(store, told.append)
    asyncio.run(plugin.start(made))
    yield made
    asyncio.run(plugin.close())


def write(
    scheduler: Scheduler, offset: int, chunk: bytes, *, last: bool = False, sender: str = "one"
) -> bool:
    done: bool = asyncio.run(
        scheduler.write_parcel(sender=sender, name=NAME, offset=offset, chunk=chunk, last=last)
    )
    return done


def read(scheduler: Scheduler, offset: int = 0) -> Any:
    return asyncio.run(scheduler.read_parcel(name=NAME, offset=offset))


def test_a_parcel_is_there_when_its_last_part_has_arrived(scheduler: Scheduler) -> None:
    assert write(scheduler, 0, b"one ")
    assert write(scheduler, 4, b"two")
    assert not scheduler.has_parcel(name=NAME)
    assert read(scheduler) is None
    assert write(scheduler, 7, b"", last=True)
    assert scheduler.has_parcel(name=NAME)
    assert read(scheduler) == {"chunk": b"one two", "size": 7}
    assert read(scheduler, 4) == {"chunk": b"two", "size": 7}
    scheduler.remove_parcel(name=NAME)
    assert not scheduler.has_parcel(name=NAME)


def test_a_sender_whose_first_parts_are_lost_begins_anew(scheduler: Scheduler) -> None:
    assert not write(scheduler, 4, b"two", last=True)
    assert write(scheduler, 0, b"one ")
    assert not write(scheduler, 5, b"a gap", last=True)
    assert write(scheduler, 0, b"again", last=True)
    assert read(scheduler)["chunk"] == b"again"


def test_two_senders_do_not_mix_their_parts(scheduler: Scheduler) -> None:
    assert write(scheduler, 0, b"one ", sender="one")
    assert write(scheduler, 0, b"1 ", sender="two")
    assert write(scheduler, 4, b"two", sender="one", last=True)
    assert write(scheduler, 2, b"2", sender="two", last=True)
    assert read(scheduler)["chunk"] == b"one two", "what was there first stays"


def test_an_upload_that_does_not_go_on_is_given_up(
    scheduler: Scheduler, time: ManualClock, tmp_path: Path
) -> None:
    incoming = tmp_path / "parcels" / "incoming"
    assert write(scheduler, 0, b"one ")
    (abandoned,) = incoming.iterdir()
    time.advance(61)
    assert write(scheduler, 0, b"1 ", sender="another")
    assert abandoned not in incoming.iterdir()
    assert not write(scheduler, 4, b"two", last=True)


def test_a_full_disk_is_that_of_the_scheduler(
    scheduler: Scheduler, store: ParcelStore, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def writer(name: str) -> Iterator[BinaryIO]:
        raise DiskFull(msg("the disk is full"))
        yield

    monkeypatch.setattr(store, "writer", writer)
    with pytest.raises(
        BotequimError, match="the scheduler cannot store the files of a bot: the disk is full"
    ):
        write(scheduler, 0, b"one")
    assert told == ["scheduler: the scheduler cannot store the files of a bot: the disk is full"]


def test_machines_that_stand_by_are_forgotten_when_they_do_not_ask_any_more(
    scheduler: Scheduler, time: ManualClock
) -> None:
    scheduler.stand_by(label="lab-1", why="drained")
    time.advance(29)
    scheduler.stand_by(label="lab-2", why="drained")
    assert set(scheduler.machines()["standby"]) == {"lab-1", "lab-2"}
    time.advance(2)
    assert set(scheduler.machines()["standby"]) == {"lab-2"}


def test_only_known_machines_are_drained(scheduler: Scheduler) -> None:
    assert not scheduler.drain(label="lab-1", drained=True)
    assert not scheduler.is_drained(label="lab-1")
    scheduler.stand_by(label="lab-1", why="outside its hours")
    assert scheduler.drain(label="lab-1", drained=True)
    assert scheduler.is_drained(label="lab-1")
    assert scheduler.hello()["drained"] == ["lab-1"]
    assert scheduler.drain(label="lab-1", drained=False)
    assert not scheduler.is_drained(label="lab-1")


def test_the_last_messages_are_kept(scheduler: Scheduler, told: list[str]) -> None:
    for number in range(2500):
        scheduler.log(label="lab-1", text=str(number))
    assert [text for _, _, text in scheduler.logs()] == [str(number) for number in range(500, 2500)]
    assert told[-1] == "lab-1: 2499"
