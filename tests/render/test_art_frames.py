"""Frames from files, the font, and previews."""

from __future__ import annotations

import unicodedata
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from botequim.cli import main
from botequim.render.art.font import UNKNOWN, glyphs
from botequim.render.art.frames import Frame, frame_files, read_frame
from botequim.render.art.options import GifOptions, Theme
from botequim.render.art.preview import play

Captured = pytest.CaptureFixture[str]


# --- files -------------------------------------------------------------------------------------------


def test_files_are_taken_in_alphabetical_order(tmp_path: Path) -> None:
    for name in ("b.ascii", "a.ascii", "C.ascii", "_.txt", ".hidden.ascii"):
        (tmp_path / name).write_text("x")
    assert [path.name for path in frame_files(tmp_path)] == ["a.ascii", "b.ascii", "C.ascii"]


def test_a_word_about_numbers_that_are_not_in_order(tmp_path: Path, capsys: Captured) -> None:
    for name in ("9", "10", "11"):
        (tmp_path / f"{name}.ascii").write_text(name)
    assert main(["gif", str(tmp_path), "--preview"]) == 0
    said = capsys.readouterr()
    assert "so 10.ascii comes before 9.ascii" in said.err
    assert [line.strip() for line in said.out.splitlines()[1::2]] == ["10", "11", "9"]
    (tmp_path / "9.ascii").rename(tmp_path / "09.ascii")
    assert main(["gif", str(tmp_path), "--preview"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"ok\n" + b"x" * 61, "one.ascii:2: 61 characters; at most 60"),
        (b"x\n" * 61, "one.ascii:61: 61 lines; at most 60"),
        (b"ok\nab\xff\xfe", "one.ascii:2: not UTF-8 text at byte 3 of the line"),
        (b"\x89PNG\r\n\x1a\n\0\0", "one.ascii:1: not UTF-8 text at byte 1 of the line"),
        (b"a\nb\n\0\0\0", "one.ascii:3: a control character (U+0000) at column 1"),
        (b"a\n \x1b[31m", "one.ascii:2: a control character (U+001B) at column 2"),
        (b"a\rb\n", "one.ascii:1: a control character (U+000D) at column 2"),
        (b"a\x0cb\n", "one.ascii:1: a control character (U+000C) at column 2"),
        ("a\n\x85".encode(), "one.ascii:2: a control character (U+0085) at column 1"),
        (b"a\tb\n", "one.ascii:1: a tab at column 2: write spaces"),
        (b"", "one.ascii is empty"),
        (b"x" * 200_000, "one.ascii is larger than 100000 bytes"),
    ],
)
def test_files_that_are_no_art_are_named_with_the_line(
    content: bytes, message: str, tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "one.ascii").write_bytes(content)
    assert main(["gif", str(tmp_path), str(tmp_path / "x.gif")]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert "Traceback" not in said.err
    assert not (tmp_path / "x.gif").exists()


def test_folders_without_frames_and_files_that_cannot_be_read(tmp_path: Path, capsys: Captured) -> None:
    assert main(["gif", str(tmp_path), str(tmp_path / "x.gif")]) == 2
    assert f"there are no *.ascii files in the folder {tmp_path}" in capsys.readouterr().err
    (tmp_path / "gone.ascii").symlink_to(tmp_path / "nowhere")
    assert main(["gif", str(tmp_path), str(tmp_path / "x.gif")]) == 2
    assert "gone.ascii cannot be read: there is no such file" in capsys.readouterr().err
    (tmp_path / "gone.ascii").unlink()
    (tmp_path / "folder.ascii").mkdir()
    assert main(["gif", str(tmp_path), str(tmp_path / "x.gif")]) == 2
    assert "folder.ascii cannot be read: it is not a file" in capsys.readouterr().err


def test_the_largest_frame_and_foreign_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "one.ascii"
    path.write_bytes(b"\xef\xbb\xbf" + ("é" * 60 + "\r\n").encode() * 60)
    frame = read_frame(path)
    assert (frame.width, len(frame.lines), frame.warnings) == (60, 60, ())
    assert set(frame.lines) == {"é" * 60}
    path.write_text("\n")
    assert read_frame(path).lines == ("",)


def test_letters_and_marks_are_joined() -> None:
    frame = Frame.of([unicodedata.normalize("NFD", "ação"), "x\u0301"])
    assert frame.lines == ("ação", "x" + UNKNOWN)
    assert len(frame.warnings) == 1


# --- the font ----------------------------------------------------------------------------------------


def test_all_that_is_promised_has_a_glyph() -> None:
    promised = [*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x2500, 0x25A0), *range(0x2800, 0x2900)]
    assert [chr(code) for code in promised if chr(code) not in glyphs()] == []
    assert {len(rows) for rows in glyphs().values()} == {16}


