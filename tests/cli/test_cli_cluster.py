"""`botequim cluster`."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from botequim.cli import cluster_status, main
from botequim.cluster.credentials import read_credentials

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_create_writes_both_files_and_says_what_they_are_for(capsys: Captured) -> None:
    assert main(["cluster", "create", "lab"]) == 0
    first, second, warning = capsys.readouterr().out.splitlines()
    assert first.startswith("lab.cluster.pem: the key file, valid until ")
    assert second.startswith("lab.ca.pem: the CA.")
    assert "run programs on all machines" in warning
    assert read_credentials(Path("lab.cluster.pem"))
    assert main(["cluster", "create", "lab"]) == 2
    assert "lab.ca.pem exists already and is not overwritten" in capsys.readouterr().err


def test_another_key_file_of_the_same_ca(capsys: Captured) -> None:
    assert main(["cluster", "create", "lab", "--days", "1"]) == 0
    capsys.readouterr()
    assert main(["cluster", "create", "lab-2030", "--ca", "lab.ca.pem", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["key_file"], result["ca"]) == ("lab-2030.cluster.pem", None)
    old, new = (read_credentials(Path(f"{name}.cluster.pem")) for name in ("lab", "lab-2030"))
    assert old is not None
    assert new is not None
    assert old.authority == new.authority
    assert old.expires < new.expires
    assert result["expires"] == new.expires.isoformat()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["../lab"], '"../lab" cannot be the name of a cluster'),
        (["lab", "--ca", "missing.pem"], "missing.pem cannot be read: there is no such file or folder"),
    ],
)
def test_wrong_input_is_answered_in_a_sentence(words: list[str], why: str, capsys: Captured) -> None:
    assert main(["cluster", "create", *words]) == 2
    assert why in capsys.readouterr().err
    assert not list(Path().iterdir())


def test_days_have_bounds(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as left:
        main(["cluster", "create", "lab", "--days", "0"])
    assert left.value.code == 2
    assert '"0" is not a whole number from 1 to 36500' in capsys.readouterr().err


@pytest.mark.parametrize("package", ["cryptography", "distributed"])
def test_a_missing_extra_is_named_with_the_command_that_installs_it(package: str) -> None:
    program = (
        "import sys\n"
        f"sys.modules[{package!r}] = None\n"
        "from botequim.cli import main\n"
        "sys.exit(main(['cluster', 'create', 'lab']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("botequim: a cluster needs the extra `cluster`: ")
    assert done.stderr.endswith("[cluster]'\n")


def test_status_explains_machines_that_stand_by_and_labels_that_occur_twice(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = {"label": "lab-1", "slots": 2, "playing": 0, "speed": 1.0, "offers": [], "problem": ""}
    standby = {"lab-2": "drained", "lab-3": "outside its hours, 22:00-06:00", "lab-4": "leaving"}

    class Scheduler:
        def call(self, operation: str) -> object:
            assert operation == "botequim_machines"
            return {"workers": {"tls://a:1": machine, "tls://b:1": machine}, "standby": standby}

    monkeypatch.setattr(cluster_status, "_connection", lambda arguments: nullcontext(Scheduler()))
    assert main(["cluster", "status", "tls://lab:8786"]) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "Several machines are called lab-1, so reports cannot tell them apart" in output
    assert "lab-2 does not take part: it is drained" in output
    assert "lab-3 does not take part: its hours of use are 22:00-06:00" in output
    assert "lab-4 does not take part: it finishes its games and leaves" in output
