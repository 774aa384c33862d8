"""A bundle is read once and accounted for as a whole: whatever is extra, doubled or odd in it is refused."""

from __future__ import annotations

import json
import os
import random
import stat
import warnings
import zipfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.core.errors import BotequimError, InputError
from botequim.cup.audit import verify_bundle
from botequim.cup.bundle_reading import Reader
from botequim.cup.stage_audit import Proof
from tests import ROOT

Captured = pytest.CaptureFixture[str]
BUNDLES = ROOT / "tests" / "bundles"
SMALL = BUNDLES / "small.zip"
"""A cup of rps with one game: small enough to be damaged byte by byte."""
DIGESTS = {
    "version1.zip": "sha256:47a655b32a6873691c2618283677011cefdaf45ff287a12307f07b4640a2b4d1",
    "small.zip": "sha256:4b7ffb4499ff7e4bfaf09cbab099f900ff6316af6b6f371aea97751fb08a2d16",
}
"""Of bundles as the first version of the program wrote them."""


def sentences(proof: Proof) -> str:
    return "\n".join(str(one.sentence()) for one in proof.findings)


@pytest.mark.parametrize("name", DIGESTS)
def test_a_bundle_of_the_first_version_still_verifies(name: str) -> None:
    proof = verify_bundle(BUNDLES / name)
    assert proof.ok, sentences(proof)
    assert proof.digest == DIGESTS[name]


# --- zips that were put together by hand -------------------------------------------------------------

Member = tuple[zipfile.ZipInfo, bytes]


def member(name: str, content: bytes = b"", compression: int = zipfile.ZIP_DEFLATED, kind: int = 0) -> Member:
    info = zipfile.ZipInfo(name)
    info.compress_type = compression
    info.external_attr = (kind | 0o644) << 16
    return info, content


def members(compression: int = zipfile.ZIP_DEFLATED) -> list[Member]:
    """All that a bundle needs."""
    with zipfile.ZipFile(SMALL) as archive:
        return [member(one.filename, archive.read(one), compression) for one in archive.infolist()]


def pack(path: Path, inside: list[Member], comment: bytes = b"") -> Path:
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a name that is there twice
        for info, content in inside:
            archive.writestr(info, content)
        archive.comment = comment
    return path


@pytest.fixture
def zip_path(tmp_path: Path) -> Path:
    return tmp_path / "bundle.zip"


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_may_be_stored_or_deflated_and_folders_may_be_listed(
    zip_path: Path, compression: int
) -> None:
    pack(zip_path, [member("records/", kind=stat.S_IFDIR), *members(compression)])
    assert verify_bundle(zip_path).ok


