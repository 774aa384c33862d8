"""Shells complete what is there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from botequim.cli import main, parser
from botequim.cli.completion import LEVELS, SHELLS, candidates
from botequim.cli.index import COMMANDS
from botequim.core.wire import Restart
from botequim.cup.templates import template_names
from botequim.render.theme import Theme


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("botequim ", list(COMMANDS)),
        ("botequim ma", ["match"]),
        ("botequim match ", ["cubos", "fives", "havana", "rps", "uno"]),
        ("botequim match fives g", ["greedy"]),
        ("botequim match fives greedy ra", ["random"]),
        ("botequim match cubos champion@e", ["champion@easy"]),
        ("botequim match fives ", ["champion", "greedy", "random"]),
        ("botequim match fives champion", ["champion", *(f"champion@{level}" for level in LEVELS)]),
        ("botequim match rps greedy random --opt", ["--option"]),
        ("botequim match rps greedy random --option forfeit", ["forfeit_history="]),
        ("botequim match rps a b --option forfeit_history=d", ["forfeit_history=dash"]),
        ("botequim match rps greedy random --restart s", ["series"]),
        ("botequim --lang p", ["pt_BR"]),
        ("botequim play cubos --partner gr", ["greedy"]),
        ("botequim cup r", ["rehearse", "repair", "report", "restore", "reveal", "run"]),
        ("botequim cup new h", ["havana"]),
        ("botequim cup import bots.zip rinha.toml --game h", ["havana"]),
        ("botequim cup import bots.zip rinha.toml --late r", ["refuse"]),
        ("botequim show ", []),
        ("botequim nonsense ", list(COMMANDS)),
    ],
)
def test_what_can_stand_at_the_end_of_a_line(line: str, words: list[str]) -> None:
    found = candidates(line)
    if line.endswith("forfeit"):
        assert set(words) <= set(found)
    else:
        assert found == sorted(words)


def in_shell(*command: str, folder: Path) -> str:
    program = folder / "botequim"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m botequim "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    ran = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ
        | {"PATH": f"{folder}:{os.environ['PATH']}", "BOTEQUIM_LANG": "en", "HOME": str(folder)},
    )
    return ran.stdout


def test_bash_completes(tmp_path: Path) -> None:
    script = tmp_path / "completion.bash"
    script.write_text(SHELLS["bash"])
    ask = (
        f'source {script}; COMP_LINE="botequim match cubos champion@e"; COMP_POINT=${{#COMP_LINE}}; '
        "COMP_WORDS=(botequim match cubos champion @ e); COMP_CWORD=5; compopt() { :; }; "
        '_botequim; echo "${COMPREPLY[@]}"; complete -p botequim'
    )
    out = in_shell("bash", "--norc", "-c", ask, folder=tmp_path)
    assert out.splitlines() == ["easy", "complete -o default -F _botequim botequim"]


def test_zsh_completes(tmp_path: Path) -> None:
    script = tmp_path / "completion.zsh"
    script.write_text(SHELLS["zsh"])
    ask = (
        "compdef() { :; }; compadd() { shift; print -l ${(P)1}; }; _files() { print files; }; "
        f"source {script}; CURRENT=3; words=(botequim match ''); _botequim; "
        "words=(botequim show ''); _botequim"
    )
    out = in_shell("zsh", "-f", "-c", ask, folder=tmp_path)
    assert out.split() == ["cubos", "fives", "havana", "rps", "uno", "files"]


def test_fish_completes(tmp_path: Path) -> None:
    script = tmp_path / "completion.fish"
    script.write_text(SHELLS["fish"])
    ask = f'source {script}; complete -C "botequim match f"'
    out = in_shell("fish", "--no-config", "-c", ask, folder=tmp_path)
    assert "fives" in out


def test_every_command_has_examples_and_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    whole = parser()
    for name in COMMANDS:
        with pytest.raises(SystemExit) as caught:
            whole.parse_args([name, "--help"])
        assert caught.value.code == 0
        assert f"botequim {name}" in capsys.readouterr().out.split("Examples:")[1]
    with pytest.raises(SystemExit):
        main(["--help"])
    help_text = capsys.readouterr().out
    for name in COMMANDS:
        assert f"\n    {name} " in help_text
    assert "Exit codes: 0 " in help_text


def loaded_modules(*lines: list[str]) -> set[str]:
    """What these command lines load, all in one process."""
    code = (
        "import sys, botequim.cli\n"
        f"for words in {lines!r}:\n"
        "    try: botequim.cli.main(words)\n"
        "    except SystemExit: pass\n"
        "print('\\nloaded:', *sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(ran.stdout.rpartition("loaded:")[2].split())


HEAVY = {
    "rich",
    "asyncio",
    "sqlite3",
    "botequim.sandbox",
    "botequim.sandbox.containers",
    "botequim.match.runner",
}


def test_help_loads_nothing_of_what_commands_do() -> None:
    assert not loaded_modules(["--help"]) & (HEAVY | {"botequim.registry", "botequim.cli.bots"})
    found = loaded_modules(*([name, "--help"] for name in COMMANDS if name != "completion"))
    assert not found & (HEAVY | {"botequim.cli.bots"})
    # help reads the plugins, for their examples, and nothing else of a game
    assert not [name for name in found if re.match(r"botequim\.games\.\w+\.", name)]


def test_completion_loads_nothing_of_what_commands_do() -> None:
    lines = ("botequim ", "botequim match cubos ", "botequim play fives --against ", "botequim cup run --")
    assert not loaded_modules(*(["completion", "--line", line] for line in lines)) & HEAVY


def test_what_options_take_is_what_there_is() -> None:
    def choices(command: str, option: str) -> list[str]:
        return candidates(f"botequim {command} {option} ")

    assert choices("cup new", "") == sorted(template_names())
    assert choices("match cubos a b", "--restart") == sorted(Restart)
    assert choices("picture", "--theme") == sorted(theme.value for theme in Theme)
    assert choices("picture", "--shape") == ["hall", "tall", "wide"]
    assert choices("picture", "--game") == []  # a number
