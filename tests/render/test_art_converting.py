"""Images as art."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from botequim.cli import main
from botequim.core.game import Remark
from botequim.games.rps.rules import GAME
from botequim.render.art.converting import convert
from botequim.render.art.frames import frame_files, read_frame
from botequim.render.art.options import Style, Theme

Captured = pytest.CaptureFixture[str]


def halves(path: Path, size: tuple[int, int] = (64, 64)) -> Path:
    """Black on the left, white on the right."""
    image = Image.new("L", size, 255)
    image.paste(0, (0, 0, size[0] // 2, size[1]))
    image.save(path)
    return path


def moving(path: Path, count: int) -> Path:
    """A black bar that goes from left to right."""
    frames = []
    for at in range(count):
        frame = Image.new("L", (count * 4, 40), 255)
        ImageDraw.Draw(frame).rectangle((at * 4, 0, at * 4 + 3, 40), fill=0)
        frames.append(frame)
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=70, loop=0)
    return path


@pytest.mark.parametrize(("style", "ink"), [(Style.ASCII, "@"), (Style.BLOCKS, "█"), (Style.BRAILLE, "⣿")])
def test_ink_is_what_is_dark_on_paper_and_light_on_a_screen(style: Style, ink: str, tmp_path: Path) -> None:
    image = halves(tmp_path / "halves.png")
    made = convert(image, style=style, width=20)
    assert made.frames == [[ink * 10 + " " * 10] * 10]
    assert convert(image, style=style, width=20, theme=Theme.AMBER).frames == [[" " * 10 + ink * 10] * 10]


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("size", [(1, 1), (1, 3000), (3000, 1), (601, 599), (90, 400)])
def test_art_is_within_the_limits_and_not_squeezed(
    style: Style, size: tuple[int, int], tmp_path: Path
) -> None:
    made = convert(halves(tmp_path / "image.png", size), style=style)
    (frame,) = made.frames
    assert GAME.check_remark(Remark("art", frame)) is None
    assert len({len(line) for line in frame}) == 1
    if min(size) > 1:  # a cell is twice as high as wide
        assert len(frame[0]) / (2 * len(frame)) == pytest.approx(size[0] / size[1], rel=0.1)


def test_a_gif_becomes_a_folder_that_becomes_a_gif(tmp_path: Path, capsys: Captured) -> None:
    image, folder = moving(tmp_path / "bar.gif", 12), tmp_path / "frames"
    assert main(["art", str(image), "-o", str(folder), "--style", "blocks", "--width", "12"]) == 0
    out = capsys.readouterr().out
    assert f"botequim gif {folder} frames.gif --frame-length 70" in out
    frames = [read_frame(path) for path in frame_files(folder)]
    assert [frame.lines[0].index("█") for frame in frames] == list(range(12))
    assert {frame.width for frame in frames} == {12}
    assert main(["gif", str(folder), str(tmp_path / "again.gif"), "--frame-length", "70"]) == 0
    assert main(["art", str(image), "-o", str(folder)]) == 2
    assert "already contains frames; choose a new folder" in capsys.readouterr().err


def test_a_long_gif_is_thinned_out_and_that_is_said(tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "art.json"
    words = ["art", str(moving(tmp_path / "bar.gif", 60)), "-o", str(out), "--frames", "6", "--width", "60"]
    assert main(words) == 0
    assert "using 6 of 60 frames" in capsys.readouterr().err
    frames = json.loads(out.read_text())
    assert [frame[0].index("@") for frame in frames] == [0, 10, 20, 30, 40, 50]
    assert all(GAME.check_remark(Remark("art", frame)) is None for frame in frames)


def test_what_can_be_seen_through_is_ground(tmp_path: Path) -> None:
    image = Image.new("RGBA", (40, 40), (0, 0, 0, 0))
    ImageDraw.Draw(image).rectangle((0, 0, 19, 39), fill=(255, 255, 255, 255))
    image.save(tmp_path / "clear.png")
    (frame,) = convert(tmp_path / "clear.png", width=10, theme=Theme.GREEN).frames
    assert frame == ["@@@@@     "] * 5


def test_tones_go_from_light_to_dark(tmp_path: Path) -> None:
    image = Image.new("L", (60, 2))
    image.putdata([255 - x * 255 // 59 for _ in range(2) for x in range(60)])
    image.save(tmp_path / "tones.png")
    (frame,) = convert(tmp_path / "tones.png").frames
    assert frame[0][0] == " "
    assert frame[0][-1] == "@"
    assert len(set(frame[0])) > 12


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no image", "Pillow does not know its format"),
        (None, "there is no such file or folder"),
        (b"cut", "truncated"),
    ],
)
def test_what_is_no_image_is_said(
    content: bytes | None, message: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "image.png"
    if content == b"cut":
        content = halves(path, (600, 600)).read_bytes()[:-40]
    if content is not None:
        path.write_bytes(content)
    assert main(["art", str(path), "--preview"]) == 2
    assert message in capsys.readouterr().err


def test_a_bomb_is_refused(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    image = halves(tmp_path / "image.png", (200, 200))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 30_000)
    assert main(["art", str(image), "--preview"]) == 2
    assert "it has too many pixels" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--preview", "--width", "61"], "the width is 61; it must be from 1 to 60"),
        (["--preview", "--frames", "0"], "at least one frame is needed"),
        ([], "give an output with -o, or use --preview"),
    ],
)
def test_what_cannot_be_done_is_said(
    words: list[str], message: str, tmp_path: Path, capsys: Captured
) -> None:
    assert main(["art", str(halves(tmp_path / "image.png")), *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("mode", ["I;16", "I", "F"])
def test_fine_greys_are_greys(mode: str, tmp_path: Path) -> None:
    path = tmp_path / ("fine.png" if mode == "I;16" else "fine.tiff")
    pixels = [x * 65535 // 63 for x in range(64)] * 64
    fine = Image.new("F" if mode == "F" else "I", (64, 64))
    fine.putdata(pixels)
    (fine.convert("I;16") if mode == "I;16" else fine).save(path)
    coarse = Image.new("L", (64, 64))
    coarse.putdata([pixel // 257 for pixel in pixels])
    coarse.save(tmp_path / "coarse.png")
    expected = convert(tmp_path / "coarse.png", width=16).frames[0][0]
    (line, *_) = convert(path, width=16).frames[0]
    assert (line[0], line[-1]) == (expected[0], expected[-1])
    assert len(set(line)) > 8


def test_an_image_that_says_it_lies_on_its_side_is_put_upright(tmp_path: Path) -> None:
    upright = Image.new("L", (80, 40), 255)
    upright.paste(0, (0, 0, 80, 20))
    upright.save(tmp_path / "upright.png")
    lying = upright.transpose(Image.Transpose.ROTATE_90)
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter, clockwise
    lying.save(tmp_path / "lying.png", exif=exif)
    made = convert(tmp_path / "lying.png", width=40).frames
    assert made == convert(tmp_path / "upright.png", width=40).frames


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("out.gif", '"out.gif" must be a .json file or a folder'),
        ("nowhere/a.json", "nowhere/a.json cannot be written: "),
        ("file/frames", "file/frames/001.ascii cannot be written: "),
        ("halves.png", "is also the input file"),
    ],
)
def test_where_frames_cannot_go(place: str, said: str, tmp_path: Path, capsys: Captured) -> None:
    image = halves(tmp_path / "halves.png")
    (tmp_path / "file").touch()
    before = sorted(tmp_path.rglob("*"))
    assert main(["art", str(image), "-o", str(tmp_path / place)]) == 2
    assert said in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before
