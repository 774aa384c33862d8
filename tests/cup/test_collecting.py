"""Bots are collected from what a teacher has: downloads, lists and folders, again and again."""

from __future__ import annotations

import json
import shutil
import stat
import zipfile
from pathlib import Path

from botequim.bots.digests import digest_of
from botequim.cup.config_parser import read
from botequim.cup.people import Person, people_by_entrant, read_people
from tests.support.cup_commands import Captured, run
from tests.support.downloads import (
    CLASS,
    DEADLINE,
    GROUP_LIST,
    LATER,
    Files,
    download,
    history,
    import_json,
    playing,
    resubmission,
    rps_bot,
    states,
    tar_file,
    zip_file,
)

CLASS_LIST = """\
Identificador;Nome completo;Número de identificação;Endereço de email
Participante 101;Ana Silva;1001;ana@example.org
Participante 102;Bento Souza;1002;bento@example.org
Participante 103;Carla Dias;1003;carla@example.org
Participante 104;João Conceição;1004;joao@example.org
Participante 105;Zé Ninguém;1005;ze@example.org
"""


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


def test_an_older_download_does_not_bring_an_older_bot_back(tmp_path: Path, capsys: Captured) -> None:
    cup = tmp_path / "rinha.toml"
    first = download(tmp_path / "first.zip", CLASS)
    import_json(capsys, first, cup, "--game", "rps")
    import_json(capsys, resubmission(tmp_path), cup)
    for _ in range(2):
        code, out, _err = run(capsys, "import", str(first), str(cup))
        assert code == 0
        assert "2 older" in out
        assert "Carla Dias: not used, because it is older; " in out
        assert playing(cup, "Carla Dias") == rps_bot("PAPER")
        assert playing(cup, "Bento Souza") == rps_bot("SCISSORS")
    carla = [line for line in history(cup) if line["entrant"] == "Carla Dias"]
    assert [(line["number"], line["state"]) for line in carla] == [
        ("1", "new"), ("2", "changed"), ("1", "older"), ("1", "older"),
    ]  # fmt: skip
    assert states(import_json(capsys, resubmission(tmp_path), cup))["Carla Dias"] == "unchanged"


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


# --- what is gone --------------------------------------------------------------------------------


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
