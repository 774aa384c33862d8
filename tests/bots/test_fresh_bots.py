"""Bots in the style of the competitions pass `check` and play unchanged; broken twins are diagnosed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from tests import ROOT
from tests.support.bot_time import BotTime, bot_time

FRESH = ROOT / "tests" / "fresh"
GENEROUS = ("--limit", "start=120", "--limit", "move=120")
THIRD_WORD = (
    '        if (is_wild(complement) && scanf("%1999s", asked) != 1) return 0; /* the third word */\n'
)
LATE = """
#include <sys/prctl.h>
/* The test cannot wait until the limit is over: the bot says when it has lost its place. */
static void say_late(const char *action) {
  static const char *known[] = {"DISCARD", "BUY", "TURN"};
  for (int i = 0; i < 3; i++)
    if (strcmp(action, known[i]) == 0) return;
  prctl(PR_SET_NAME, "A9 1b3f TOKEN");
}

int main(void) {"""


@pytest.fixture
def passing() -> Iterator[BotTime]:
    with bot_time() as passing:
        yield passing


def files(folder: Path, name: str, source: str, **more: str) -> str:
    folder = folder / "bot"
    folder.mkdir()
    (folder / name).write_text(source, encoding="utf-8")
    for other, text in more.items():
        (folder / other.replace("_", ".")).write_text(text, encoding="utf-8")
    return str(folder)


def check(capsys: pytest.CaptureFixture[str], bot: str, game: str, *more: str) -> dict[str, Any]:
    main(["check", bot, "--game", game, "--quick", "--json", *more])
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def ten_games(capsys: pytest.CaptureFixture[str], bot: str, game: str) -> None:
    assert main(["match", game, bot, "greedy", "--games", "10", "--seed", "1", "--json", *GENEROUS]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["games"] == 10
    assert [entrant["faults"] for entrant in result["entrants"]] == [0, 0]


def summary(capsys: pytest.CaptureFixture[str], bot: str, game: str, *more: str) -> str:
    """What `check` says last of all."""
    main(["check", bot, "--game", game, "--quick", *more])
    return capsys.readouterr().out


def test_a_c_program_from_the_template(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = files(tmp_path, "bot.c", (FRESH / "uno_template.c").read_text(encoding="utf-8"))
    result = check(capsys, bot, "uno", *GENEROUS, "--seconds", "100000")
    assert result["ready"], result
    assert result["mistakes"] == []
    ten_games(capsys, bot, "uno")


def test_a_c_program_that_falls_into_the_trap_of_the_template(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], passing: BotTime
) -> None:
    source = (FRESH / "uno_template.c").read_text(encoding="utf-8")
    assert THIRD_WORD in source
    source = source.replace(THIRD_WORD, "").replace(
        "\nint main(void) {", LATE.replace("TOKEN", passing.token)
    )
    source = source.replace("!= 2) return 0;\n", "!= 2) return 0;\n      say_late(action);\n")
    bot = files(tmp_path, "bot.c", source)
    result = check(capsys, bot, "uno", "--limit", "move=8", "--seconds", "100000")
    assert result["mistakes"] == ["third-word"], result
    (problem,) = [problem for one in result["checks"] for problem in one["problems"]]
    assert problem["told"].startswith("It does not read the third word of DISCARD A♥ ♥")


def test_a_server_on_a_fixed_port_with_a_log_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = files(tmp_path, "server.py", (FRESH / "cubos_fixed_port.py").read_text(encoding="utf-8"))
    result = check(capsys, bot, "cubos", *GENEROUS, "--seconds", "100000")
    assert result["ready"], result
    assert result["mistakes"] == []
    (resources,) = [one for one in result["checks"] if one["check"] == "resources"]
    assert 0 < resources["resident"] < resources["memory_allowed"]
    ten_games(capsys, bot, "cubos")


def test_a_server_that_listens_on_the_loopback_interface_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (FRESH / "cubos_fixed_port.py").read_text(encoding="utf-8").replace("0.0.0.0", "127.0.0.1")
    bot = files(tmp_path, "server.py", source)
    result = check(capsys, bot, "cubos", *GENEROUS, "--seconds", "100000")
    assert result["ready"]
    assert result["mistakes"] == ["loopback-only"]


def test_a_server_whose_module_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = (FRESH / "cubos_fixed_port.py").read_text(encoding="utf-8")
    source = source.replace("import logging\n", "import logging\nimport module_of_nobody\n")
    bot = files(tmp_path, "server.py", source, requirements_txt="module_of_nobody\n")
    shown = summary(capsys, bot, "cubos", *GENEROUS)
    assert (
        '✗ It imports the module "module_of_nobody", which is not installed where the bot runs. (once)'
        in shown
    )
    assert "`pip install -r requirements.txt --target .`" in shown
