"""What entrants call themselves and look like: shown everywhere, and never taken for who they are."""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
import zlib
from pathlib import Path

import pytest
from PIL import Image

from botequim.bots.introduction import read_inside
from botequim.cli import main
from botequim.core.titles import LONGEST_TITLE, LONGEST_WITH_KEY, clean_title, unique_titles
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.cup.withdrawals import without_withdrawn
from botequim.render.portraits import portrait_of, shrink, small_portrait_of
from botequim.render.scene import shown_names
from botequim.web.live.public import PublicSnapshot
from tests.support.cup_commands import Captured, cup, run, standings
from tests.support.pace import until
from tests.support.server_thread import serving
from tests.support.students import TWO_GREEDY, submit

# --- titles ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("Os Tais", "Os Tais"),
        ("  Os\n\tTais  ", "Os Tais"),
        ("Os | Tais", "Os / Tais"),
        ("a\u202eb\u2028c\u2029d\u200be\x1b[31mf\x00", "ab c de[31mf"),
        ("\u3164\u2800\u00a0", ""),
        ("", ""),
        ("♥", "♥"),
        (7, "7"),
        ("e" + "\u0301" * 50, "é" + "\u0301" * 2),
        ("x" * 1000, "x" * (LONGEST_TITLE - 1) + "…"),
        ("<script>", "<script>"),
    ],
)
def test_a_title_is_one_line_of_visible_signs(given: object, title: str) -> None:
    assert clean_title(given) == title


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ({"a": "Os Tais", "b": ""}, {"a": "Os Tais", "b": "b"}),
        ({"a": "Os Tais", "b": "OS TAIS"}, {"a": "Os Tais (a)", "b": "OS TAIS (b)"}),
        ({"a": "b", "b": "Outros"}, {"a": "b (a)", "b": "Outros"}),
        ({"a": "a", "b": "b"}, {"a": "a", "b": "b"}),
        ({"a": "x", "b": "x", "c": "x (a)"}, {"a": "a", "b": "x (b)", "c": "c"}),
        ({"a": "ﬁm", "b": "fim"}, {"a": "ﬁm (a)", "b": "fim (b)"}),
    ],
)
def test_no_two_titles_are_alike_and_none_is_anothers_key(
    wanted: dict[str, str], shown: dict[str, str]
) -> None:
    assert unique_titles(wanted) == shown


def test_a_title_beside_its_key_stays_short() -> None:
    keys = ["k" * 40, "j" * 40]
    titles = unique_titles(dict.fromkeys(keys, "t" * LONGEST_TITLE))
    assert all(len(title) <= LONGEST_WITH_KEY and f"({key})" in title for key, title in titles.items())


def test_boards_show_pairs_by_what_they_call_themselves() -> None:
    same = [{"name": "a", "pair": "Nós"}, {"name": "b", "pair": "nós"}]
    assert shown_names(same) == ["Nós (a)", "nós (b)"]
    assert shown_names([{"name": "a", "pair": "Nós"}, {"name": "b"}]) == ["Nós", "b"]
    assert shown_names([{"name": "a", "pair": "Nós", "title": "Eles"}, {"name": "b"}]) == ["Eles", "b"]


# --- portraits ---------------------------------------------------------------------------------------


def picture(kind: str = "PNG", size: tuple[int, int] = (600, 300)) -> bytes:
    made = io.BytesIO()
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    Image.new("RGB", size, "red").save(made, kind, exif=exif)
    return made.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_picture_becomes_a_small_one_without_what_the_camera_wrote(kind: str) -> None:
    made = portrait_of(picture(kind))
    assert made is not None
    assert b"taken at home" not in made
    with Image.open(io.BytesIO(made)) as image:
        assert (image.format, image.size) == ("PNG", (256, 128))


def test_a_portrait_for_pictures_of_games_is_smaller_and_never_the_file_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = picture("JPEG")
    made = small_portrait_of(original)
    assert made is not None
    with Image.open(io.BytesIO(made)) as image:
        assert (image.format, image.size) == ("PNG", (96, 48))
    monkeypatch.delitem(sys.modules, "botequim.render.art.pillow", raising=False)
    monkeypatch.setitem(sys.modules, "PIL", None)  # as if Pillow were not installed
    assert shrink(original, small=True) == b""


@pytest.mark.parametrize(
    "content",
    [b"", b"GIF8", picture()[:200], b"\x89PNG\r\n\x1a\n" + bytes(500), picture("BMP"), b"<svg/>"],
    ids=["nothing", "a beginning", "half", "zeros", "BMP", "SVG"],
)
def test_what_is_no_picture_becomes_none(content: bytes) -> None:
    assert portrait_of(content) is None


