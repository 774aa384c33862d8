"""Pictures in pixels, and the command that makes files of them."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from botequim import registry
from botequim.cli import main
from botequim.picture import OPEN, Look, Played, Shape, Sight, Theme, picture
from botequim.picture.raster import png
from tests.gifs import read_gif
from tests.golden import FOLDER as RECORDS
from tests.picture_scenes import at, played
from tests.tables import built_in, found, play_game

RECORD = RECORDS / "cubos-domino.jsonl"


def test_a_png_is_as_wide_as_asked() -> None:
    image = Image.open(BytesIO(png(picture(at("uno-two", 9, 0), Look(theme=Theme.DARK)), 500)))
    assert image.format == "PNG"
    assert image.size[0] == 500


def test_light_and_dark_and_what_is_on_the_table() -> None:
    scene = at("cubos-domino", -1, OPEN)
    for theme, paper in ((Theme.LIGHT, (0xF7, 0xF2, 0xE8)), (Theme.DARK, (0x14, 0x17, 0x1B))):
        image = Image.open(BytesIO(png(picture(scene, Look(theme=theme))))).convert("RGB")
        assert image.getpixel((2, 2)) == paper


def run(*words: str) -> int:
    return main(["picture", *words])


def test_the_command_draws_svg_and_png(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    svg = tmp_path / "a.svg"
    assert run(str(RECORD), "-o", str(svg), "--move", "9", "--hands", "open", "--theme", "dark") == 0
    expected = picture(played("cubos-domino").scene(9, OPEN), Look(theme=Theme.DARK))
    assert svg.read_text(encoding="utf-8") == expected
    assert run(str(RECORD), "-o", str(tmp_path / "a.png"), "--width", "400", "--shape", "tall") == 0
    with Image.open(tmp_path / "a.png") as image:
        assert image.size[0] == 400


@pytest.mark.parametrize("name", ["cubos-forfeit", "havana-domino", "fives-forfeit", "uno-two", "rps-plain"])
def test_a_whole_game_becomes_a_gif(name: str, tmp_path: Path) -> None:
    record, file = RECORDS / f"{name}.jsonl", tmp_path / "game.gif"
    assert run(str(record), "-o", str(file), "--width", "240", "--frame-length", "300") == 0
    turns = len(played(name).steps)
    gif = read_gif(file)
    assert gif.loop == 0
    assert gif.size[0] == 240
    assert len(gif.frames) == turns
    assert sum(gif.delays) == 300 * turns + 2500
    assert gif.frames[0] != gif.frames[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "a.svg", "--move", "0"], "1 to 28"),
        (["-o", "a.svg", "--move", "29"], "1 to 28"),
        (["-o", "a.svg", "--move", "-3"], "1 to 28"),
        (["-o", "a.svg", "--move", "x"], "1 to 28"),
        (["-o", "a.svg", "--move", "9" * 5000], "1 to 28"),
        (["-o", "a.svg", "--hands", "5"], "1 to 4"),
        (["-o", "a.svg", "--hands", "all"], "1 to 4"),
        (["-o", "a.svg", "--game", "2"], "1 to 1"),
        (["-o", "a.png", "--width", "5"], "100 to 4000"),
        (["-o", "a.gif", "--frame-length", "0"], "20 to 60000"),
        (["-o", "a.jpg"], ".svg, .png, .gif"),
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
        "print(main(['picture', record, '-o', 'a.svg']), main(['picture', record, '-o', 'a.png']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["0", "2"], done.stderr
    assert "botequim[pictures]" in done.stderr


def test_every_position_of_every_option_can_be_drawn() -> None:
    tries: list[tuple[str, dict[str, Any]]] = [
        ("cubos", {"blocked": "points"}),
        ("havana", {"strict": "yes"}),
        ("fives", {"target": 60}),
        ("uno", {"players": 7, "decks": 2}),
        ("rps", {"rounds": 120}),
    ]
    sights: list[Sight] = [None, OPEN, 1]
    for name, options in tries:
        rules = registry.game(name)
        game = Played(found(play_game(rules, built_in(rules, ("random",)), seed="3", options=options)))
        for number in range(1, len(game.steps) + 1):
            scene = game.scene(number, sights[number % 3])
            ElementTree.fromstring(picture(scene, Look(list(Shape)[number % 2])))
