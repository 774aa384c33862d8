"""Checks the log of changes in a bundle.

The chain of digests shows that no entry was removed, altered or moved since the last digest was written. What
the changes did follows from the log: `botequim.cup.stage_audit` checks each series with the changes in force
for it. Here every entry is checked against the state to which it was applied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.cup import bundle
from botequim.cup.bundle_reading import Reader
from botequim.cup.change_rules import problem
from botequim.cup.changes import ChangeEntry, LateEntrant, Log, NewFiles, chain_problem, log_start, read_log
from botequim.cup.stage_audit import Proof
from botequim.cup.stage_names import stage_name
from botequim.cup.stages import commitment


def claimed_log(reader: Reader, manifest: Mapping[str, Any]) -> Log:
    """Return the log of a bundle; () if its manifest has none. Raise InputError if it cannot be read."""
    if "changes" not in manifest:
        return ()
    try:
        log = read_log(reader.json(bundle.CHANGES))
    except InputError as error:
        where = reader.where(bundle.CHANGES)
        raise InputError(msg("{where}: {what}", where=where, what=error.message)) from error
    if not log:
        raise InputError(msg("{path} has no entries", path=reader.where(bundle.CHANGES)))
    return log


def check_changes(proof: Proof, manifest: Mapping[str, Any], claimed: Mapping[str, Sequence[Any]]) -> None:
    """Check the log, and which series it lets count."""
    _check_counts(proof, claimed)
    if not proof.log:
        return
    _check_chain(proof, manifest)
    for entry in proof.log:
        counts = {name: len(found) for name, found in proof.progress.results.items()}
        if any(entry.after[name] > counts.get(name, 0) for name in entry.after):
            proof.find(_where(entry.number), msg("it counts more finished series than there are"))
            continue
        why = problem(proof.cup, proof.progress.before(entry), entry.change)
        if why is not None:
            proof.find(_where(entry.number), msg("this change was not possible then: {why}", why=why))
        _check_pin(proof, manifest, entry)


def _where(number: int) -> Message:
    return msg("{file}, entry {number}", file=bundle.CHANGES, number=number)


def _check_chain(proof: Proof, manifest: Mapping[str, Any]) -> None:
    found = chain_problem(proof.log, log_start(proof.cup.digest(), commitment(proof.seed)))
    if found is not None:
        number, what = found
        proof.find(_where(number), what)
    end = manifest["changes"]
    expected = end.get("entries") if isinstance(end, dict) else None
    last = proof.log[-1]
    if expected != last.number:
        proof.find(
            _where(last.number),
            msg(
                "this is the last entry, but the log had {count} entries when the bundle was written",
                count=str(expected),
            ),
        )
    elif end.get("digest") != last.digest:
        proof.find(_where(last.number), msg("its digest is not the one of the last entry in bundle.json"))


def _check_pin(proof: Proof, manifest: Mapping[str, Any], entry: ChangeEntry) -> None:
    """Report if the manifest has other files for an entry than the log."""
    match entry.change:
        case LateEntrant(name):
            pin = manifest["entrants"].get(name)
        case NewFiles():
            files = manifest.get("new_files")
            pin = files.get(str(entry.number)) if isinstance(files, dict) else None
        case _:
            return
    pin = pin if isinstance(pin, dict) else {}
    if any((pin.get(name) or "") != entry.pin.get(name, "") for name in ("wire", "files")):
        proof.find(_where(entry.number), msg("its files are not those in bundle.json"))


def _check_counts(proof: Proof, claimed: Mapping[str, Sequence[Any]]) -> None:
    for plan in proof.cup.plans:
        uncounted = proof.progress.void_series(plan.name)
        for claim in claimed.get(plan.name, ()):
            key = claim.get("key") if isinstance(claim, dict) else None
            if isinstance(key, str) and claim.get("counts", True) is not (key not in uncounted):
                proof.find(
                    msg(
                        "{file}, stage {stage}, series {key}",
                        file=bundle.RESULTS,
                        stage=stage_name(plan.name),
                        key=key,
                    ),
                    msg("whether it counts does not follow from the log of changes"),
                )
