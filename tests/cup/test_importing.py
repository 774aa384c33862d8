"""Cup files from what an organiser has."""

from __future__ import annotations

from pathlib import Path

import pytest

from botequim.core.errors import InputError
from botequim.cup.config_parser import parse
from botequim.cup.importing import ImportResult, from_participants, import_entrants
from botequim.cup.templates import cup_file_text, find_template

PARTICIPANTS = """\
# Participantes

Faça um pull request.

| Nome | Repositório |
| :--- | ----------- |
| Ana Silva, Bia Souza e Caio | https://github.com/ana/domino |
| [Davi](mailto:davi@example.org) | [código](https://github.com/davi/bot.git "o bot") |
| **Eva** <eva@example.org> | <https://example.org/eva> |
| Fábio | |
| Gil | em breve |
| | |
| Davi | `https://github.com/outro/davi` |
| A \\| B | https://example.org/ab
| | https://example.org/nobody |
| Hugo<br>Inês | git@example.org:hugo/bot.git |
| Ana de novo | https://github.com/ana/domino |

Depois da tabela | nada
"""


def left_out(found: ImportResult) -> dict[str, str]:
    return {one.what: str(one.why) for one in found.left_out}


def test_a_table_of_participants() -> None:
    found = from_participants(PARTICIPANTS)
    assert [(entry.name, entry.repository) for entry in found.entrants] == [
        ("Ana Silva, Bia Souza e Caio", "https://github.com/ana/domino"),
        ("Davi", "https://github.com/davi/bot.git"),
        ("Eva", "https://example.org/eva"),
        ("Davi 2", "https://github.com/outro/davi"),
        ("A / B", "https://example.org/ab"),
        ("Hugo Inês", "git@example.org:hugo/bot.git"),
    ]
    first, davi, *_, twin, _ab, hugo = found.entrants
    assert first.authors == ("Ana Silva", "Bia Souza", "Caio")
    assert hugo.authors == ("Hugo", "Inês")
    assert (davi.bot, twin.bot) == ("bots/davi", "bots/davi-2")
    assert left_out(found) == {
        "Fábio": "its repository is missing",
        "Gil": "its repository is missing",
        " | https://example.org/nobody": "it has no name",
        "Ana de novo": "Ana Silva, Bia Souza e Caio already has this repository",
    }


@pytest.mark.parametrize(
    ("text", "names", "authors"),
    [
        ("Bot | Autores | Link\n---|---|---\nPato | Ana & Bia | https://x.org/t", ["Pato"], ("Ana", "Bia")),
        ("| # | Equipe | URL |\n|-|-|-|\n| 1 | Ana; Bia | https://x.org/t |", ["Ana & Bia"], ("Ana", "Bia")),
        ("| ? | ! |\n|-|-|\n| Ana | https://x.org/t |", ["Ana"], ("Ana",)),
        ("|a|b|\n|-|-|\n|x|y|\n\n|Name|Repo|\n|-|-|\n|Ana|http://x.org/t|", ["Ana"], ("Ana",)),
    ],
)  # fmt: skip
def test_tables_of_many_kinds(text: str, names: list[str], authors: tuple[str, ...]) -> None:
    found = from_participants(text)
    assert [entry.name for entry in found.entrants] == names
    assert found.entrants[0].authors == authors


def test_what_is_imported_makes_a_cup_file(tmp_path: Path) -> None:
    path = tmp_path / "PARTICIPANTS.md"
    path.write_text(PARTICIPANTS, encoding="utf-8")
    found = import_entrants(path, cup=tmp_path / "cup.toml")
    cup = parse(cup_file_text(find_template("cubos"), entrants=found.entrants), tmp_path / "cup.toml")
    assert cup.entrants == found.entrants
    davi = cup.entrants[1]
    assert cup.bot_reference(davi) == davi.repository, "it is fetched from there"
    (tmp_path / "bots/davi").mkdir(parents=True)
    assert cup.bot_reference(davi) == str(tmp_path / "bots/davi"), "unless it is here"


def test_a_folder_of_bots(tmp_path: Path) -> None:
    bots = tmp_path / "bots"
    for name in ("ana", "bento", "empty", "__pycache__", ".git"):
        (bots / name).mkdir(parents=True)
    (bots / "ana" / "bot.py").touch()
    (bots / "bento" / "Makefile").touch()
    (bots / "carla.py").touch()
    (bots / "davi.zip").touch()
    (bots / "ana.mjs").touch()
    (bots / "README.md").touch()
    found = import_entrants(bots, cup=tmp_path / "cup.toml")
    assert [(entry.name, entry.bot) for entry in found.entrants] == [
        ("ana", "bots/ana"),
        ("ana 2", "bots/ana.mjs"),
        ("bento", "bots/bento"),
        ("carla", "bots/carla.py"),
        ("davi", "bots/davi.zip"),
    ]
    assert left_out(found) == {
        "README.md": "neither a folder, nor an archive, nor a program",
        "empty": "the folder is empty",
    }
    beside = import_entrants(bots, cup=bots / "cup.toml")
    assert beside.entrants[0].bot == "./ana", "by its name alone it could be a built-in player"
    away = import_entrants(bots, cup=tmp_path / "elsewhere" / "cup.toml")
    assert away.entrants[0].bot == str(bots / "ana")


def test_a_folder_of_student_archives(tmp_path: Path) -> None:
    for name in (
        "123456_654321.zip",
        "111111.tar.xz",
        "RA222222-ra333333.tgz",
        "444444_111111.zip",
        "123456_654321 (1).zip",
        "final_version.zip",
        "notes.txt",
    ):
        (tmp_path / name).touch()
    found = import_entrants(tmp_path, cup=tmp_path / "cup.toml")
    assert {entry.name: entry.students for entry in found.entrants} == {
        "111111": ("111111",),
        "123456_654321": ("123456", "654321"),
        "222222_333333": ("222222", "333333"),
    }
    assert left_out(found) == {
        "123456_654321.zip": "123456, 654321 is already in 123456_654321 (1).zip",
        "444444_111111.zip": "111111 is already in 111111.tar.xz",
        "final_version.zip": "its name does not consist of student numbers, like "
        "123456_654321.zip; rename it",
        "notes.txt": "not an archive (.zip, .tar, .tar.gz, .tgz, .tar.xz, .txz, .tar.bz2)",
    }
    assert found.entrants[0].bot == "./111111.tar.xz"


def test_nothing_to_import_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file or folder"):
        import_entrants(tmp_path / "none.md", cup=tmp_path / "cup.toml")
    with pytest.raises(InputError, match="contains no entrants: it is empty"):
        import_entrants(tmp_path, cup=tmp_path / "cup.toml")
    text = tmp_path / "text.md"
    text.write_text("no table | here\n")
    with pytest.raises(InputError, match="has no table with a column of names and one of repositories"):
        import_entrants(text, cup=tmp_path / "cup.toml")
    text.write_text("|Nome|Repo|\n|-|-|\n|Ana||\n")
    with pytest.raises(InputError, match="contains no entrants: Ana: its repository is missing"):
        import_entrants(text, cup=tmp_path / "cup.toml")
    text.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not a text in UTF-8"):
        import_entrants(text, cup=tmp_path / "cup.toml")
