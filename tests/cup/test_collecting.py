"""Bots are collected from what a teacher has: downloads, lists and folders, again and again."""

from __future__ import annotations

import csv
import json
import shutil
import stat
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from botequim.bots.digests import digest_of
from botequim.cup.collecting.files import lock_submissions
from botequim.cup.config_parser import read
from botequim.cup.people import Person, people_by_entrant, read_people
from tests.support.cup_commands import Captured, run
from tests.support.downloads import Files, download, rps_bot, tar_file, zip_file

LATER = datetime(2025, 11, 19, 9, 30)

SCISSORS = zip_file({"proj/bot.py": rps_bot("SCISSORS"), "proj/a.txt": "x"})
CLASS: dict[str, Files] = {
    "Ana Silva_101": {"bot.zip": zip_file({"bot.py": rps_bot()})},
    "Bento Souza_102": {"meu_bot.py": rps_bot("PAPER")},
    "Carla Dias_103": {"entrega/final/bot.zip": SCISSORS},
    "João Conceição_104": {"main.py": rps_bot() + "import util\n", "util.py": "", "relatorio.pdf": "%PDF"},
}  # fmt: skip
CLASS_LIST = """\
Identificador;Nome completo;Número de identificação;Endereço de email
Participante 101;Ana Silva;1001;ana@example.org
Participante 102;Bento Souza;1002;bento@example.org
Participante 103;Carla Dias;1003;carla@example.org
Participante 104;João Conceição;1004;joao@example.org
Participante 105;Zé Ninguém;1005;ze@example.org
"""


def import_json(capsys: Captured, *words: object) -> dict[str, Any]:
    code, out, err = run(capsys, "import", *map(str, words), "--json")
    assert code == 0, err
    result: dict[str, Any] = json.loads(out)
    return result


def states(result: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["state"] + (" late" if one["late"] else "") for one in result["submissions"]}


