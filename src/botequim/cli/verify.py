"""`botequim verify`: check records and bundles."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from botequim.cli.options import command
from botequim.cli.stores import add_store, read_cup
from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import msg
from botequim.core.sanitize import printable
from botequim.i18n import _, _n, error_text, translate

if TYPE_CHECKING:
    from botequim.cup.config import Cup
    from botequim.cup.stage_audit import Proof
    from botequim.records.reader import RawRecord
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
            "against results.\n"
            "A cup file stands for the public games of the cup; a finished cup is verified like a "
            "bundle."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim verify game.jsonl\n"
            "  botequim verify games/ --json\n"
            "  botequim verify cup-bundle.zip\n"
            "  botequim verify rinha.toml\n"
            "Exit code 0: everything is correct; 1: something is wrong or cannot be read."
        ),
    )
    parser.add_argument(
        "files",
        metavar=_("FILE"),
        nargs="+",
        type=Path,
        help=_("records, folders of records, bundles, or cup files"),
    )
    add_store(parser)
    parser.add_argument("--quiet", action="store_true", help=_("list only records that fail"))
    parser.add_argument("--json", action="store_true", help=_("one JSON object per record"))
    parser.set_defaults(run=command(run))
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Check every record of every file, and count them."""
    true = false = 0
    for path in _files(arguments.files):
        try:
            for ok, text in _verdicts(path, arguments):
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


def _verdicts(path: Path, arguments: argparse.Namespace) -> Iterator[tuple[bool, str]]:
    """Return the results for a record file, a bundle or a cup: whether each is correct, and what to print."""
    from botequim.cup.bundle import is_bundle

    if is_bundle(path):
        return _bundle(path, arguments)
    if path.suffix == ".toml" or (arguments.store and not path.exists()):
        return _cup(path, arguments)
    return _records(path, arguments)


def _records(path: Path, arguments: argparse.Namespace) -> Iterator[tuple[bool, str]]:
    """Yield whether each record of a file is correct, and what to print."""
    from botequim.records.reader import read_records

    if os.path.isdir(path):  # noqa: PTH112
        raise InputError(msg("there are no *.jsonl files in the folder {path}", path=str(path)))
    for raw in read_records(path):
        yield _record(raw, arguments)


def _record(raw: RawRecord, arguments: argparse.Namespace) -> tuple[bool, str]:
    from botequim.records.verify import verify_record

    verdict = verify_record(raw)
    if arguments.json:
        return verdict.ok, json.dumps(_as_json(verdict), ensure_ascii=False)
    return verdict.ok, "" if verdict.ok and arguments.quiet else _sentence(verdict)


def _cup(path: Path, arguments: argparse.Namespace) -> Iterator[tuple[bool, str]]:
    """Verify the cup as a whole if it is over and public, else each public game."""
    from botequim.cup.bundle import write_bundle
    from botequim.cup.paths import CupPaths
    from botequim.cup.rounds import stored_state
    from botequim.cup.stage_names import stage_title
    from botequim.cup.withdrawals import without_withdrawn
    from botequim.records.reader import parse
    from botequim.storage.visibility import Visibility

    cup = read_cup(path, arguments.store)
    storage = CupPaths.of_cup(cup).storage
    with storage.open_results(check=True) as store, TemporaryDirectory() as folder:
        visibility = Visibility.of(store, storage)
        cup = without_withdrawn(cup, store)
        progress = stored_state(cup, store, visibility.results())
        if progress.over and not visibility.hides:
            bundle = Path(folder) / "bundle.zip"
            write_bundle(cup, progress, store, bundle)
            yield from _bundle(bundle, arguments, name=path)
            return
        for game in visibility.games():
            lines = visibility.record(store, game.series.number, game.number) or []
            series = translate(cup.series_text(game.series.stage, game.series.key))
            where = f"{path}: {stage_title(game.series.stage)}, {series}, {game.number + 1}"
            raw = next(parse([line.encode("utf-8", "surrogatepass") for line in lines], where))
            yield _record(raw, arguments)


def _files(paths: list[Path]) -> Iterator[Path]:
    from botequim.cup.bundle import is_bundle

    for path in paths:
        # os.path returns False for names that are too long; pathlib raises an error
        if os.path.isdir(path) and not is_bundle(path):  # noqa: PTH112
            yield from sorted(path.rglob("*.jsonl")) or [path]
        else:
            yield path


def _sentence(verdict: Verdict) -> str:
    raw = verdict.raw
    where = raw.path if raw.header.number == 1 else f"{raw.path}:{raw.header.number}"
    if verdict.ok:
        return _(
            "OK     {where}: {game}, {turns} turns; {claims}",
            where=where,
            game=raw.game,
            turns=len(raw.turns),
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


def _bundle(
    path: Path, arguments: argparse.Namespace, name: Path | None = None
) -> Iterator[tuple[bool, str]]:
    """Yield whether a bundle is correct, and what to print. `name` is printed instead of its path."""
    from botequim.cli.progress import counting
    from botequim.cup.audit import verify_bundle

    with counting() as tell:
        proof = verify_bundle(path, lambda n: tell(_n("{n} record", "{n} records", n)))
    proof = replace(proof, path=name or path)
    if arguments.json:
        yield proof.ok, json.dumps(_bundle_json(proof), ensure_ascii=False)
    elif not proof.ok:
        yield False, "\n".join(_finding_lines(proof))
    else:
        yield True, "" if arguments.quiet else "\n".join(_bundle_lines(proof))


def _finding_lines(proof: Proof) -> Iterator[str]:
    cause = next((one for one in proof.findings[:-1] if one.has_consequences), None)
    for finding in proof.findings:
        yield _("FAILED {where}: {what}", where=proof.path, what=translate(finding.sentence()))
        if finding is cause:
            yield "       " + _("the following findings may be consequences of this")


def _bundle_lines(proof: Proof) -> Iterator[str]:
    yield _(
        'OK     {where}: "{cup}", {series} series and {records} records; seeds, results and '
        "standings are correct",
        where=proof.path,
        cup=proof.cup.name,
        series=proof.series,
        records=proof.records,
    )
    if proof.cup.commitment is None and proof.cup.seed is not None:
        yield _(
            "       the seed is the one in the cup file, with the digest {digest}", digest=proof.commitment
        )
    elif proof.promised:
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
        name = _entrant_name(proof.cup, absence.entry.name)
        yield "       " + _("{name} did not start: {why}", name=name, why=absence.why)
    if proof.log:
        from botequim.cli.cup_status import change_lines

        yield from (f"       {line}" for line in change_lines(proof.cup, proof.progress))
    for row in proof.progress.overall()[:3]:
        yield f"       {row.place}. " + _entrant_name(proof.cup, row.entrant)


def _entrant_name(cup: Cup, name: str) -> str:
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
        "changes": [entry.as_json() for entry in proof.log],
        "findings": [{"where": translate(one.where), "what": translate(one.what)} for one in proof.findings],
    }