def test_a_picture_of_too_many_pixels_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botequim.render.portraits.MOST_PIXELS", 600 * 300 - 1)
    with pytest.raises(ValueError, match="too many pixels"):
        shrink(picture(), small=False)


def test_a_small_file_of_very_many_pixels_is_no_portrait() -> None:
    header = b"IHDR" + (60_000).to_bytes(4, "big") * 2 + b"\x08\x02\x00\x00\x00"
    chunk = (13).to_bytes(4, "big") + header + zlib.crc32(header).to_bytes(4, "big")
    start = picture()[:8]
    assert portrait_of(start + chunk + picture()[33:]) is None


def test_only_a_regular_file_inside_the_tree_is_read(tmp_path: Path) -> None:
    root = tmp_path / "bot"
    (root / "img").mkdir(parents=True)
    (root / "img" / "a.png").write_bytes(b"inside")
    (root / "img" / "large.png").write_bytes(bytes(101))
    (tmp_path / "secret").write_bytes(b"outside")
    (root / "link.png").symlink_to(tmp_path / "secret")
    (root / "inner.png").symlink_to("img/a.png")
    (root / "folder").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(root / "fifo.png")
    assert read_inside(root, ("img", "a.png"), 100) == b"inside"
    for steps in (
        ("link.png",), ("inner.png",), ("folder", "secret"), ("..", "secret", "x"), ("fifo.png",),
        ("img",), ("img", "large.png"), ("img", "none.png"), ("img", "a.png", "x"), ("x" * 5000,), ("a\0b",),
    ):  # fmt: skip
        assert read_inside(root, steps, 100) is None, steps


# --- a cup -------------------------------------------------------------------------------------------

STAGES = '[[stages]]\nname = "league"\nformat = "confrontos"\ngames = 1\n'


def archive(path: Path, source: str, **files: bytes) -> str:
    """A pair as students hand it in: the whole project, named by their numbers."""
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("projeto/dominoes/student_players.py", source)
        for name, content in files.items():
            made.writestr(f"projeto/{name.replace('__', '/')}.png", content)
    return str(path)


def source(pair: str, image: str, partners: str = "img/none.jpg") -> str:
    return f"""
from basic_players import GreedyPlayer

def pair_name():
    return {pair!r}

def create_pair():
    return GreedyPlayer(1, "Ana", {image!r}), GreedyPlayer(2, "Rui", {partners!r})
"""


def size(path: Path | None) -> tuple[int, int]:
    assert path is not None
    with Image.open(path) as image:
        return image.size


