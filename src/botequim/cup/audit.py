"""Checks a bundle from scratch. It trusts only the cup file, the seed and the moves.

The records are refereed again, and give the results. The formats compute the pairings and the standings from
these results. Then everything else in the bundle is compared with that. Each file is read once, and every
file of the bundle is accounted for. docs/reference/security.md describes what this proves, and what it does
not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.results import SeriesResult
from botequim.cup import bundle
from botequim.cup.bundle_reading import Reader
from botequim.cup.change_audit import check_changes, claimed_log
from botequim.cup.config_parser import parse as parse_cup
from botequim.cup.format import Round
from botequim.cup.rounds import read_rounds, stages_with_stored_rounds
from botequim.cup.stage_audit import Proof, StageCheck
from botequim.cup.stage_changes import reason_by_games
from botequim.cup.stage_names import stage_name
from botequim.cup.stages import CupState, commitment
from botequim.cup.titles import with_titles
from botequim.cup.withdrawals import read_withdrawals, with_late_entrants, without


def verify_bundle(path: Path, on_record: Callable[[int], None] = lambda count: None) -> Proof:
    """Check a whole bundle. `on_record` is called with the number of records that were checked.

    Raise InputError if the bundle cannot be read at all.
    """
    with Reader(path) as reader:
        manifest = _manifest(reader)
        proof = _start_proof(reader, manifest)
        _account_for_files(reader, manifest, proof)
        results: dict[str, dict[str, SeriesResult]] = {}
        proof.progress = replace(proof.progress, results=results)  # each is added when it is checked
        claimed = _claimed_results(reader)
        standings = reader.json(bundle.STANDINGS)
        rounds = _claimed_rounds(reader, proof)
        for name in _whole_files(proof):
            _check_digest(proof, manifest, name, reader.digest(name))
        for name in claimed:
            if all(plan.name != name for plan in proof.cup.plans):
                proof.find(bundle.RESULTS, msg('the cup has no stage "{name}"', name=name))
        for plan in proof.cup.plans:
            name = bundle.records_name(plan.name)
            lines = reader.lines(name)
            claimed_rounds = rounds.get(plan.name, ())
            stage = StageCheck(
                reader.where(name), lines, manifest, proof, plan, results, claimed_rounds, on_record
            )
            stage.check(claimed.get(plan.name, []))
            _check_digest(proof, manifest, name, lines.digest())
        proof.progress = replace(proof.progress, log=proof.log)
        proof.cup = with_titles(proof.cup, proof.pairs)
        check_changes(proof, manifest, claimed)
        _check_standings(standings, proof)
        return proof


# --- what it says it is ------------------------------------------------------------------------------


def _manifest(reader: Reader) -> dict[str, Any]:
    manifest = reader.json(bundle.MANIFEST)
    where = reader.where(bundle.MANIFEST)
    if not isinstance(manifest, dict) or "botequim_bundle" not in manifest:
        raise InputError(msg('{path}: "botequim_bundle" is missing, so this is not a bundle', path=where))
    if manifest["botequim_bundle"] != bundle.VERSION:
        raise InputError(
            msg(
                "{path}: a bundle of version {found}; this program reads {known}",
                path=where,
                found=str(manifest["botequim_bundle"]),
                known=bundle.VERSION,
            )
        )
    kinds = {"cup": str, "game": str, "digest": str, "commitment": str, "seed": str} | {
        "entrants": dict,
        "files": dict,
    }
    for key, kind in kinds.items():
        if not isinstance(manifest.get(key), kind):
            raise InputError(msg('{path}: "{key}" is missing or of the wrong kind', path=where, key=key))
    return manifest


def _start_proof(reader: Reader, manifest: Mapping[str, Any]) -> Proof:
    """Return a proof with the cup, and check what the manifest says about the cup as a whole."""
    cup = parse_cup(reader.text(bundle.CUP_FILE), Path(reader.where(bundle.CUP_FILE)))
    seed, promise = manifest["seed"], manifest["commitment"]
    withdrawals = manifest.get("absent", {})
    if not isinstance(withdrawals, dict):
        raise InputError(msg('"absent" in bundle.json must be an object'))
    log = claimed_log(reader, manifest)
    cup = with_late_entrants(without(cup, read_withdrawals(cup, withdrawals)), log)
    digest = "sha256:" + reader.digest(bundle.MANIFEST)
    proof = Proof(reader.path, digest, cup, seed, promise, cup.promises, cup.state(seed), log)
    for key, found in (("cup", cup.name), ("game", cup.game), ("digest", cup.digest())):
        if manifest[key] != found:
            proof.find(
                bundle.MANIFEST,
                msg(
                    '"{key}" is {found}, but the cup file has {expected}',
                    key=key,
                    found=manifest[key],
                    expected=found,
                ),
            )
    if commitment(seed) != promise:
        proof.find(bundle.MANIFEST, msg("the seed does not match the commitment {promise}", promise=promise))
    if cup.commitment not in (None, promise):
        proof.find(bundle.MANIFEST, msg("the commitment is not the one in the cup file"))
    if cup.seed not in (None, seed):
        proof.find(bundle.MANIFEST, msg("the seed is not the one in the cup file"))
    names = {entry.name for entry in cup.entrants}
    if set(manifest["entrants"]) != names or not all(
        isinstance(one, dict) for one in manifest["entrants"].values()
    ):
        raise InputError(
            msg("{path}: the entrants are not those in the cup file", path=reader.where(bundle.MANIFEST))
        )
    for entry in cup.entrants:
        if entry.null and manifest["entrants"][entry.name] != manifest["entrants"][entry.twin_of]:
            proof.find(
                bundle.MANIFEST,
                msg(
                    '"{name}" did not have the same files as "{twin}", of which it is a copy',
                    name=entry.name,
                    twin=entry.twin_of,
                ),
            )
    return proof


def _account_for_files(reader: Reader, manifest: Mapping[str, Any], proof: Proof) -> None:
    """Report files that are extra or wrongly listed. A missing file is an InputError when it is read."""
    wanted = _whole_files(proof)
    wanted += [bundle.records_name(plan.name) for plan in proof.cup.plans]
    for name in reader.extra([bundle.MANIFEST, *wanted]):
        proof.find(name, msg("this does not belong to the bundle"))
    for name in sorted(set(manifest["files"]) - set(wanted)):
        proof.find(
            bundle.MANIFEST, msg('"files" lists {name}, which does not belong to the bundle', name=name)
        )


def _whole_files(proof: Proof) -> list[str]:
    """Return the names of the files that are read as a whole, beside the manifest."""
    names = [bundle.CUP_FILE, bundle.RESULTS, bundle.STANDINGS]
    rounds = [bundle.ROUNDS] if stages_with_stored_rounds(proof.cup) else []
    return names + rounds + ([bundle.CHANGES] if proof.log else [])


def _check_digest(proof: Proof, manifest: Mapping[str, Any], name: str, digest: str) -> None:
    if manifest["files"].get(name) != digest:
        proof.find(name, msg("its SHA-256 is not the one in bundle.json"))


def _claimed_results(reader: Reader) -> dict[str, list[Any]]:
    claimed = reader.json(bundle.RESULTS)
    if not isinstance(claimed, dict) or not all(isinstance(one, list) for one in claimed.values()):
        raise InputError(
            msg("{path} must contain a list of series for each stage", path=reader.where(bundle.RESULTS))
        )
    return claimed


def _claimed_rounds(reader: Reader, proof: Proof) -> dict[str, tuple[Round, ...]]:
    stages = stages_with_stored_rounds(proof.cup)
    if not stages:
        return {}
    content = reader.json(bundle.ROUNDS)
    try:
        rounds = read_rounds(content)
    except InputError as error:
        where = reader.where(bundle.ROUNDS)
        raise InputError(msg("{where}: {what}", where=where, what=error.message)) from error
    for name in sorted(rounds.keys() - stages):
        proof.find(bundle.ROUNDS, msg('"{name}" is not a stage whose rounds are stored', name=name))
    return rounds


def _check_standings(claimed: Any, proof: Proof) -> None:
    claimed = claimed if isinstance(claimed, dict) else {}
    stages = claimed.get("stages")
    stages = stages if isinstance(stages, dict) else {}
    # earlier versions wrote the reasons without the disqualifications because of which entrants moved up
    accepted = [_with_columns_of(stages, proof.progress, text) for text in (str, reason_by_games)]
    for plan in proof.progress.plans:
        name = plan.name
        if stages.get(name) not in [one["stages"][name] for one in accepted]:
            proof.find(
                bundle.STANDINGS,
                msg('the table of "{stage}" does not match the records', stage=stage_name(name)),
            )
    if claimed.get("overall") not in [one["overall"] for one in accepted]:
        proof.find(bundle.STANDINGS, msg("the table of the whole cup does not match the records"))


def _with_columns_of(
    claimed: Mapping[str, Any], progress: CupState, text: Callable[[Message], str]
) -> dict[str, Any]:
    """Return the tables without columns that were added after the bundle was written.

    That is, of the columns with `added_in`, those that the claimed table of a stage has in no row.
    """
    real = bundle.standings_json(progress, text)
    absent_for: dict[str, set[str]] = {}
    """By entrant: the row of the whole cup has the columns of its last stage."""
    for plan in progress.plans:
        standings = progress.standings(plan.name)
        columns = () if standings is None else standings.columns
        absent = {column.name for column in columns if column.added_in} - _columns(claimed.get(plan.name))
        rows = real["stages"][plan.name]
        absent_for |= {} if plan.beside else {row["entrant"]: absent for row in rows}
        real["stages"][plan.name] = [_without(row, absent) for row in rows]
    real["overall"] = [_without(row, absent_for[row["entrant"]]) for row in real["overall"]]
    return real


def _columns(rows: Any) -> set[str]:
    """Return the names of the figures in rows of a bundle."""
    figures = [row.get("figures") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return {name for one in figures if isinstance(one, dict) for name in one}


def _without(row: Mapping[str, Any], columns: Collection[str]) -> dict[str, Any]:
    figures = {name: value for name, value in row["figures"].items() if name not in columns}
    return {**row, "figures": figures}
