"""Pictures in pixels, and the command that makes files of them."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from botequim import registry
from botequim.cli import main
from botequim.records.replay import Replay
from botequim.render.drawing import RenderOptions, render_svg
from botequim.render.layout import Shape
from botequim.render.raster import png
from botequim.render.scene import OPEN, Perspective, scene_at, scene_of
from botequim.render.theme import Theme
from tests.support.gifs import read_gif
from tests.support.golden import FOLDER as RECORDS
from tests.support.picture_scenes import at, golden_replay
from tests.support.tables import built_in, found, play_game

RECORD = RECORDS / "cubos-domino.jsonl"


def test_a_png_is_as_wide_as_asked() -> None:
    image = Image.open(BytesIO(png(render_svg(at("uno-two", 9, 0), RenderOptions(theme=Theme.DARK)), 500)))
    assert image.format == "PNG"
    assert image.size[0] == 500


def test_light_and_dark_and_what_is_on_the_table() -> None:
    scene = at("cubos-domino", -1, OPEN)
    for theme, paper in ((Theme.LIGHT, (0xF7, 0xF2, 0xE8)), (Theme.DARK, (0x14, 0x17, 0x1B))):
        image = Image.open(BytesIO(png(render_svg(scene, RenderOptions(theme=theme))))).convert("RGB")
        assert image.getpixel((2, 2)) == paper


def run(*words: str) -> int:
    return main(["picture", *words])


def test_the_command_draws_svg_and_png(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    svg = tmp_path / "a.svg"
    assert run(str(RECORD), "-o", str(svg), "--move", "9", "--hands", "open", "--theme", "dark") == 0
    assert f"{svg}: move 9 of 28, " in capsys.readouterr().out
    expected = render_svg(scene_at(golden_replay("cubos-domino"), 9, OPEN), RenderOptions(theme=Theme.DARK))
    assert svg.read_text(encoding="utf-8") == expected
    assert run(str(RECORD), "-o", str(tmp_path / "a.png"), "--width", "400", "--shape", "tall") == 0
    with Image.open(tmp_path / "a.png") as image:
        assert image.size[0] == 400


@pytest.mark.parametrize(
    "name",
    [
        "cubos-forfeit",
        "rps-plain",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("havana-domino", "fives-forfeit", "uno-two")
        ),
    ],
)
def test_a_whole_game_becomes_a_gif(name: str, tmp_path: Path) -> None:
    record, file = RECORDS / f"{name}.jsonl", tmp_path / "game.gif"
    assert run(str(record), "-o", str(file), "--width", "240", "--frame-length", "300") == 0
    turns = len(golden_replay(name))
    gif = read_gif(file)
    assert gif.loop == 0
    assert gif.size[0] == 240
    assert len(gif.frames) == turns
    assert sum(gif.delays) == 300 * turns + 2500
    assert gif.frames[0] != gif.frames[-1]


def average(pixels: list[list[tuple[int, int, int]]]) -> list[float]:
    """The picture made small, which its few colours change little."""
    height, width = len(pixels), len(pixels[0])
    image = Image.new("RGB", (width, height))
    image.putdata([pixel for row in pixels for pixel in row])
    return [float(value) for value in image.resize((32, 20), Image.Resampling.BOX).tobytes()]


@pytest.mark.parametrize(
    ("words", "perspective", "look"),
    [
        ([], None, RenderOptions(theme=Theme.LIGHT)),
        pytest.param(
            ["--hands", "open", "--theme", "dark"],
            OPEN,
            RenderOptions(theme=Theme.DARK),
            marks=pytest.mark.slow,
        ),
        (["--hands", "2", "--shape", "tall"], 1, RenderOptions(Shape.TALL, Theme.LIGHT)),
    ],
)
def test_each_frame_of_a_gif_is_the_picture_of_its_move(
    words: list[str], perspective: Perspective, look: RenderOptions, tmp_path: Path
) -> None:
    file = tmp_path / "game.gif"
    game = golden_replay("cubos-forfeit")
    assert run(str(RECORDS / "cubos-forfeit.jsonl"), "-o", str(file), "--width", "400", *words) == 0
    frames = [average(frame) for frame in read_gif(file).frames]
    assert len(frames) == len(game)
    for perspectives in (None, OPEN, 0, 1):
        for number, frame in enumerate(frames, start=1):
            if perspectives != perspective and number % 5 != 1:
                continue
            drawn = Image.open(
                BytesIO(png(render_svg(scene_at(game, number, perspectives), look), 400))
            ).convert("RGB")
            small = drawn.resize((32, 20), Image.Resampling.BOX).tobytes()
            most = max(abs(one - other) for one, other in zip(frame, small, strict=True))
            assert (most < 12) == (perspectives == perspective), (perspectives, number, most)
            if perspectives == perspective and number < len(frames):
                assert frame != frames[number], "the next one is another"
    changes = [sum(map(abs, map(float.__sub__, frame, frames[0]))) for frame in frames]
    assert changes[0] == 0 < changes[1] < changes[-1]


def test_a_gif_is_not_larger_than_it_need_be(tmp_path: Path) -> None:
    file = tmp_path / "game.gif"
    assert run(str(RECORDS / "cubos-domino.jsonl"), "-o", str(file)) == 0
    assert file.stat().st_size < 10_000 * len(golden_replay("cubos-domino"))


def test_who_waits_is_told_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    @contextmanager
    def counting() -> Iterator[Callable[[str], None]]:
        yield told.append

    monkeypatch.setattr("botequim.cli.progress.counting", counting)
    assert run(str(RECORD), "-o", str(tmp_path / "a.gif"), "--width", "100") == 0
    assert told == [f"move {number} of 28" for number in range(1, 29)]


@pytest.mark.parametrize("command", ["picture", "replay"])
def test_a_record_is_never_written_over(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("game.jsonl", "game.svg" if command == "picture" else "game.html"):
        record = tmp_path / name
        record.write_bytes(RECORD.read_bytes())
        assert main([command, str(record), "-o", str(record)]) == 2
        assert record.read_bytes() == RECORD.read_bytes()
    assert "is also the input file" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["game", "game.jsonl", "game.svg", "game.gif", ".html"])
def test_a_replay_is_a_page(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(RECORD), "-o", str(tmp_path / name)]) == 2
    assert ".html" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("portrait", ["http://example.org/a.png", "data:image/png;base64,AAAA", 7])
def test_a_bad_portrait_costs_nobody_the_picture(
    portrait: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, *rest = RECORD.read_text(encoding="utf-8").splitlines()
    content = json.loads(header)
    content["seats"][1]["portrait"] = portrait
    record = tmp_path / "faces.jsonl"
    record.write_text("\n".join([json.dumps(content), *rest]), encoding="utf-8")
    assert run(str(record), "-o", str(tmp_path / "a.svg")) == 0
    assert f"warning: {record}: the portrait of seat 2 is not an image" in capsys.readouterr().err
    assert run(str(RECORD), "-o", str(tmp_path / "b.svg")) == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize("name", ["x" * 10_000, "Z" + "\u0301" * 500])
def test_no_name_defaces_a_picture(name: str) -> None:
    game = golden_replay("cubos-domino")
    seats = [{**seat, "name": name} for seat in game.seats]
    for step in (game.step(2), game.step(len(game))):
        svg = render_svg(scene_of(game.game, game.options, seats, step))
        assert "x" * 81 not in svg
        assert "\u0301" * 3 not in svg
    assert scene_of(game.game, game.options, game.seats, game.step(1)).places[0].name == "p0"


@pytest.mark.parametrize(
    "name", ["Zé do Dominó", "João Victor", "e\u0301", "Nguyễn", "หนึ่ง", "👩\u200d🚀", "x" * 40]
)
def test_ordinary_names_stay(name: str) -> None:
    game = golden_replay("cubos-domino")
    seats = [{**seat, "name": name} for seat in game.seats]
    place = scene_of(game.game, game.options, seats, game.step(1)).places[0]
    assert place.name == unicodedata.normalize("NFC", name).replace("\u200d", "·")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "a.svg", "--move", "0"], "1 to 28"),
        (["-o", "a.svg", "--move", "29"], "1 to 28"),
        (["-o", "a.svg", "--move", "-3"], "1 to 28"),
        (["-o", "a.svg", "--move", "x"], "1 to 28"),
        (["-o", "a.svg", "--move", "9" * 5000], "1 to 28"),
        (["-o", "a.svg", "--hands", "5"], "1 to 4"),
        (["-o", "a.svg", "--hands", "all"], "open, none, or a seat from 1 to 4"),
        (["-o", "a.svg", "--hands", "OPEN"], "open, none, or a seat from 1 to 4"),
        (["-o", "a.svg", "--hands", "0"], "open, none, or a seat from 1 to 4"),
        (["-o", "a.svg", "--game", "2"], "1 to 1"),
        (["-o", "a.png", "--width", "5"], "100 to 4000"),
        (["-o", "a.gif", "--frame-length", "0"], "20 to 60000"),
        (["-o", "a.png", "--frame-length", "300"], "--frame-length applies only to GIF"),
        (["-o", "a.jpg"], ".svg, .png, .gif"),
        (["-o", ".svg"], "write a name before it, such as game.svg"),
        (["-o", "a.svg", "--width", "500"], "any width"),
        (["-o", "a.gif", "--move", "3"], "whole game"),
        (["-o", "a.png", "--theme", "auto"], "light or dark"),
        (["-o", "nowhere/a.svg"], "cannot be written"),
    ],
)
def test_what_is_wrong_is_said_with_its_range(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [f"--move={words[3]}" if word == "--move" else word for word in words]
    words = [word for number, word in enumerate(words) if not words[number - 1].startswith("--move=")]
    assert run(str(RECORD), *words) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_record_that_departs_from_the_rules_is_not_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = RECORD.read_text(encoding="utf-8").replace('"0-2 right"', '"0-2 left"')
    (tmp_path / "false.jsonl").write_text(text, encoding="utf-8")
    assert run(str(tmp_path / "false.jsonl"), "-o", str(tmp_path / "a.svg")) == 2
    assert "turn" in capsys.readouterr().err


def test_without_the_extra_an_svg_is_drawn_and_a_png_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['resvg_py'] = None; sys.modules['PIL'] = None\n"
        "from botequim.cli import main\n"
        f"record = {str(RECORD)!r}\n"
        "codes = [main(['picture', record, '-o', name]) for name in ('a.svg', 'a.png')]\n"
        "print(codes, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1] == "[0, 2]", done.stderr
    assert "[pictures]" in done.stderr


def test_every_position_of_every_option_can_be_drawn() -> None:
    tries: list[tuple[str, dict[str, Any]]] = [
        ("cubos", {"blocked": "points"}),
        ("havana", {"strict": "yes"}),
        ("fives", {"target": 60}),
        ("uno", {"players": 7, "decks": 2}),
        ("rps", {"rounds": 120}),
    ]
    perspectives: list[Perspective] = [None, OPEN, 1]
    for name, options in tries:
        rules = registry.game(name)
        game = Replay.load(found(play_game(rules, built_in(rules, ("random",)), seed="3", options=options)))
        for number in range(1, len(game) + 1):
            scene = scene_at(game, number, perspectives[number % 3])
            ElementTree.fromstring(render_svg(scene, RenderOptions(list(Shape)[number % 2])))