def test_a_cup_shows_pairs_by_their_own_names_and_pictures(tmp_path: Path, capsys: Captured) -> None:
    first = archive(
        tmp_path / "111111_222222.zip",
        source("Nós | <b>", "../img/a.png", "..\\img\\b.png"),
        img__a=picture(),
        img__b=picture("JPEG", (100, 200)),
    )
    second = archive(tmp_path / "333333_444444.zip", source("Nós / <b>", "/etc/passwd"))
    third = str(submit(tmp_path / "third", source("Ofensivos", "img/none.jpg")))
    entrants = {"111111_222222": first, "333333_444444": second, "third": third, "Mixed": "greedy+dummy"}
    path = cup(tmp_path / "c.toml", entrants, game="havana", stages=STAGES)
    text = path.read_text().replace(f'bot = "{third}"\n', f'bot = "{third}"\ntitle = "Grupo 3"\n')
    path.write_text(text + 'students = ["9"]\n')
    code, out, _ = run(capsys, "run", str(path))
    assert code == 0
    titles = {
        "111111_222222": "Nós / <b> (111111_222222)",
        "333333_444444": "Nós / <b> (333333_444444)",
        "third": "Grupo 3",
        "Mixed": "Mixed",
    }
    for title in titles.values():
        assert title in out
    status = standings(path, capsys)
    assert status["titles"] == titles
    assert {row["entrant"] for row in status["stages"][0]["standings"]} == set(entrants)

    with CupPaths.of(path).storage.open_results() as store:
        shown = without_withdrawn(read(path), store)
    portraits = {entry.name: shown.portrait(entry) for entry in shown.entrants}
    assert [name for name, one in portraits.items() if one is not None] == ["111111_222222"]
    entry = shown.entry("111111_222222")
    assert size(shown.portrait(entry)) == size(shown.portrait(entry, 0)) == (256, 128)
    assert size(shown.portrait(entry, 1)) == (100, 200)
    public = PublicSnapshot("c", shown)
    address = "/cups/c/entrants/111111_222222/portrait"
    addresses = [public.portrait_address(entry.name, member) for member in (None, 0, 1)]
    assert addresses == [address, address, f"{address}?member=1"]
    assert public.portrait_address("third", 1) is None

    with serving(path) as served:
        until(lambda: served.json("/api/cups/c")["podium"])
        for member, pixels in ((0, (256, 128)), (1, (100, 200))):
            answer = served.get(f"{address}?member={member}")
            assert answer.headers["Content-Type"] == "image/png"
            with Image.open(io.BytesIO(answer.content)) as image:
                assert image.size == pixels
        assert served.get("/cups/c/entrants/333333_444444/portrait").status_code == 404
        said = served.json("/api/cups/c/entrants")
        assert {one["name"]: one["title"] for one in said} == titles
        for number in range(1, 1 + len(served.json("/api/cups/c/series")["items"])):
            drawn = served.get(f"/cups/c/games/{number}/1/3.svg").text
            assert "Ofensivos" not in drawn
            assert any(title.partition(" (")[0].partition(" /")[0] in drawn for title in titles.values())
        page = served.get("/cups/c").text
        assert "Nós / &lt;b&gt; (333333_444444)" in page
        assert "/cups/c/entrants/333333_444444" in page
        assert "Ofensivos" not in page

    bundle = tmp_path / "b.zip"
    words = ("report", str(path), "--to", str(tmp_path / "out"), "--bundle", str(bundle))
    assert run(capsys, *words)[0] == 0
    page = next((tmp_path / "out").rglob("index.html")).read_text()
    assert "Nós / &lt;b&gt; (333333_444444)" in page
    assert "Ofensivos" not in page
    report = json.loads(next((tmp_path / "out").rglob("report.json")).read_text())
    assert {entry["name"]: entry["title"] for entry in report["entrants"]} == titles
    grades = next(tmp_path.rglob("grades.csv")).read_text().splitlines()
    assert grades[0].endswith(",name")
    capsys.readouterr()
    assert main(["verify", str(bundle), "--json"]) == 0
    verified = json.loads(capsys.readouterr().out)["overall"]
    assert {row["entrant"]: row["title"] for row in verified} == titles
    assert main(["verify", str(bundle)]) == 0
    podium = [line.split(". ", 1)[1] for line in capsys.readouterr().out.splitlines()[-4:-1]]
    names = {**titles, "third": "Grupo 3 (third)"}
    assert podium == [names[row["entrant"]] for row in verified[:3]], "with the name in the cup file"


def test_the_check_of_a_cup_shows_titles_beside_the_names_of_the_cup_file(
    tmp_path: Path, capsys: Captured
) -> None:
    pair = str(submit(tmp_path / "pair", source("Ofensivos", "img/none.jpg")))
    entrants = {"111111_222222": pair, "third": "greedy", "none": "/dev/null"}
    path = cup(tmp_path / "c.toml", entrants, game="havana", stages=STAGES)
    text = path.read_text()
    for bot, title in (("greedy", "Grupo 3"), ("/dev/null", "Nada")):
        text = text.replace(f'bot = "{bot}"\n', f'bot = "{bot}"\ntitle = "{title}"\n')
    path.write_text(text)
    code, out, _ = run(capsys, "check", str(path))
    assert code == 1
    shown = [line[2:].split("  ")[0] for line in out.splitlines() if line.startswith(("✔", "✘"))]
    assert shown == ["Ofensivos (111111_222222)", "Grupo 3 (third)", "Nada (none)"]
    assert "Cannot play: Nada (none)." in out
    code, out, _ = run(capsys, "check", str(path), "--json")
    assert [one["title"] for one in json.loads(out)["entrants"]] == ["Ofensivos", "Grupo 3", "Nada"]


def test_a_match_shows_pairs_by_their_own_names(tmp_path: Path, capsys: Captured) -> None:
    folder = str(submit(tmp_path / "123456_654321", TWO_GREEDY))
    records = tmp_path / "records"
    words = ["match", "havana", folder, "dummy", "--games", "2", "--records", str(records)]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "│ Os Gananciosos │" in out
    assert "played 1 game and was then restarted" in out
    header = json.loads(next(records.glob("*.jsonl")).read_text().splitlines()[0])
    assert {seat["name"] for seat in header["seats"]} == {"123456_654321", "dummy"}
