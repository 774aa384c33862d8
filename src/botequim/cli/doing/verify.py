"""`botequim verify`: are these records true?"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from botequim.cli.doing.progress import counting
from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import harmless, msg
from botequim.core.reading import read_records
from botequim.cup.bundle import is_bundle
from botequim.cup.proof import Proof, verify_bundle
from botequim.i18n import _, _n, say, say_error
from botequim.verify import Verdict, verify


def run(arguments: argparse.Namespace) -> int:
    """Check every record of every file, and count."""
    true = false = 0
    for path in _files(arguments.files):
        try:
            for ok, told in _bundle(path, arguments) if is_bundle(path) else _records(path, arguments):
                true, false = true + ok, false + (not ok)
                if told:
                    print(told)
        except BotequimError as error:
            false += 1
            if arguments.json:
                print(
                    json.dumps(
                        {"file": str(path), "ok": False, "error": say_error(error)}, ensure_ascii=False
                    )
                )
            else:
                print(_("FAILED {what}", what=say_error(error)))
    if not arguments.json:
        print(_("{true} true, {false} not", true=true, false=false))
    return 1 if false else 0


def _records(path: Path, arguments: argparse.Namespace) -> Iterator[tuple[bool, str]]:
    """Each record of a file: whether it is true, and what to print of it."""
    if os.path.isdir(path):  # noqa: PTH112
        raise InputError(msg("there are no *.jsonl files in the folder {path}", path=str(path)))
    for found in read_records(path):
        verdict = verify(found)
        if arguments.json:
            yield verdict.ok, json.dumps(_as_json(verdict), ensure_ascii=False)
        else:
            yield verdict.ok, "" if verdict.ok and arguments.quiet else _sentence(verdict)


def _files(given: list[Path]) -> Iterator[Path]:
    for path in given:
        # os.path, because pathlib raises for names that are too long to be any
        if os.path.isdir(path) and not is_bundle(path):  # noqa: PTH112
            yield from sorted(path.rglob("*.jsonl")) or [path]
        else:
            yield path


def _sentence(verdict: Verdict) -> str:
    found = verdict.found
    where = found.path if found.header.number == 1 else f"{found.path}:{found.header.number}"
    if verdict.ok:
        return _(
            "OK     {where}: {game}, {turns} turns; {claims}",
            where=where,
            game=found.game,
            turns=len(found.turns),
            claims="; ".join(_claims(verdict)),
        )
    return "\n".join(
        _("FAILED {where}: {what}", where=where, what=say(departure.sentence()))
        for departure in verdict.departures
    )


def _claims(verdict: Verdict) -> Iterator[str]:
    yield _("by the rules")
    yield _("chance follows from the seed") if verdict.has_seed else _("no seed to check chance against")
    yield _("digests hold") if verdict.has_digests else _("no digests, so by the rules alone")


def _as_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "file": verdict.found.path,
        "line": verdict.found.header.number,
        "game": verdict.found.game,
        "turns": len(verdict.found.turns),
        "ok": verdict.ok,
        "seed": verdict.has_seed,
        "digests": verdict.has_digests,
        "departures": [
            {
                "line": departure.line,
                "turn": departure.turn,
                "expected": say(departure.expected),
                "found": say(departure.found),
            }
            for departure in verdict.departures
        ],
    }


# --- bundles -----------------------------------------------------------------------------------------


def _bundle(path: Path, arguments: argparse.Namespace) -> Iterator[tuple[bool, str]]:
    with counting() as tell:
        proof = verify_bundle(path, lambda n: tell(_n("{n} record", "{n} records", n)))
    if arguments.json:
        yield proof.ok, json.dumps(_bundle_json(proof), ensure_ascii=False)
    elif not proof.ok:
        yield (
            False,
            "\n".join(
                _("FAILED {where}: {what}", where=path, what=say(finding.sentence()))
                for finding in proof.findings
            ),
        )
    else:
        yield True, "" if arguments.quiet else "\n".join(_bundle_lines(proof))


def _bundle_lines(proof: Proof) -> Iterator[str]:
    yield _(
        'OK     {where}: "{cup}", {series} series and {records} records, from the seed to the last table',
        where=proof.path,
        cup=proof.cup.name,
        series=proof.series,
        records=proof.records,
    )
    if proof.promised:
        yield _("       the cup file promised this seed: {commitment}", commitment=proof.commitment)
    else:
        yield _(
            "       compare with what was published before the cup: {commitment}", commitment=proof.commitment
        )
    yield _("       compare with what was published after it: {digest}", digest=proof.digest)
    for absence in proof.cup.absent:
        name = absence.entry.name
        yield "       " + _("{name} did not start: {why}", name=name, why=absence.why)
    for row in proof.progress.overall()[:3]:
        yield f"       {row.place}. " + harmless(row.entrant)


def _bundle_json(proof: Proof) -> dict[str, Any]:
    return {
        "file": str(proof.path),
        "ok": proof.ok,
        "cup": proof.cup.name,
        "game": proof.cup.game,
        "series": proof.series,
        "records": proof.records,
        "seed": proof.seed,
        "commitment": proof.commitment,
        "promised": proof.promised,
        "digest": proof.digest,
        "overall": [{"place": row.place, "entrant": row.entrant} for row in proof.progress.overall()],
        "absent": {one.entry.name: say(one.why) for one in proof.cup.absent},
        "findings": [{"where": say(one.where), "what": say(one.what)} for one in proof.findings],
    }
