"""The styles of uno: bred alike under the same seed, and written where the champion reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from botequim.games.uno.search.search import ours
from scripts import tune_uno
from scripts.tune_uno import STYLES, main, text


def run(monkeypatch: pytest.MonkeyPatch, path: Path, *words: str) -> str:
    """What a short run writes."""
    monkeypatch.setattr(tune_uno, "STYLES", path)
    monkeypatch.setattr(tune_uno, "SEEN", 20)
    monkeypatch.setattr("sys.argv", ["tune_uno", "--generations", "2", "--deals", "4", *words])
    main()
    return path.read_text(encoding="ascii")


def styles_in(written: str) -> tuple[list[int], list[int]]:
    """As whoever imports the file reads them."""
    names: dict[str, list[int]] = {}
    exec(written, names)  # it is Python, and ours
    return names["OF_TWO"], names["OF_MORE"]


def test_the_file_that_the_champion_reads_is_as_the_script_writes_it() -> None:
    assert STYLES.read_text(encoding="ascii") == text({2: ours(2), 4: ours(4)})


def test_the_same_seed_writes_the_same_and_says_how_it_goes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(monkeypatch, tmp_path / "first.py")
    told = capsys.readouterr().out
    assert "2 players: 2 of 2 generations" in told
    assert "4 players: 2 of 2 generations" in told
    assert run(monkeypatch, tmp_path / "again.py") == first
    two, more = styles_in(first)
    assert two != ours(2)
    assert more != ours(4)
    assert len(two) == len(more) == len(ours(2))
    assert styles_in(run(monkeypatch, tmp_path / "other.py", "--seed", "1"))[0] != two


def test_the_style_of_the_other_table_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    two, more = styles_in(run(monkeypatch, tmp_path / "styles.py", "--players", "4"))
    assert two == ours(2)
    assert more != ours(4)


@pytest.mark.parametrize("words", [("--generations", "0"), ("--deals", "0"), ("--players", "3")])
def test_what_cannot_be_bred_is_refused_before_anything_is_written(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(SystemExit):
        run(monkeypatch, tmp_path / "styles.py", *words)
    assert not (tmp_path / "styles.py").exists()