@pytest.mark.parametrize("compression", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_no_other_compression_is_read(zip_path: Path, compression: int, capsys: Captured) -> None:
    pack(zip_path, members(compression))
    assert main(["verify", str(zip_path)]) == 1
    said = capsys.readouterr()
    assert "stored without compression or with deflate" in said.out
    assert not said.err


@pytest.mark.parametrize("name", ["bundle.json", "cup.toml", "records/bracket.jsonl"])
def test_two_members_of_one_name_are_refused(zip_path: Path, name: str) -> None:
    inside = members()
    twin = next(one for one in inside if one[0].filename == name)
    pack(zip_path, [*inside, member(name, twin[1])])
    with pytest.raises(InputError, match=f"{name} cannot be read: the zip has two files with this name"):
        verify_bundle(zip_path)


@pytest.mark.parametrize(
    "extra",
    [
        "read-me.txt",
        "records/other.jsonl",
        "records/bracket.jsonl.bak",
        "../cup.toml",
        "/cup.toml",
        "./cup.toml",
        "records//league.jsonl",
        "CUP.TOML",
        "cup.toml ",
        "Ångström.txt",
        "notes/",
        "..",
        "__MACOSX/._cup.toml",
    ],
)
def test_whatever_is_extra_is_found(zip_path: Path, extra: str) -> None:
    pack(zip_path, [*members(), member(extra, kind=stat.S_IFDIR if extra.endswith("/") else 0)])
    assert f"{extra.rstrip('/')}: this does not belong to the bundle" in sentences(verify_bundle(zip_path))


def test_a_file_that_only_the_manifest_lists_is_found(zip_path: Path) -> None:
    inside = [
        member(info.filename, content if info.filename != "bundle.json" else listing(content, "more.txt"))
        for info, content in members()
    ]
    pack(zip_path, inside)
    assert '"files" lists more.txt, which does not belong' in sentences(verify_bundle(zip_path))


def listing(manifest: bytes, name: str) -> bytes:
    value = json.loads(manifest)
    value["files"][name] = sha256(b"").hexdigest()
    return json.dumps(value).encode()


def test_links_are_no_files(zip_path: Path) -> None:
    pack(zip_path, [member(i.filename, c, kind=stat.S_IFLNK) for i, c in members()])
    with pytest.raises(InputError, match="it is not a regular file"):
        verify_bundle(zip_path)


def with_nul(content: bytes) -> bytes:
    return content.replace(b"standings.json", b"standings\0json")


def with_bad_utf8(content: bytes) -> bytes:
    """The name of one member is said to be UTF-8, and is not."""
    at = content.rindex(b"standings.json")
    flags = at - 46 + 8
    changed = bytearray(content)
    changed[flags : flags + 2] = (0x800).to_bytes(2, "little")
    changed[at] = 0xFF
    return bytes(changed)


def encrypt(content: bytes) -> bytes:
    changed = bytearray(content)
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = content.find(signature)
        while at >= 0:
            changed[at + flags] |= 1
            at = content.find(signature, at + 1)
    return bytes(changed)


def with_huge_sizes(content: bytes) -> bytes:
    """The list of members says that the last has 4 GB, less one byte."""
    at = content.rindex(b"PK\1\2")
    return content[: at + 20] + b"\xfe\xff\xff\xff\xfe\xff\xff\xff" + content[at + 28 :]


def with_huge_list(content: bytes) -> bytes:
    at = content.rindex(b"PK\5\6")
    return content[: at + 8] + b"\xff\xff\xff\xff\xff\xff\xff\xff" + content[at + 16 :]


def with_hidden_bytes(content: bytes) -> bytes:
    """Between the members and their list lies something that no list names."""
    at, end = content.index(b"PK\1\2"), content.rindex(b"PK\5\6")
    hidden = b"PK\3\4 a member that is not listed"
    start = int.from_bytes(content[end + 16 : end + 20], "little") + len(hidden)
    return content[:at] + hidden + content[at : end + 16] + start.to_bytes(4, "little") + content[end + 20 :]


@pytest.mark.parametrize(
    "damage",
    [
        with_nul,
        with_bad_utf8,
        encrypt,
        with_huge_sizes,
        with_huge_list,
        with_hidden_bytes,
        lambda content: b"#!/bin/sh\n" + content,
        lambda content: content + b"something after the end",
        lambda content: b"",
        lambda content: b"PK\5\6" + bytes(18),
        lambda content: content[content.rindex(b"PK\5\6") :],
    ],
    ids=["nul", "utf8", "encrypted", "sizes", "list", "hidden", "before", "after", "empty", "none", "end"],
)
def test_an_odd_zip_is_refused_in_words(
    zip_path: Path, damage: Callable[[bytes], bytes], capsys: Captured
) -> None:
    pack(zip_path, members())
    zip_path.write_bytes(damage(zip_path.read_bytes()))
    assert main(["verify", str(zip_path)]) == 1
    said = capsys.readouterr()
    assert "FAILED" in said.out
    assert not said.err


def test_a_comment_is_extra_too(zip_path: Path) -> None:
    pack(zip_path, members(), comment=b"trust me")
    with pytest.raises(InputError, match="bytes that belong to no file"):
        verify_bundle(zip_path)


# --- damage of every kind ----------------------------------------------------------------------------


def damage(content: bytes, places: Iterator[int], bits: int) -> Iterator[bytes]:
    for at in places:
        changed = bytearray(content)
        changed[at] ^= bits
        yield bytes(changed)


def check_all(path: Path, contents: Iterator[bytes]) -> int:
    """Verify each of these; return how many there were. Anything but a refusal in words fails the test."""
    count = 0
    for content in contents:
        path.write_bytes(content)
        try:
            proof = verify_bundle(path)
        except BotequimError:
            pass
        else:
            assert not proof.ok or proof.digest == DIGESTS["small.zip"], "another cup was called true"
        count += 1
    return count


def test_some_bytes_changed_or_cut_off(zip_path: Path) -> None:
    """A sample of the next test: all headers' bytes are too many for every run."""
    content = SMALL.read_bytes()
    rng = random.Random(18)
    places = rng.sample(range(len(content)), 150)
    ends = sorted(rng.sample(range(len(content)), 50))
    assert check_all(zip_path, damage(content, iter(places), 0xFF)) == 150
    assert check_all(zip_path, (content[:end] for end in ends)) == 50


@pytest.mark.slow
@pytest.mark.parametrize("bits", [0x01, 0x80, 0xFF])
def test_every_byte_changed(zip_path: Path, bits: int) -> None:
    content = SMALL.read_bytes()
    assert check_all(zip_path, damage(content, iter(range(len(content))), bits)) == len(content)


@pytest.mark.slow
def test_cut_off_at_every_byte(zip_path: Path) -> None:
    content = SMALL.read_bytes()
    assert check_all(zip_path, (content[:end] for end in range(len(content)))) == len(content)


def test_a_changed_byte_inside_of_any_file_is_found(tmp_path: Path) -> None:
    """Not by a checksum of the zip, which whoever changes it makes anew."""
    rng = random.Random(18)
    for _ in range(60):
        inside = members()
        at = rng.randrange(len(inside))
        content = bytearray(inside[at][1])
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        inside[at] = member(inside[at][0].filename, bytes(content))
        path = pack(tmp_path / "bundle.zip", inside)
        try:
            proof = verify_bundle(path)
        except BotequimError:
            continue
        assert not proof.ok or proof.digest != DIGESTS["small.zip"]


ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    0.5,
    "",
    "\ud800",
    "\0",
    "../x",
    "a" * 100_000,
    [],
    {},
    [[]],
    {"": None},
    ["Ana"],
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every object or list inside of a value, with each key or index that it has."""
    for key, inside in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(inside, dict | list):
            yield from places(inside)


def test_values_of_any_kind_break_nothing(tmp_path: Path) -> None:
    rng = random.Random(18)
    names = ["bundle.json", "results.json", "standings.json", "records/bracket.jsonl"]
    for _ in range(300):
        inside = {info.filename: content for info, content in members()}
        name = rng.choice(names)
        lines = inside[name].decode().splitlines() if name.endswith("l") else [inside[name].decode()]
        at = rng.randrange(len(lines))
        value = json.loads(lines[at])
        owner, key = rng.choice(list(places(value)))
        owner[key] = rng.choice(ODD)
        lines[at] = json.dumps(value)
        inside[name] = "\n".join(lines).encode()
        if name != "bundle.json":
            manifest = json.loads(inside["bundle.json"])
            manifest["files"][name] = sha256(inside[name]).hexdigest()
            inside["bundle.json"] = json.dumps(manifest).encode()
        path = pack(tmp_path / "bundle.zip", [member(name, content) for name, content in inside.items()])
        try:
            proof = verify_bundle(path)
        except BotequimError:
            continue
        assert not proof.ok or proof.digest != DIGESTS["small.zip"]


def test_a_key_that_stands_twice_is_refused(zip_path: Path) -> None:
    inside = [
        member(
            i.filename,
            c.replace(b'"seed": ', b'"seed": "other",\n "seed": ') if i.filename == "bundle.json" else c,
        )
        for i, c in members()
    ]
    pack(zip_path, inside)
    with pytest.raises(InputError, match='the key "seed" appears twice'):
        verify_bundle(zip_path)


def test_billions_of_empty_lines_in_a_small_zip_are_refused_at_once(zip_path: Path) -> None:
    inside = [
        member(i.filename, b"\n" * 50_000_000 if i.filename.startswith("records/") else c)
        for i, c in members()
    ]
    pack(zip_path, inside)
    assert "line 1 is empty" in sentences(verify_bundle(zip_path))


# --- folders -----------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with zipfile.ZipFile(SMALL) as archive:
        archive.extractall(tmp_path / "bundle")
    return tmp_path / "bundle"


def test_each_file_is_opened_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real = os.open

    def counting(path: Any, *rest: Any, **more: Any) -> int:
        if str(path).startswith(str(folder)):
            opened.append(Path(path).relative_to(folder).as_posix())
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", counting)
    assert verify_bundle(folder).ok
    assert sorted(opened) == sorted(one.filename for one, _ in members())


@pytest.mark.parametrize("extra", [".hidden", "records/more.jsonl", "deep/er/x", "deep/"])
def test_whatever_else_lies_in_the_folder_is_found(folder: Path, extra: str) -> None:
    path = folder / extra
    path.parent.mkdir(parents=True, exist_ok=True)
    if extra.endswith("/"):
        path.mkdir()
    else:
        path.write_text("")
    assert f"{extra.rstrip('/')}: this does not belong to the bundle" in sentences(verify_bundle(folder))


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["fifo", "link"])
def test_a_file_that_is_none_is_refused_and_not_waited_for(
    folder: Path, make: Callable[[Path], None]
) -> None:
    (folder / "results.json").unlink()
    make(folder / "results.json")
    with pytest.raises(InputError, match=r"results\.json cannot be read"):
        verify_bundle(folder)


def test_a_fifo_with_the_name_of_a_zip_is_not_waited_for(zip_path: Path) -> None:
    os.mkfifo(zip_path)
    with pytest.raises(InputError, match="it is not a regular file"), Reader(zip_path):
        pass
