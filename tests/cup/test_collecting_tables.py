"""Bots are collected from tables and folders; names, and mistakes that are explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from botequim.cup.collecting.class_list import read_class_list
from botequim.cup.collecting.files import lock_submissions
from botequim.cup.config_parser import read
from botequim.cup.people import people_by_entrant, read_people
from tests.support.cup_commands import Captured, run
from tests.support.downloads import (
    CLASS,
    DEADLINE,
    GROUP_LIST,
    Files,
    download,
    import_json,
    rps_bot,
    states,
    tar_file,
    zip_file,
)

# --- tables and folders ----------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1"])
@pytest.mark.parametrize("separator", [";", "\t", ","])
def test_a_table_of_a_form(tmp_path: Path, capsys: Captured, encoding: str, separator: str) -> None:
    rows = [
        [
            "Carimbo de data/hora",
            "Nome da dupla",
            "Aluno 1",
            "RA 1",
            "Aluno 2",
            "RA 2",
            "Link do repositório",
        ],
        ["18/11/2025 10:00:00", "Os Três", "Ana Conceição", "1001", "Bia", "1002", "https://example.org/a"],
        ["18/11/2025 11:00:00", "Patos", "Caio", "1003", "", "", "em breve"],
        ["19/11/2025 09:00:00", "Gansos", "Davi", "1004", "", "", "https://example.org/d.git"],
    ]
    path = tmp_path / "respostas.csv"
    path.write_bytes("\r\n".join(separator.join(row) for row in rows).encode(encoding))
    cup = tmp_path / "rinha.toml"
    result = import_json(capsys, path, cup, "--game", "rps", *DEADLINE)
    assert states(result) == {"Os Três": "new", "Gansos": "new late"}
    assert result["left_out"] == [
        {"what": "Patos", "why": "its repository is missing", "where": "respostas.csv:3"}
    ]
    people = people_by_entrant(read_people(cup))["Os Três"]
    assert [(one.name, one.id) for one in people] == [("Ana Conceição", "1001"), ("Bia", "1002")]
    assert "Conceição" not in cup.read_text(encoding="utf-8"), "the cup file is published"


def test_a_repository_that_moves(tmp_path: Path, capsys: Captured) -> None:
    path, cup = tmp_path / "bots.csv", tmp_path / "rinha.toml"
    path.write_text("bot,repository\nPato,https://example.org/a\nGanso,https://example.org/b\n")
    import_json(capsys, path, cup, "--game", "rps")
    path.write_text("bot,repository\nPato,https://example.org/a\nGanso,https://example.org/c\n")
    assert states(import_json(capsys, path, cup)) == {"Pato": "unchanged", "Ganso": "changed"}
    assert {entry.name: entry.repository for entry in read(cup).entrants} == {
        "Pato": "https://example.org/a",
        "Ganso": "https://example.org/c",
    }


def test_a_table_of_files(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "ana.zip").write_bytes(zip_file({"bot.py": rps_bot()}))
    path = tmp_path / "bots.csv"
    path.write_text("Bot,Arquivo\nPato,ana.zip\nGanso,none.zip\nCisne,/etc/passwd\nMarreco\na,b,c,d\n")
    result = import_json(capsys, path, tmp_path / "rinha.toml", "--game", "rps")
    assert result["entrants"] == ["Pato"]
    assert [(one["where"], one["what"]) for one in result["left_out"]] == [
        ("bots.csv:3", "Ganso"), ("bots.csv:4", "Cisne"), ("bots.csv:5", "Marreco"), ("bots.csv:6", "a"),
    ]  # fmt: skip


@pytest.mark.parametrize("heading", ["Bot", "Arquivo do bot", "bot file"])
def test_a_table_with_columns_as_in_a_cup_file(tmp_path: Path, capsys: Captured, heading: str) -> None:
    (tmp_path / "ana.py").write_text(rps_bot())
    (tmp_path / "bots.csv").write_text(f"Nome;{heading}\nAna;ana.py\nBia;bia.py\nCaio;{'x' * 5000}\n")
    result = import_json(capsys, tmp_path / "bots.csv", tmp_path / "rinha.toml", "--game", "rps")
    assert result["entrants"] == ["Ana"]
    assert [one["where"] for one in result["left_out"]] == ["bots.csv:3", "bots.csv:4"]


def test_a_class_list_is_no_source(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "turma.csv").write_text("Nome,RA\nAna,1\n")
    code, _, err = run(capsys, "import", str(tmp_path / "turma.csv"), str(tmp_path / "c.toml"))
    assert code == 2
    assert "turma.csv:1: there is no column with repositories or files among the headings Nome, RA" in err
    assert "--class-list" in err


@pytest.mark.parametrize("heading", ["Matrícula", "RA", "Número USP", "Student ID", "Número de matrícula"])
def test_the_number_of_the_enrolment_is_the_id(tmp_path: Path, heading: str) -> None:
    path = tmp_path / "turma.csv"
    path.write_text(f"Número,{heading},Nome,Cor\nParticipante 4711,123,Ana,azul\n", encoding="utf-8")
    found = read_class_list(path, largest_group=4)
    person = found.people[0].person
    assert (person.id, person.participant, person.name) == ("123", "4711", "Ana")
    assert [str(note.why) for note in found.notes] == ["columns that are not used: Cor"]
    path.write_text(f"Número,{heading},Nome\n1,123,Ana\n", encoding="utf-8")
    found = read_class_list(path, largest_group=4)
    assert (found.people[0].person.id, found.people[0].person.participant) == ("123", "")
    assert [str(note.why) for note in found.notes] == ["columns that are not used: Número"]


def test_archives_named_by_numbers(tmp_path: Path, capsys: Captured) -> None:
    folder, cup = tmp_path / "entregas", tmp_path / "rinha.toml"
    folder.mkdir()
    (folder / "1001_1002.zip").write_bytes(zip_file({"bot.py": rps_bot()}))
    (folder / "1003.tar.gz").write_bytes(tar_file({"bot.py": rps_bot("PAPER")}))
    (folder / "1004.py").write_text(rps_bot("SCISSORS"))
    (tmp_path / "turma.csv").write_text(GROUP_LIST, encoding="utf-8")
    result = import_json(capsys, folder, cup, "--game", "rps")
    assert result["entrants"] == ["1001_1002", "1003", "1004"]
    assert read(cup).entry("1001_1002").students == ("1001", "1002")
    other = tmp_path / "nomes.toml"
    result = import_json(capsys, folder, other, "--game", "rps", "--class-list", tmp_path / "turma.csv")
    assert result["entrants"] == ["Patos", "Gansos", "Davi Lima"]
    assert "1001" not in other.read_text(encoding="utf-8")
    (folder / "1001_1002.zip").rename(folder / "1001_1002 (1).zip")
    (folder / "1001_1002 (1).zip").write_bytes(zip_file({"bot.py": rps_bot("PAPER")}))
    for path in (cup, other):
        assert [one["state"] for one in import_json(capsys, folder, path)["submissions"]] == [
            "changed", "unchanged", "unchanged",
        ]  # fmt: skip


def test_bots_that_stay_where_they_are(tmp_path: Path, capsys: Captured) -> None:
    for name in ("ana", "bia"):
        (tmp_path / "bots" / name).mkdir(parents=True)
        (tmp_path / "bots" / name / "bot.py").write_text(rps_bot())
    (tmp_path / "bots" / "notas.txt").write_text("x")
    cup = tmp_path / "rinha.toml"
    words = ("import", str(tmp_path / "bots"), str(cup), "--game", "rps", "--in-place")
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert "notas.txt: neither a folder, nor an archive, nor a program" in out
    assert [entry.bot for entry in read(cup).entrants] == ["bots/ana", "bots/bia"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bots", "rinha.toml"]
    code, _, err = run(capsys, *words)
    assert (code, "already exists" in err) == (2, True)
    assert "cannot be combined" in run(capsys, *words, "--deadline", "2026-11-20")[2]


# --- names -----------------------------------------------------------------------------------------

PAIR = """\
from basic_players import Player, GreedyPlayer

