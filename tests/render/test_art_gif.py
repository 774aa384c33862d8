"""GIFs of art, read back with a second library."""

from __future__ import annotations

import json
import random
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.art import verdict
from botequim.cli import main
from botequim.render.art.drawing import write_gif
from botequim.render.art.font import UNKNOWN, glyphs
from botequim.render.art.frames import Frame
from botequim.render.art.options import GifOptions, Theme
from botequim.render.art.preview import play
from tests.support.gifs import FILM, PICTURES, Gif, Pixels, as_pbm, read_gif, write_frames
from tests.support.golden import FOLDER

RPS = FOLDER / "rps-faults-and-art.jsonl"
Captured = pytest.CaptureFixture[str]

# as the competition's document prints it
HEART = """\
     ***********                  ***********
  *****************            *****************
*********************        *********************
***********************      ***********************
************************    ************************
*************************  *************************
 **************************************************
  ************************************************
    ********************************************
      ****************************************
         **********************************
           ******************************
              ************************
                ********************
                   **************
                     **********
                       ******
                         **
"""


def draw(tmp_path: Path, *frames: list[str], look: GifOptions | None = None) -> Gif:
    path = tmp_path / "drawn.gif"
    with path.open("wb") as file:
        write_gif([Frame.of(lines) for lines in frames], look or GifOptions(), file)
    return read_gif(path)


def ink(frame: Pixels, theme: Theme = Theme.PAPER) -> set[tuple[int, int]]:
    return {(x, y) for y, row in enumerate(frame) for x, pixel in enumerate(row) if pixel == theme.ink}


