"""Archives of strangers: what is taken out of them, and what is refused by name."""

from __future__ import annotations

import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from botequim.bots import archive
from botequim.bots.archive import UnpackingLimits, copy_without_names, is_image, unpack
from botequim.core.errors import BotequimError, InputError
from tests.support import bombs
from tests.support.bombs import PROGRAM, member, write_tar, write_zip


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    place = tmp_path / "workshop"
    place.mkdir()
    return place


def contents(folder: Path) -> dict[str, str]:
    """Files with their content, links with their target, folders with nothing."""
    return {
        path.relative_to(folder).as_posix(): f"-> {path.readlink()}"
        if path.is_symlink()
        else path.read_text()
        if path.is_file()
        else ""
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("name", bombs.REFUSED)
def test_a_bomb_is_refused_by_name(name: str, tmp_path: Path, workshop: Path) -> None:
    make, ending, said = bombs.REFUSED[name]
    path = tmp_path / f"bomb{ending}"
    make(path)
    with pytest.raises(InputError) as caught:
        unpack(path, workshop)
    assert str(caught.value).startswith(f'"{path}" cannot be unpacked: ')
    assert said in str(caught.value)
    assert not is_image(path)
    assert not list(tmp_path.rglob("escaped"))
    assert not Path("/tmp/escaped").exists()


def test_what_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "slow.tar.bz2"
    bombs.slow(path)
    monkeypatch.setattr(archive, "IMAGE_LIMITS", UnpackingLimits(size=1 << 50, seconds=1))
    with pytest.raises(InputError, match="it takes more than 1 s to read"):
        copy_without_names(path, tmp_path / "copy")


def test_dates_that_no_system_can_express(tmp_path: Path, workshop: Path) -> None:
    bombs.distant_date(tmp_path / "bot.tar.gz")
    folder = unpack(tmp_path / "bot.tar.gz", workshop)
    assert (folder / "bot").read_bytes() == PROGRAM
    assert os.access(folder / "bot", os.X_OK)


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_every_method_of_zip(method: int, tmp_path: Path, workshop: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bot.zip", "w", method) as zipped:
        zipped.writestr("sub/bot.py", "print(1)\n")
    assert contents(unpack(tmp_path / "bot.zip", workshop)) == {"sub": "", "sub/bot.py": "print(1)\n"}


@pytest.mark.parametrize("method", ["", "gz", "bz2", "xz"])
def test_every_method_of_tar(method: str, tmp_path: Path, workshop: Path) -> None:
    source = tmp_path / "source"
    (source / "empty").mkdir(parents=True)
    (source / "bot.py").write_text("print(1)\n")
    (source / "again.py").hardlink_to(source / "bot.py")
    (source / "inside").symlink_to("bot.py")
    (source / "outside").symlink_to("/etc/passwd")
    (source / ("é" * 100)).write_text("long")
    path = tmp_path / f"bot.tar{'.' * bool(method)}{method}"
    with tarfile.open(path, f"w:{method}") as tarred:  # type: ignore[call-overload]
        tarred.add(source, "./")
    folder = unpack(path, workshop)
    found = contents(folder)
    assert found == {
        "empty": "", "bot.py": "print(1)\n", "again.py": "print(1)\n", "inside": "-> bot.py",
        "outside": "-> /etc/passwd", "é" * 100: "long",
    }  # fmt: skip
    assert (folder / "again.py").stat().st_nlink == 1
    assert not is_image(path)


def test_links_and_modes_of_a_zip(tmp_path: Path, workshop: Path) -> None:
    write_zip(
        tmp_path / "bot.zip",
        ("bot", b"old", stat.S_IFREG | 0o644),
        ("link", b"bot", stat.S_IFLNK | 0o777),
        ("bot", PROGRAM, stat.S_IFREG | 0o755),
        ("sub\\windows.txt", b"x", 0),
    )
    folder = unpack(tmp_path / "bot.zip", workshop)
    assert contents(folder) == {
        "bot": PROGRAM.decode(), "link": "-> bot", "sub": "", "sub/windows.txt": "x"
    }, "of two files of one name the last one counts"  # fmt: skip
    assert os.access(folder / "bot", os.X_OK)


def test_a_full_disk_is_not_the_fault_of_an_archive(
    tmp_path: Path, workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tar(tmp_path / "bot.tar", (member("bot"), b"x"))
    for code, kind in ((28, BotequimError), (36, InputError)):
        result = {"problem": "system", "errno": code, "why": os.strerror(code)}
        monkeypatch.setattr(archive, "_result", lambda ran, path, limits, result=result: result)
        with pytest.raises(BotequimError) as caught:
            unpack(tmp_path / "bot.tar", workshop)
        assert type(caught.value) is kind


def test_an_archive_that_is_not_there(tmp_path: Path, workshop: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        unpack(tmp_path / "missing.tar", workshop)
    assert not is_image(tmp_path / "missing.tar")