def pair_name():
    return "{name}"

def create_pair():
    return (GreedyPlayer("1001", "A"), GreedyPlayer("1002", "B"))
"""


def test_names_come_from_the_bot(tmp_path: Path, capsys: Captured) -> None:
    students: dict[str, Files] = {
        "Ana_1": {"student_players.py": PAIR.format(name="Os Patos")},
        "Bia_2": {"jogadores.py": PAIR.format(name="os patos")},
        "Caio_3": {"student_players.py": "raise SystemExit\n"},
    }
    path = download(tmp_path / "d.zip", students)
    cup = tmp_path / "rinha.toml"
    result = import_json(capsys, path, cup, "--game", "havana", "--names", "bot")
    assert result["entrants"] == ["Os Patos", "os patos 2", "Caio"]
    assert people_by_entrant(read_people(cup))["Os Patos"][0].name == "Ana"
    text = cup.read_text(encoding="utf-8")
    assert "rinha.submissions/os-patos/bot" in text
    assert "ana" not in text.partition("[[entrants]]")[2].lower(), "no student is named in public"


def test_long_names_stay_distinct(tmp_path: Path, capsys: Captured) -> None:
    long = "Maria Aparecida da Conceição dos Santos"
    names = [
        f"{long} Oliveira",
        f"{long} Pereira",
        f"{long} {'de Souza ' * 9}Lima",
        f"{long} {'de Souza ' * 9}Dias",
    ]
    students: dict[str, Files] = {
        f"{name}_{number}": {"bot.py": rps_bot() + "#" * number} for number, name in enumerate(names)
    }
    cup = tmp_path / "rinha.toml"
    result = import_json(capsys, download(tmp_path / "d.zip", students), cup, "--game", "rps")
    assert set(result["entrants"]) >= set(names[:2])
    short = [name for name in result["entrants"] if name not in names]
    assert [(len(name), name[-6:]) for name in sorted(short)] == [(80, "… Dias"), (80, "… Lima")]
    assert {person.name for person in read_people(cup)} == set(names), "whole names are kept"


def test_an_import_into_the_folder_of_the_bots(tmp_path: Path, capsys: Captured) -> None:
    for name in ("ana", "bia"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text(rps_bot() + f"# {name}\n")
    cup = tmp_path / "rinha.toml"
    assert import_json(capsys, tmp_path, cup, "--game", "rps")["entrants"] == ["ana", "bia"]
    (tmp_path / "bia" / "bot.py").write_text(rps_bot("PAPER"))
    assert states(import_json(capsys, tmp_path, cup)) == {"ana": "unchanged", "bia": "changed"}


def test_a_file_with_examples_gets_the_bots_too(tmp_path: Path, capsys: Captured) -> None:
    cup = tmp_path / "rinha.toml"
    assert run(capsys, "new", "rps", str(cup))[0] == 0
    names = [entry.name for entry in read(cup).entrants]
    code, out, _ = run(capsys, "import", str(download(tmp_path / "d.zip", CLASS)), str(cup))
    assert code == 0
    assert f"Built-in players are in it too: {', '.join(names)}." in out
    assert len(read(cup).entrants) == len(names) + 4


# --- mistakes --------------------------------------------------------------------------------------


def test_mistakes_are_explained(tmp_path: Path, capsys: Captured) -> None:
    path, cup = download(tmp_path / "d.zip", CLASS), tmp_path / "rinha.toml"

    def error(*words: object) -> str:
        code, _, err = run(capsys, "import", *map(str, words))
        assert code == 2
        assert not cup.exists() or cup.read_text().startswith("#")
        return err

    assert "2026-11-20" in error(path, cup, "--deadline", "amanhã")
    assert 'unknown template "rsp"' in error(path, cup, "--game", "rsp")
    assert "there is no such file" in error(tmp_path / "none.zip", cup)
    (tmp_path / "turma.csv").write_text("a,b\n1,2\n")
    listed = ("--class-list", tmp_path / "turma.csv")
    assert "turma.csv:1: no column with names was found" in error(path, cup, *listed)
    assert "is not the name of a cup file" in error(path, tmp_path)
    assert "cannot be written: there is no such" in error(path, tmp_path / "none" / "rinha.toml")
    with lock_submissions(cup):
        assert "another import into" in error(path, cup)
    assert list(tmp_path.glob("*.submissions*")) == [], "nothing is left of what failed"
    (tmp_path / "bad.zip").write_bytes(b"no archive")
    assert "cannot be unpacked" in error(tmp_path / "bad.zip", cup)
    (tmp_path / "bots.rar").write_bytes(b"Rar!")
    assert "bots.rar is neither a .zip nor" in error(tmp_path / "bots.rar", cup)
    assert f"the cup file comes last: botequim cup import {path} {cup}" in error(cup, path)
    import_json(capsys, path, cup, "--game", "rps")
    assert "is a cup of rps, not of havana" in error(path, cup, "--game", "havana")
    history_file = tmp_path / "rinha.submissions.csv"
    history_file.write_text(history_file.read_text().replace(",new,", ",old,", 1))
    assert "rinha.submissions.csv:2: this line of the history was changed" in error(path, cup)
