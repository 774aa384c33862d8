"""`botequim verify`: check records and bundles."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim.cli.options import command
from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import msg
from botequim.core.sanitize import printable
from botequim.i18n import _, _n, error_text, translate

if TYPE_CHECKING:
    from botequim.cup.config import Cup
    from botequim.cup.stage_audit import Proof
    from botequim.records.verify import Verdict


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "verify",
        description=_(
            "Plays every record again from its moves with the same referee. If the record has a "
            "seed and\n"
            "digests, checks the deals against the seed and the lines against the digests. In a "
            "folder, verifies\n"
            "all *.jsonl files.\n"
            "A bundle of a cup (a .zip file, or a folder with bundle.json) is verified as a "
            "whole: seeds and\n"
            "seats against the cup's seed, results against records, pairings and standings "
            "against results."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim verify game.jsonl\n"
            "  botequim verify games/ --json\n"
            "  botequim verify cup-bundle.zip\n"
            "Exit code 0: everything is correct; 1: something is wrong or cannot be read."
        ),
    )
    parser.add_argument(
        "files", metavar=_("FILE"), nargs="+", type=Path, help=_("records, folders of records, or bundles")
    )
    parser.add_argument("--quiet", action="store_true", help=_("list only records that fail"))
    parser.add_argument("--json", action="store_true", help=_("one JSON object per record"))
    parser.set_defaults(run=command(run))
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Check every record of every file, and count them."""
    from botequim.cup.bundle import is_bundle

    true = false = 0
    for path in _files(arguments.files):
        try:
            for ok, text in _bundle(path, arguments) if is_bundle(path) else _records(path, arguments):
                true, false = true + ok, false + (not ok)
                if text:
                    print(text)
        except BotequimError as error:
            false += 1
            if arguments.json:
                print(
                    json.dumps(
                        {"file": str(path), "ok": False, "error": error_text(error)}, ensure_ascii=False
                    )
                )
            else:
                print(_("FAILED {what}", what=error_text(error)))
    if not arguments.json:
        print(_("{true} correct, {false} not", true=true, false=false))
    return 1 if false else 0


def _records(path: Path, arguments: argparse.Namespace) -> Iterator[tuple[bool, str]]:
    """Yield for each record of a file whether it is correct, and what to print."""
    from botequim.records.reader import read_records
    from botequim.records.verify import verify_record

    if os.path.isdir(path):  # noqa: PTH112
        raise InputError(msg("there are no *.jsonl files in the folder {path}", path=str(path)))
    for found in read_records(path):
        verdict = verify_record(found)
        if arguments.json:
            yield verdict.ok, json.dumps(_as_json(verdict), ensure_ascii=False)
        else:
            yield verdict.ok, "" if verdict.ok and arguments.quiet else _sentence(verdict)


def _files(given: list[Path]) -> Iterator[Path]:
    from botequim.cup.bundle import is_bundle

    for path in given:
        # os.path, because pathlib raises for names that are too long to be any
        if os.path.isdir(path) and not is_bundle(path):  # noqa: PTH112
            yield from sorted(path.rglob("*.jsonl")) or [path]
        else:
            yield path


def _sentence(verdict: Verdict) -> str:
    found = verdict.raw
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
        _("FAILED {where}: {what}", where=where, what=translate(mismatch.sentence()))
        for mismatch in verdict.mismatches
    )


def _claims(verdict: Verdict) -> Iterator[str]:
    yield _("follows the rules")
    yield _("the deals match the seed") if verdict.has_seed else _("no seed, so the deals were not checked")
    yield _("the digests match") if verdict.has_digests else _("no digests, so only the rules were checked")


def _as_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "file": verdict.raw.path,
        "line": verdict.raw.header.number,
        "game": verdict.raw.game,
        "turns": len(verdict.raw.turns),
        "ok": verdict.ok,
        "seed": verdict.has_seed,
        "digests": verdict.has_digests,
        "departures": [
            {
                "line": mismatch.line,
                "turn": mismatch.turn,
                "expected": translate(mismatch.expected),
                "found": translate(mismatch.found),
            }
            for mismatch in verdict.mismatches
        ],
    }


# --- bundles -----------------------------------------------------------------------------------------


def _bundle(path: Path, arguments: argparse.Namespace) -> Iterator[tuple[bool, str]]:
    from botequim.cli.progress import counting
    from botequim.cup.audit import verify_bundle

    with counting() as tell:
        proof = verify_bundle(path, lambda n: tell(_n("{n} record", "{n} records", n)))
    if arguments.json:
        yield proof.ok, json.dumps(_bundle_json(proof), ensure_ascii=False)
    elif not proof.ok:
        yield (
            False,
            "\n".join(
                _("FAILED {where}: {what}", where=path, what=translate(finding.sentence()))
                for finding in proof.findings
            ),
        )
    else:
        yield True, "" if arguments.quiet else "\n".join(_bundle_lines(proof))


def _bundle_lines(proof: Proof) -> Iterator[str]:
    yield _(
        'OK     {where}: "{cup}", {series} series and {records} records; seeds, results and '
        "standings are correct",
        where=proof.path,
        cup=proof.cup.name,
        series=proof.series,
        records=proof.records,
    )
    if proof.promised:
        yield _(
            "       the seed matches the commitment in the cup file: {commitment}",
            commitment=proof.commitment,
        )
    else:
        yield _(
            "       compare with the digest that was published before the cup: {commitment}",
            commitment=proof.commitment,
        )
    yield _("       compare with the digest that was published after the cup: {digest}", digest=proof.digest)
    for absence in proof.cup.absent:
        name = _shown(proof.cup, absence.entry.name)
        yield "       " + _("{name} did not start: {why}", name=name, why=absence.why)
    for row in proof.progress.overall()[:3]:
        yield f"       {row.place}. " + _shown(proof.cup, row.entrant)


def _shown(cup: Cup, name: str) -> str:
    from botequim.cup.titles import title_with_name

    return printable(title_with_name(cup.title(name), name))


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
        "overall": [
            {"place": row.place, "entrant": row.entrant, "title": proof.cup.title(row.entrant)}
            for row in proof.progress.overall()
        ],
        "absent": {one.entry.name: translate(one.why) for one in proof.cup.absent},
        "findings": [{"where": translate(one.where), "what": translate(one.what)} for one in proof.findings],
    }