def test_a_folder_becomes_a_gif(tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "film.gif"
    folder = write_frames(tmp_path / "film", *FILM)
    assert main(["gif", str(folder), str(out), "--frame-length", "150", "--loop", "3"]) == 0
    said = capsys.readouterr()
    assert (said.err, "3 frames" in said.out) == ("", True)
    gif = read_gif(out)
    assert gif.size == ((14 + 2) * 8, (5 + 1) * 16)
    assert (len(gif.frames), gif.delays, gif.loop) == (3, [150] * 3, 3)
    assert {pixel for frame in gif.frames for row in frame for pixel in row} == set(Theme.PAPER.value)
    for name, frame in (("first", gif.frames[0]), ("last", gif.frames[-1])):
        assert as_pbm(frame, Theme.PAPER.ink) == (PICTURES / f"{name}.pbm").read_text(), name


def test_the_name_that_battlebots_gives_the_command_means_the_same(tmp_path: Path, capsys: Captured) -> None:
    folder = write_frames(tmp_path / "images", *FILM)
    assert main(["gif", str(folder), str(tmp_path / "output.gif")]) == 0
    assert main(["generate-gif", str(folder), str(folder / "output.gif")]) == 0
    assert (folder / "output.gif").read_bytes() == (tmp_path / "output.gif").read_bytes()
    with pytest.raises(SystemExit):
        main(["generate-gif", str(folder), "--themes"])
    assert "did you mean --theme?" in capsys.readouterr().err


def test_the_documents_heart_looks_as_it_does_there(tmp_path: Path) -> None:
    out = tmp_path / "heart.gif"
    assert main(["gif", str(write_frames(tmp_path / "heart", HEART)), str(out)]) == 0
    (frame,) = read_gif(out).frames
    lines = HEART.splitlines()
    width = max(map(len, lines))
    assert (len(frame[0]), len(frame)) == ((width + 2) * 8, (len(lines) + 1) * 16)
    seen = ink(frame)
    cells = {
        (row, column): frozenset(
            (x - 8, y - 8) for x, y in seen if (x // 8 - 1, (y - 8) // 16) == (column, row)
        )
        for row in range(len(lines))
        for column in range(width)
    }
    stars = {
        frozenset((x - column * 8, y - row * 16) for x, y in cell)
        for (row, column), cell in cells.items()
        if lines[row].ljust(width)[column] == "*"
    }
    assert len(stars) == 1  # one star, drawn alike everywhere
    assert len(stars.pop()) > 10
    assert all(
        bool(cell) == (lines[row].ljust(width)[column] == "*") for (row, column), cell in cells.items()
    )
    assert sum(map(len, cells.values())) == len(seen)  # and nothing beside them


def test_a_bots_heart_is_the_same_as_the_files(tmp_path: Path) -> None:
    padded = [line.ljust(54) for line in HEART.splitlines()]
    gif = draw(tmp_path, padded, HEART.splitlines())
    first, second = (ink(frame) for frame in gif.frames)
    assert {(x + 8, y) for x, y in first} == second  # 54 columns and 52: centred, one cell apart


def test_every_frame_comes_back_as_it_was_drawn(tmp_path: Path) -> None:
    """Only what changed is written: whatever changes, the whole must be seen."""
    rng = random.Random(7)
    signs = sorted(glyphs())
    grid = [[rng.choice(signs) for _ in range(20)] for _ in range(8)]
    frames = []
    for share in (0, 0, 1, 3, 160, 5, 0, 20, 160, 2):
        for _ in range(share):
            grid[rng.randrange(8)][rng.randrange(20)] = rng.choice(signs)
        frames.append(["".join(row) for row in grid])
    for scale in (1, 2):
        gif = draw(tmp_path, *frames, look=GifOptions(Theme.GREEN, scale))
        assert len(gif.frames) == len(frames)
        for frame, lines in zip(gif.frames, frames, strict=True):
            small = {(x // scale, y // scale) for x, y in ink(frame, Theme.GREEN)}
            assert small == {(x + 8, y + 8) for x, y in pixels(lines)}
            assert len(ink(frame, Theme.GREEN)) == len(small) * scale**2


def pixels(lines: list[str]) -> set[tuple[int, int]]:
    return {
        (column * 8 + x, row * 16 + y)
        for row, line in enumerate(lines)
        for column, sign in enumerate(line)
        for y, bits in enumerate(glyphs()[sign])
        for x in range(8)
        if bits & 128 >> x
    }


def test_frames_of_different_size_have_one_centre(tmp_path: Path) -> None:
    sizes = [(1, 1), (2, 1), (5, 2), (60, 60), (3, 7), (59, 59)]
    gif = draw(tmp_path, *(["█" * wide] * high for wide, high in sizes))
    for frame, (wide, high) in zip(gif.frames, sizes, strict=True):
        across, down = [x for x, _ in ink(frame)], [y for _, y in ink(frame)]
        assert (max(across) - min(across) + 1, max(down) - min(down) + 1) == (wide * 8, high * 16)
        assert min(across) + max(across) == gif.size[0] - 1
        assert min(down) + max(down) == gif.size[1] - 1


@pytest.mark.parametrize("theme", Theme)
def test_themes_scale_and_loops(theme: Theme, tmp_path: Path) -> None:
    folder = write_frames(tmp_path / "film", "a\n", "b\n")
    for scale, loop, found in ((1, 0, 0), (3, 1, 1), (8, 2, 2)):
        out = tmp_path / "out.gif"
        words = ["gif", str(folder), str(out), "--theme", theme.label, "--scale", str(scale)]
        assert main([*words, "--loop", str(loop)]) == 0
        gif = read_gif(out)
        assert gif.size == (24 * scale, 32 * scale)
        assert gif.loop == found
        assert {pixel for row in gif.frames[1] for pixel in row} == {theme.ground, theme.ink}


def test_blank_frames_and_equal_frames_keep_their_place(tmp_path: Path) -> None:
    gif = draw(tmp_path, ["x"], ["x"], [""], ["", ""], ["x"])
    assert len(gif.frames) == 5
    assert [bool(ink(frame)) for frame in gif.frames] == [True, True, False, False, True]
    assert gif.delays == [200] * 5


def test_what_has_no_glyph_is_a_crossed_box_and_a_warning(tmp_path: Path, capsys: Captured) -> None:
    folder = write_frames(tmp_path / "film", "fine\n", "ok\na日本日\n")
    out = tmp_path / "out.gif"
    assert main(["gif", str(folder), str(out)]) == 0
    err = capsys.readouterr().err
    assert f'{folder}/001.ascii:2: there is no glyph for "日" (U+65E5)' in err
    assert err.count("warning: ") == 2
    plain = write_frames(tmp_path / "plain", "fine\n", f"ok\na{UNKNOWN * 3}\n")
    assert main(["gif", str(plain), str(tmp_path / "plain.gif")]) == 0
    assert capsys.readouterr().err == ""
    assert read_gif(out).frames == read_gif(tmp_path / "plain.gif").frames


# --- records -----------------------------------------------------------------------------------------


def test_each_player_of_a_record_has_a_gif(tmp_path: Path, capsys: Captured) -> None:
    record = [json.loads(line) for line in RPS.read_text().splitlines()]
    shown = [
        [
            remark["art"]
            for turn in record[1:-1]
            for move in turn["moves"]
            if move["by"] == seat
            for remark in move.get("remarks", [])
            if "art" in remark
        ]
        for seat in (0, 1)
    ]
    assert main(["gif", str(RPS), str(tmp_path / "gifs")]) == 0
    assert sorted(path.name for path in (tmp_path / "gifs").iterdir()) == ["1-p0.gif", "2-p1.gif"]
    for seat, name in enumerate(("1-p0.gif", "2-p1.gif")):
        gif = read_gif(tmp_path / "gifs" / name)
        assert len(gif.frames) == len(shown[seat])
        assert ink(gif.frames[-1]) == {(x + 8, y + 8) for x, y in pixels(shown[seat][-1])}
    assert main(["gif", str(RPS), str(tmp_path / "mine.gif"), "--seat", "2"]) == 0
    assert read_gif(tmp_path / "mine.gif").frames == read_gif(tmp_path / "gifs" / "2-p1.gif").frames


def test_a_bots_strange_signs_do_not_cost_it_its_gif(tmp_path: Path, capsys: Captured) -> None:
    lines = RPS.read_text().splitlines()
    at = next(at for at, line in enumerate(lines) if '"art":["' in line)
    turn = json.loads(lines[at])
    turn["moves"][1]["remarks"][0]["art"] = ["\x1b[31m", "\ud800"]
    turn["moves"][1]["remarks"][0]["art"] += ["fine"]
    lines[at] = json.dumps(turn)
    record = tmp_path / "odd.jsonl"
    record.write_text("\n".join(lines))
    assert main(["gif", str(record), str(tmp_path / "2.gif"), "--seat", "2", "--preview"]) == 0
    said = capsys.readouterr()
    assert f"{record}:{at + 1}: there is no glyph for" in said.err
    assert "(U+001B)" in said.err
    assert "\x1b" not in said.out + said.err
    (tmp_path / "bad").write_text(
        "\n".join([*lines[:at], lines[at].replace("fine", "x" * 61), *lines[at + 1 :]])
    )
    assert main(["gif", str(tmp_path / "bad"), str(tmp_path / "gifs")]) == 2
    assert "line 3 of the art has 61 characters; at most 60" in capsys.readouterr().err


def test_many_games_in_one_file(tmp_path: Path) -> None:
    record = tmp_path / "two.jsonl"
    record.write_text(RPS.read_text() * 2)
    assert main(["gif", str(record), str(tmp_path / "gifs"), "--seat", "1"]) == 0
    assert sorted(path.name for path in (tmp_path / "gifs").iterdir()) == ["0001-1-p0.gif", "0002-1-p0.gif"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{rps}", "{tmp}/x.gif"], "is one file, but there are 2 GIFs"),
        (["{rps}", "{tmp}/x.gif", "--seat", "3"], "there is no seat 3; seats are 1 to 2"),
        (["{rps}", "{tmp}/x.gif", "--seat", "0"], "there is no seat 0; seats are 1 to 2"),
        (["{rps}", "{tmp}/x.png", "--seat", "1"], '"x.png" must be a .gif file or a folder'),
        (["{rps}", "{rps}"], "is also the input file"),
        (["{tmp}", "{tmp}/x.png"], '"x.png" must end in .gif'),
        (["{tmp}", "{tmp}/x"], '"x" must end in .gif'),
        (["{tmp}", "{tmp}/.gif"], "is only a file extension"),
        (["{plain}", "{tmp}/x"], "no art was shown"),
        (["{tmp}/nowhere", "{tmp}/x.gif"], "nowhere cannot be read: there is no such file or folder"),
        (["{tmp}", "{tmp}/x.gif", "--seat", "0"], "--seat applies only to records"),
        (["{tmp}"], "give an output file, or use --preview"),
        (["{tmp}", "{tmp}/x.gif", "--scale", "9"], "the scale is 9; it must be from 1 to 8"),
        (["{tmp}", "{tmp}/x.gif", "--frame-length", "10"], "use 20 to 60000 ms"),
        (["{tmp}", "{tmp}/x.gif", "--frame-length", "125"], "use 120 or 130"),
        (["{tmp}", "{tmp}/x.gif", "--loop", "-1"], "or 0 to repeat forever"),
    ],
)
def test_what_cannot_be_done_is_said(
    words: list[str], message: str, tmp_path: Path, capsys: Captured
) -> None:
    places = {"rps": RPS, "plain": FOLDER / "rps-plain.jsonl", "tmp": tmp_path}
    assert main(["gif", *(word.format_map(places) for word in words)]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["nowhere/x.gif", "file/x.gif", "folder.gif", f"{'x' * 300}.gif"])
def test_what_cannot_be_written_is_said_with_its_place(place: str, tmp_path: Path, capsys: Captured) -> None:
    folder = write_frames(tmp_path / "film", "a\n")
    (tmp_path / "file").touch()
    (tmp_path / "folder.gif").mkdir()
    before = sorted(tmp_path.rglob("*"))
    assert main(["gif", str(folder), str(tmp_path / place)]) == 2
    assert f"{tmp_path / place} cannot be written: " in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_terminal_that_cannot_go_back_is_shown_every_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    file = StringIO()
    frames = [Frame.of(["first"]), Frame.of(["second"])]
    play(frames, GifOptions(frame_length=20, loop=1), Console(file=file, force_terminal=True))
    assert "first" in file.getvalue()
    assert "second" in file.getvalue()
    assert "\x1b" not in file.getvalue()


def test_the_benchmark_says_in_one_line_what_is_larger() -> None:
    assert "1615 kB" in verdict(False, [("noise", 1_615_000)])
    assert verdict(True, []) == "claims do not hold"


def test_without_pillow_the_remedy_is_named(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pillow", "drawing", "converting"):
        monkeypatch.delitem(sys.modules, f"botequim.render.art.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "PIL", None)
    folder = write_frames(tmp_path / "film", "a\n")
    assert main(["gif", str(folder), str(tmp_path / "x.gif")]) == 2
    assert "[pictures]'" in capsys.readouterr().err
    assert main(["gif", str(folder), "--preview"]) == 0
    assert not (tmp_path / "x.gif").exists()
