"""`match --sprt`: play until it is known who is better, and say it as an author understands it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from botequim.cli import main, match_run
from botequim.match.runner import play_match
from botequim.match.spec import MatchSpec
from botequim.match.sprt import Sprt, Verdict
from botequim.match.standings import GameSummary, MatchStandings
from botequim.records.reader import read_records
from botequim.records.verify import verify_record
from tests.support.pace import PATIENCE

Captured = pytest.CaptureFixture[str]
HAVANA = ("match", "havana", "greedy", "dummy", "--sprt", "5", "--seed", "1")


def run(capsys: Captured, *words: str) -> tuple[int, str, str]:
    code = main(words)
    said = capsys.readouterr()
    return code, said.out, said.err


def run_test(workers: int, records: Path | None = None) -> tuple[Sprt, MatchStandings]:
    test = Sprt(gain=0.05)

    def watch(played: Sequence[GameSummary]) -> bool:
        return test.add_deal([game.shares[0] for game in played]) is not Verdict.UNDECIDED

    match = MatchSpec.of("cubos", ("random", "greedy"), games=4000, seed="7", records=records)
    table = MatchStandings(match)
    for standing in play_match(match, workers=workers, stop=watch):
        table = standing
    return test, table


def test_an_author_reads_the_verdict(capsys: Captured) -> None:
    code, out, _ = run(capsys, *HAVANA)
    assert code == 0
    last = out.strip().splitlines()[-1]
    said = r"greedy against dummy: better: \+\d+\.\d % ±\d+\.\d, stopped after [\d,]+ games"
    assert re.fullmatch(said, last)


def test_the_verdict_in_portuguese(capsys: Captured) -> None:
    out = run(capsys, *HAVANA, "--lang", "pt_BR")[1]
    last = out.strip().splitlines()[-1]
    assert re.fullmatch(
        r"greedy contra dummy: melhor: \+\d+,\d% ±\d+,\d, parou depois de [\d.]+ partidas", last
    )


def test_who_is_worse_is_told_so(capsys: Captured) -> None:
    out = run(capsys, "match", "havana", "dummy", "greedy", "--sprt", "5", "--seed", "1", "--quiet")[1]
    assert "dummy against greedy: worse: -" in out


def test_json_holds_the_verdict_and_counts_what_decided_it(capsys: Captured) -> None:
    code, out, err = run(capsys, *HAVANA, "--json")
    result = json.loads(out)
    assert (code, err) == (0, "")
    assert result["sprt"]["verdict"] == "better"
    assert result["sprt"]["gain"] == 0.05
    assert result["games"] == result["sprt"]["games"] == 2 * result["sprt"]["deals"]
    first = result["entrants"][0]
    assert first["rate"] - 0.5 == pytest.approx(result["sprt"]["difference"], abs=1e-6)
    assert result["sprt"]["said"].startswith("better: +")


def test_games_are_the_most(capsys: Captured) -> None:
    words = ("match", "cubos", "random", "random", "--sprt", "0.5", "--games", "60", "--seed", "1")
    out = run(capsys, *words)[1]
    assert re.search(r"random#1 against random#2: not decided: .* after 60 games", out)


def test_the_verdict_does_not_depend_on_the_number_of_workers() -> None:
    alone, one = run_test(1)
    together, two = run_test(2)
    assert alone.verdict is together.verdict is not Verdict.UNDECIDED
    assert (alone.games, alone.difference) == (together.games, together.difference)
    assert [score.won for score in one.scores] == [score.won for score in two.scores]
    assert one.games == two.games == alone.games < 4000


def test_records_of_a_stopped_match_are_whole(tmp_path: Path) -> None:
    _, table = run_test(2, tmp_path)
    paths = sorted(tmp_path.iterdir())
    assert len(paths) >= table.games
    assert {path.suffix for path in paths} == {".jsonl"}
    for path in paths[-4:]:
        (found,) = read_records(path)
        assert verify_record(found).ok


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("uno", "random", "random", "random", "--sprt"), "--sprt compares two entrants, not 3"),
        (("cubos", "random", "greedy", "--sprt", "--games", "31"), "give an even number of --games"),
    ],
)
def test_what_cannot_be_tested_is_refused(capsys: Captured, words: tuple[str, ...], said: str) -> None:
    code, _, err = run(capsys, "match", *words)
    assert code == 2
    assert said in err


@pytest.mark.parametrize("gain", ["0", "nan", "90", "random"])
def test_a_gain_is_a_percentage(capsys: Captured, gain: str) -> None:
    with pytest.raises(SystemExit):
        main(["match", "cubos", "random", "greedy", "--sprt", gain])
    assert "is not a percentage from 0.1 to 40" in capsys.readouterr().err


def test_help_speaks_of_it(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main(["match", "--help"])
    assert "--sprt [GAIN]" in capsys.readouterr().out


def test_interrupted_before_the_first_deal_is_finished_it_says_so(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> Iterator[object]:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(match_run, "_play_tables", interrupt)
    assert main(["match", "cubos", "random", "greedy", "--sprt"]) == 130
    assert "not decided: +0.0 % ±50.0 after 0 games" in " ".join(capsys.readouterr().out.split())


def test_interrupted_it_says_how_far_it_came(tmp_path: Path) -> None:
    words = ("match", "rps", "random", "random", "--sprt", "0.1", "--games", "1000000", "--workers", "2")
    command = [sys.executable, "-m", "botequim", *words, "--records", str(tmp_path / "games")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        while len(list((tmp_path / "games").glob("*.jsonl"))) < 50:
            time.sleep(0.05)
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "not decided: " in out
    assert "Traceback" not in err
    assert not list((tmp_path / "games").glob("*.partial"))