def test_no_two_signs_look_alike() -> None:
    same = {" ": "\N{NO-BREAK SPACE}\u2800", "-": "\N{SOFT HYPHEN}", "Ð": "Đ", "◀": "◄", "▶": "►", "—": "─"}
    alike = {sign for group in same.values() for sign in group}
    seen: dict[bytes, str] = {}
    for sign in sorted(glyphs(), key=lambda sign: (sign in alike, sign)):
        twin = seen.setdefault(glyphs()[sign], sign)
        assert twin == sign or sign in same.get(twin, ""), (twin, sign)


def test_accents_stand_on_their_letters() -> None:
    for code in range(0xC0, 0x180):
        parts = unicodedata.normalize("NFD", chr(code))
        if len(parts) == 2 and parts[0] not in "ijdlLtg":  # these change their own shape under a mark
            letter, whole = glyphs()[parts[0]], glyphs()[chr(code)]
            assert all(row & more == row for row, more in zip(letter, whole, strict=True)), chr(code)


@pytest.mark.parametrize(
    "box",
    ["┌┬┐├┼┤└┴┘", "┏┳┓┣╋┫┗┻┛", "╔╦╗╠╬╣╚╩╝", "╒╤╕╞╪╡╘╧╛", "╓╥╖╟╫╢╙╨╜", "╭┬╮├┼┤╰┴╯", "┍┯┑┝┿┥┕┷┙", "┎┰┒┠╂┨┖┸┚"],
)
def test_boxes_join(box: str) -> None:
    """All around the box and through it, each sign's line goes on in its neighbour."""
    rows = [box[:3], box[3:6], box[6:]]
    for row in rows:
        for left, right in pairwise(row):
            edge = [bits & 1 for bits in glyphs()[left]]
            assert any(edge)
            assert edge == [bits >> 7 for bits in glyphs()[right]], left + right
    for above, below in pairwise(rows):
        for upper, lower in zip(above, below, strict=True):
            assert glyphs()[upper][-1], upper
            assert glyphs()[upper][-1] == glyphs()[lower][0], upper + lower


def test_blocks_fill_what_they_should() -> None:
    def share(sign: str) -> float:
        return int.from_bytes(glyphs()[sign]).bit_count() / 128

    assert [share(sign) for sign in "▁▂▃▄▅▆▇█"] == [eighths / 8 for eighths in range(1, 9)]
    assert [share(sign) for sign in "▏▎▍▌▋▊▉"] == [eighths / 8 for eighths in range(1, 8)]
    assert [share(sign) for sign in " ░▒▓█"] == [0, 0.125, 0.5, 0.875, 1]
    assert [share(sign) for sign in "▀▐▔▕▘▚▟"] == [0.5, 0.5, 0.125, 0.125, 0.25, 0.5, 0.75]


# --- previews ----------------------------------------------------------------------------------------


def test_a_preview_plays_in_the_terminal() -> None:
    console = Console(file=StringIO(), force_terminal=True, color_system="truecolor", width=20, height=10)
    frames = [Frame.of(["ab"]), Frame.of(["c"])]
    slept: list[float] = []
    play(frames, GifOptions(Theme.AMBER, frame_length=500, loop=2), console, slept.append)
    assert slept == [0.5] * 4
    assert isinstance(console.file, StringIO)
    shown = console.file.getvalue()
    assert shown.count("ab") == 2
    assert shown.count("c \x1b[0m") == 3  # the last frame stays
    assert "38;2;255;182;46" in shown  # in amber


def test_a_preview_that_does_not_fit_is_cut_and_says_so() -> None:
    console = Console(file=StringIO(), force_terminal=True, color_system=None, width=100, height=10)
    play([Frame.of([f"line {n}" for n in range(30)])], GifOptions(loop=1), console, lambda seconds: None)
    assert isinstance(console.file, StringIO)
    shown = console.file.getvalue()
    assert "10 lines, the art 7 and 30: it is cut" in shown
    assert "line 8" in shown
    assert "line 9" not in shown