def history(cup: Path) -> list[dict[str, str]]:
    with cup.with_suffix(".submissions.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def playing(cup: Path, entrant: str) -> str:
    """Return the text of the programs that an entrant plays with."""
    entry = read(cup).entry(entrant)
    return "".join(path.read_text() for path in sorted((cup.parent / entry.bot).glob("*.py")))


# --- a download of a learning platform -------------------------------------------------------------


def test_a_download_with_a_class_list(tmp_path: Path, capsys: Captured) -> None:
    path = download(tmp_path / "Rinha-1234.zip", CLASS)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("Ana Silva_101_assignsubmission_onlinetext_/onlinetext.html", "<p>Oi</p>")
        archive.writestr("Gil Texto_106_assignsubmission_onlinetext_/onlinetext.html", "<p>Oi</p>")
    (tmp_path / "turma.csv").write_bytes(CLASS_LIST.encode("latin-1"))
    cup = tmp_path / "rinha.toml"
    code, out, err = run(
        capsys, "import", str(path), str(cup), "--game", "rps", "--class-list", str(tmp_path / "turma.csv")
    )
    assert code == 0, err
    assert "4 submissions: 4 new" in out
    assert "Gil Texto: no file was handed in" in out
    assert "1 person has handed in nothing:\n  Zé Ninguém (1005, ze@example.org)" in out
    assert f"Next: botequim cup check {cup}" in out

    read_cup = read(cup)
    assert [entry.name for entry in read_cup.entrants] == [
        "Ana Silva", "Bento Souza", "Carla Dias", "João Conceição",
    ]  # fmt: skip
    assert read_cup.game == "rps"
    assert playing(cup, "Bento Souza") == rps_bot("PAPER")
    assert playing(cup, "Carla Dias") == rps_bot("SCISSORS")
    assert "util" in playing(cup, "João Conceição")

    people = people_by_entrant(read_people(cup))
    assert people["João Conceição"] == (
        Person("João Conceição", "joao@example.org", "1004", "104", "", "João Conceição"),
    )
    assert [person.name for person in people[""]] == ["Zé Ninguém"]
    text = cup.read_text(encoding="utf-8")
    assert "@" not in text.replace("http://ADDRESS", "")
    assert "1004" not in text, "the cup file is published"
    for private in (".people.csv", ".submissions.csv"):
        assert stat.S_IMODE(cup.with_suffix(private).stat().st_mode) == 0o600
    lines = history(cup)
    assert {line["state"] for line in lines} == {"new"}
    assert lines[0]["digest"] == digest_of(tmp_path / read_cup.entrants[0].bot)
    assert (tmp_path / lines[0]["files"] / "bot.zip").read_bytes() == CLASS["Ana Silva_101"]["bot.zip"]


def test_an_unpacked_download_in_a_folder(tmp_path: Path, capsys: Captured) -> None:
    top = tmp_path / "download" / "Rinha"
    for student, files in CLASS.items():
        for name, content in files.items():
            path = top / f"{student}_assignsubmission_file_" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (top / "Eva_107_assignsubmission_file_bot.py").write_text(rps_bot())
    result = import_json(capsys, tmp_path / "download", tmp_path / "rinha.toml", "--game", "rps")
    assert states(result) == dict.fromkeys(
        ("Ana Silva", "Bento Souza", "Carla Dias", "Eva", "João Conceição"), "new"
    )
    assert playing(tmp_path / "rinha.toml", "Eva") == rps_bot()


def test_names_in_another_encoding_are_repaired(tmp_path: Path, capsys: Captured) -> None:
    """A platform that writes UTF-8 without saying so: the names are read as code page 437."""
    name = "João Conceição_104".encode().decode("cp437")
    path = download(tmp_path / "d.zip", {name: {"bot.py": rps_bot()}})
    result = import_json(capsys, path, tmp_path / "rinha.toml", "--game", "rps")
    assert result["entrants"] == ["João Conceição"]


def test_what_is_broken_is_told_and_kept_and_the_rest_is_imported(tmp_path: Path, capsys: Captured) -> None:
    bad: dict[str, Files] = {
        "Ana_1": {"bot.zip": b"no archive"},
        "Bia_2": {"bot.rar": b"Rar!"},
        "Caio_3": {"relatorio.pdf": b"%PDF"},
        "Duda_4": {"a.zip": zip_file({"bot.py": rps_bot()}), "b.zip": zip_file({"bot.py": rps_bot("PAPER")})},
        "Eva_5": {"bot.zip": zip_file({"../../evil.py": rps_bot()})},
        "Fred_6": {"bot.tar.gz": tar_file({"fred/bot.py": rps_bot()})},
        "Iris_9": {
            "bot.zip": zip_file({"bot.py": rps_bot("PAPER")}),
            "bot (1).zip": zip_file({"x/bot.py": rps_bot("PAPER")}),
            "teste.py": "print('ok')",
        },
        "Hugo_8": {f"{n}.zip": zip_file({"readme.txt": str(n)}) for n in range(12)},
        "Gal_7": {"envio.zip": zip_file({"pasta/bot.zip": zip_file({"bot.py": rps_bot()})})},
    }
    cup = tmp_path / "rinha.toml"
    result = import_json(capsys, download(tmp_path / "d.zip", bad), cup, "--game", "rps")
    assert result["entrants"] == ["Fred", "Gal", "Iris"]
    assert playing(cup, "Iris") == rps_bot("PAPER"), "the same archive twice, and a script that is no bot"
    problems = {one["name"]: one["problem"] for one in result["submissions"] if one["problem"]}
    assert problems.keys() == {"Ana", "Bia", "Caio", "Duda", "Eva", "Hugo"}
    assert "bot.zip: File is not a zip file" in problems["Ana"]
    assert "bot.rar is an archive of a kind that cannot be unpacked" in problems["Bia"]
    assert "nothing that can be started" in problems["Caio"]
    assert "there are several bots (a.zip, b.zip)" in problems["Duda"]
    assert "it holds a file outside of itself: ../../evil.py" in problems["Eva"]
    assert "there are more than 8 archives" in problems["Hugo"]
    kept = {line["who"]: line["files"] for line in history(cup)}
    assert (tmp_path / kept["1"] / "bot.zip").read_bytes() == b"no archive"
    assert [one["notes"] for one in result["submissions"] if one["name"] == "Gal"] == [
        ["the same files as Fred"]
    ]

    bad["Ana_1"] = {"bot.py": rps_bot()}
    again = import_json(capsys, download(tmp_path / "d2.zip", bad), cup)
    assert states(again)["Ana"] == "new", "it is the first one of hers that can play"
    assert again["added"] == ["Ana"]
    assert [entry.name for entry in read(cup).entrants] == ["Fred", "Gal", "Iris", "Ana"]


# --- resubmissions and deadlines -------------------------------------------------------------------


def resubmission(tmp_path: Path) -> Path:
    """Return a download in which Ana has not changed hers, Bento has in time, and Carla was late."""
    changed = CLASS | {
        "Bento Souza_102": {"bot.py": rps_bot("SCISSORS")},
        "Carla Dias_103": {"bot.py": rps_bot("PAPER")},
        "Davi Lima_108": {"bot.py": rps_bot()},
    }
    times = {"Carla Dias_103": LATER, "Davi Lima_108": LATER}
    return download(tmp_path / "second.zip", changed, times)


DEADLINE = ("--deadline", "2025-11-18")


def test_a_second_import_says_what_is_new_changed_and_late(tmp_path: Path, capsys: Captured) -> None:
    cup = tmp_path / "rinha.toml"
    import_json(capsys, download(tmp_path / "first.zip", CLASS), cup, "--game", "rps", *DEADLINE)
    cup.write_text("# mine\n" + cup.read_text(encoding="utf-8"), encoding="utf-8")
    before = cup.read_text(encoding="utf-8")
    code, out, _ = run(capsys, "import", str(resubmission(tmp_path)), str(cup), *DEADLINE)
    assert code == 0
    assert "5 submissions: 1 new, 2 changed, 2 unchanged, 2 late" in out
    assert "Carla Dias: changed; late; submission 2" in out
    assert "judged by the times of the files" in out
    assert playing(cup, "Bento Souza") == rps_bot("SCISSORS")
    assert playing(cup, "Carla Dias") == rps_bot("PAPER"), "it is only marked"
    assert cup.read_text(encoding="utf-8").startswith(before), "what the teacher wrote stays"
    carla = [line for line in history(cup) if line["entrant"] == "Carla Dias"]
    assert [(line["number"], line["state"], line["late"]) for line in carla] == [
        ("1", "new", ""), ("2", "changed", "late"),
    ]  # fmt: skip
    first = tmp_path / carla[0]["files"] / "entrega/final/bot.zip"
    assert first.read_bytes() == CLASS["Carla Dias_103"]["entrega/final/bot.zip"], "the older one stays"


def test_late_ones_are_refused_until_the_deadline_is_extended(tmp_path: Path, capsys: Captured) -> None:
    cup = tmp_path / "rinha.toml"
    import_json(capsys, download(tmp_path / "first.zip", CLASS), cup, "--game", "rps")
    second = resubmission(tmp_path)
    for _ in range(2):  # the same again changes nothing
        result = import_json(capsys, second, cup, *DEADLINE, "--late", "refuse")
        assert states(result)["Carla Dias"] == "refused late"
        assert states(result)["Davi Lima"] == "refused late"
        assert playing(cup, "Carla Dias") == rps_bot("SCISSORS")
        assert "Davi Lima" not in cup.read_text(encoding="utf-8")
    carla = [line["files"] for line in history(cup) if line["state"] == "refused" and line["who"] == "103"]
    assert len(set(carla)) == 1, "it is kept once"
    assert (tmp_path / carla[0] / "bot.py").read_text() == rps_bot("PAPER")
    result = import_json(capsys, second, cup, "--deadline", "2025-11-19 23:59", "--late", "refuse")
    assert states(result)["Carla Dias"] == "changed"
    assert states(result)["Davi Lima"] == "new"
    assert playing(cup, "Carla Dias") == rps_bot("PAPER")
    code, _, err = run(capsys, "import", str(second), str(cup), "--late", "refuse")
    assert (code, "needs a deadline" in err) == (2, True)


def test_the_times_of_the_platform_decide(tmp_path: Path, capsys: Captured) -> None:
    """The files of a download may all have the time of the download."""
    class_list = tmp_path / "worksheet.csv"
    class_list.write_text(
        "Identifier,Full name,Last modified (submission),Last modified (grade)\n"
        'Participant 101,Ana Silva,"Tuesday, 18 November 2025, 8:14 PM",-\n'
        'Participant 102,Bento Souza,"Wednesday, 19 November 2025, 8:14 AM",-\n',
        encoding="utf-8-sig",
    )
    students: dict[str, Files] = {name: CLASS[name] for name in ("Ana Silva_101", "Bento Souza_102")}
    path = download(tmp_path / "d.zip", students, dict.fromkeys(students, LATER))
    cup = tmp_path / "rinha.toml"
    result = import_json(capsys, path, cup, "--game", "rps", "--class-list", class_list, *DEADLINE)
    assert states(result) == {"Ana Silva": "new", "Bento Souza": "new late"}


def test_a_cup_plays_what_was_imported_and_is_not_changed_afterwards(
    tmp_path: Path, capsys: Captured
) -> None:
    cup, class_list = tmp_path / "rinha.toml", tmp_path / "turma.csv"
    class_list.write_text(CLASS_LIST, encoding="utf-8")
    first = download(tmp_path / "first.zip", CLASS)
    import_json(capsys, first, cup, "--game", "rps", "--class-list", class_list)
    cup.write_text(cup.read_text(encoding="utf-8").replace("rounds = 50", "rounds = 1"), encoding="utf-8")
    code, out, _ = run(capsys, "run", str(cup), "--json")
    assert code == 0
    rows = json.loads(out)["stages"][0]["standings"]
    assert {row["entrant"]: row["figures"]["faults"] for row in rows} == dict.fromkeys(
        ("Ana Silva", "Bento Souza", "Carla Dias", "João Conceição"), 0
    )
    assert run(capsys, "report", str(cup))[0] == 0
    report = tmp_path / "rinha.cup" / "report"
    assert "joao@example.org" in (report / "private" / "grades.csv").read_text(encoding="utf-8")
    with zipfile.ZipFile(report / "public" / "bundle.zip") as bundle:
        published = [bundle.read(name) for name in bundle.namelist()]
    published += [path.read_bytes() for path in (report / "public").rglob("*") if path.is_file()]
    assert not any(
        b"joao@example.org" in content or "Zé Ninguém".encode() in content for content in published
    )

    before = cup.read_bytes()
    code, out, _ = run(capsys, "import", str(resubmission(tmp_path)), str(cup))
    assert code == 0
    assert "The cup has begun" in out
    assert "add 'Davi Lima' rinha.submissions/davi-lima/bot" in out
    assert "fix 'Bento Souza'" in out
    assert cup.read_bytes() == before
    assert run(capsys, "run", str(cup), "--quiet")[0] == 0, "its file is still the one it began with"


# --- groups ----------------------------------------------------------------------------------------

GROUP_LIST = """\
Nome,Sobrenome,RA,Grupo
Ana,Silva,1001,Patos
Bento,Souza,1002,Patos
Carla,Dias,1003,Gansos
Davi,Lima,1004,-
"""


def test_a_group_of_the_class_list_has_one_bot(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "turma.csv").write_text(GROUP_LIST, encoding="utf-8")
    students: dict[str, Files] = {
        "Ana Silva_101": {"bot.py": rps_bot()},
        "Bento Souza_102": {"bot.py": rps_bot("PAPER")},
        "Davi Lima_104": {"bot.py": rps_bot("SCISSORS")},
    }
    path = download(tmp_path / "d.zip", students, {"Bento Souza_102": LATER})
    cup = tmp_path / "rinha.toml"
    result = import_json(capsys, path, cup, "--game", "rps", "--class-list", tmp_path / "turma.csv")
    assert result["entrants"] == ["Patos", "Davi Lima"]
    assert playing(cup, "Patos") == rps_bot("PAPER"), "the newest counts"
    assert result["submissions"][0]["notes"] == [
        "Ana Silva has handed in other files; those of Bento Souza count"
    ]
    people = people_by_entrant(read_people(cup))
    assert [(one.name, one.id, one.participant) for one in people["Patos"]] == [
        ("Ana Silva", "1001", "101"), ("Bento Souza", "1002", "102"),
    ]  # fmt: skip
    assert [one["name"] for one in result["missing"]] == ["Carla Dias"]


def test_a_group_download_of_the_platform_has_one_bot(tmp_path: Path, capsys: Captured) -> None:
    students: dict[str, Files] = {
        "Grupo 1-Ana Silva_101": {"bot.py": rps_bot()},
        "Grupo 1-Bento Souza_102": {"bot.py": rps_bot()},
        "Maria-Clara Dias_103": {"bot.py": rps_bot("PAPER")},
    }
    cup = tmp_path / "rinha.toml"
    result = import_json(capsys, download(tmp_path / "d.zip", students), cup, "--game", "rps")
    assert result["entrants"] == ["Grupo 1", "Maria-Clara Dias"]
    assert [one.name for one in people_by_entrant(read_people(cup))["Grupo 1"]] == [
        "Ana Silva",
        "Bento Souza",
    ]


def test_a_column_with_the_class_is_no_group(tmp_path: Path, capsys: Captured) -> None:
    rows = "".join(f"Student {number},Turma A\n" for number in range(12))
    (tmp_path / "turma.csv").write_text("Nome,Grupo\n" + rows)
    students: dict[str, Files] = {f"Student {n}_{n}": {"bot.py": rps_bot() + "#" * n} for n in range(3)}
    path = download(tmp_path / "d.zip", students)
    words = ("--game", "rps", "--class-list", tmp_path / "turma.csv")
    result = import_json(capsys, path, tmp_path / "rinha.toml", *words)
    assert result["entrants"] == ["Student 0", "Student 1", "Student 2"]
    assert "12 people have this group" in result["left_out"][0]["why"]


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


def test_a_class_list_is_no_source(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "turma.csv").write_text("Nome,RA\nAna,1\n")
    code, _, err = run(capsys, "import", str(tmp_path / "turma.csv"), str(tmp_path / "c.toml"))
    assert code == 2
    assert "turma.csv:1: there is no column with repositories or files among the headings Nome, RA" in err
    assert "--class-list" in err


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


def test_an_entrant_that_was_removed_stays_away(tmp_path: Path, capsys: Captured) -> None:
    path, cup = download(tmp_path / "d.zip", CLASS), tmp_path / "rinha.toml"
    import_json(capsys, path, cup, "--game", "rps")
    text = cup.read_text(encoding="utf-8")
    block = '\n[[entrants]]\nname = "Bento Souza"\nbot = "rinha.submissions/bento-souza/bot"\n'
    assert block in text
    cup.write_text(text.replace(block, ""), encoding="utf-8")
    for source in (path, resubmission(tmp_path)):
        result = import_json(capsys, source, cup)
        bento = next(one for one in result["submissions"] if one["name"] == "Bento Souza")
        assert bento["notes"] == ["not in the cup file, so it does not play"]
    assert "Bento" not in cup.read_text(encoding="utf-8")


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


def test_bots_that_were_deleted_come_back(tmp_path: Path, capsys: Captured) -> None:
    path, cup = download(tmp_path / "d.zip", CLASS), tmp_path / "rinha.toml"
    import_json(capsys, path, cup, "--game", "rps")
    shutil.rmtree(tmp_path / "rinha.submissions")
    assert set(states(import_json(capsys, path, cup)).values()) == {"unchanged"}
    assert playing(cup, "Bento Souza") == rps_bot("PAPER")


def test_a_broken_submission_is_forgotten_with_its_author(tmp_path: Path, capsys: Captured) -> None:
    broken: dict[str, Files] = {"Zara Quebrada_109": {"bot.zip": b"no archive"}}
    cup = tmp_path / "rinha.toml"
    import_json(capsys, download(tmp_path / "d.zip", CLASS | broken), cup, "--game", "rps")
    assert (tmp_path / "rinha.submissions" / "zara-quebrada").is_dir()
    assert run(capsys, "forget", str(cup), "Zara Quebrada", "--yes")[0] == 0
    assert not list(tmp_path.rglob("zara*"))
    for path in tmp_path.glob("rinha.*"):
        assert path.is_dir() or b"zara" not in path.read_bytes().lower()
    again = import_json(capsys, download(tmp_path / "d2.zip", CLASS), cup)
    assert set(states(again).values()) == {"unchanged"}
