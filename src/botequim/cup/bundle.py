"""A cup in one piece, so that anybody can referee it again: a folder, or one .zip.

==========================  =======================================================================
`bundle.json`               what it is: name, seed and commitment, the entrants' digests, and the
                            SHA-256 of every other file; its own digest names the whole bundle.
                            `builds` of an entrant has, by platform, the digests of the files with
                            which machines of a cluster played that had to build it themselves.
                            `absent` says who did not start, and why, if anybody did not
`cup.toml`                  the cup file, as it was when the cup began
`results.json`              by stage: the series in the order they were finished, each as
                            `SeriesResult.as_json` has it, with the digests of its games' records
`standings.json`            by stage, and of the whole cup
`rounds.json`               only if a stage has rounds that were decided once: by stage, as
                            `botequim.cup.rounds.rounds_json` has them
`changes.json`              only if the cup was changed after it had begun: the log, as
                            `botequim.cup.changes.log_json` has it. `changes` in `bundle.json` has the
                            number of its entries and the digest of the last one, `new_files` the files of
                            corrected bots by the number of their entry. Series that count for nobody have
                            `"counts": false` in `results.json`
`records/STAGE.jsonl`       every game, in the order of the results
==========================  =======================================================================

A bundle tells the seed, so it is made of a finished cup only. `botequim.cup.bundle_reading` reads one, and
`botequim.cup.audit` checks it.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias

from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.messages import Message, msg
from botequim.cup.changes import NewFiles, log_json
from botequim.cup.config import Cup
from botequim.cup.paths import files_in_stage
from botequim.cup.rounds import rounds_json, stages_with_stored_rounds
from botequim.cup.stage_changes import pin_name
from botequim.cup.stages import CupState, commitment
from botequim.cup.withdrawals import withdrawals_json
from botequim.storage.files import atomic_write, safe_name
from botequim.storage.protocol import CupStore

VERSION: Final = 1
MANIFEST: Final = "bundle.json"
CUP_FILE: Final = "cup.toml"
RESULTS: Final = "results.json"
STANDINGS: Final = "standings.json"
ROUNDS: Final = "rounds.json"
CHANGES: Final = "changes.json"

Write: TypeAlias = Callable[[str, Iterator[bytes]], None]


def write_bundle(cup: Cup, progress: CupState, store: CupStore, target: Path) -> str:
    """Write the bundle of a finished cup, as one file if the name ends in .zip.

    Return its digest, which is to be published.
    """
    if not progress.over:
        raise InputError(
            msg(
                "the cup is not over yet; a bundle contains its seed, from which all remaining deals "
                "and draws could be predicted"
            )
        )
    text = store.fact("file") or _text(cup.path)
    digests: dict[str, str] = {}
    with (_zip if target.suffix == ".zip" else _folder)(target) as write:

        def add(name: str, parts: Iterator[bytes]) -> None:
            digest = sha256()
            write(name, _with_digest(parts, digest.update))
            digests[name] = digest.hexdigest()

        add(CUP_FILE, iter([text.encode()]))
        results: dict[str, list[dict[str, Any]]] = {}
        builds = _Builds(cup, progress, store.entrants())
        for plan in progress.plans:
            results[plan.name] = []
            records = _records(cup, progress, store, plan.name, results[plan.name], builds)
            add(records_name(plan.name), records)
        add(RESULTS, iter([_json(results)]))
        add(STANDINGS, iter([_json(standings_json(progress))]))
        if stages_with_stored_rounds(cup):
            add(ROUNDS, iter([_json(rounds_json(progress.rounds))]))
        if progress.log:
            add(CHANGES, iter([_json(log_json(progress.log))]))
        manifest = _json(_manifest(cup, progress, store, digests, builds))
        write(MANIFEST, iter([manifest]))
    return "sha256:" + sha256(manifest).hexdigest()


def records_name(stage: str) -> str:
    return f"records/{safe_name(stage)}.jsonl"


def standings_json(progress: CupState, text: Callable[[Message], str] = str) -> dict[str, Any]:
    """Return all standings as JSON; fractions are texts such as `7/2`. `text` writes the reasons."""
    stages = {plan.name: progress.standings(plan.name) for plan in progress.plans}
    return {
        "stages": {
            name: [row.as_json(text) for row in standings.rows] if standings is not None else []
            for name, standings in stages.items()
        },
        "overall": [row.as_json(text) for row in progress.overall()],
    }


class _Builds:
    """The builds that records name. Entrants with the same files share them."""

    def __init__(self, cup: Cup, progress: CupState, pinned: Mapping[str, Mapping[str, Any]]) -> None:
        self._cup: Final = cup
        self._progress: Final = progress
        self._files: Final = {name: str(pin.get("digest") or "") for name, pin in pinned.items()}
        self._found: Final[dict[str, dict[str, set[str]]]] = {}

    def add(self, stage: str, header: str) -> None:
        """Add those of a record."""
        if '"platform"' not in header:
            return
        for seat in json.loads(header)["seats"]:
            if "platform" in seat:
                found = self._found.setdefault(self._files[self._pin(seat["name"], stage)], {})
                found.setdefault(seat["platform"], set()).add(seat["files"])

    def _pin(self, name: str, stage: str) -> str:
        entry = files_in_stage(self._cup, self._progress.changes, name, stage)
        return name if entry is None else pin_name(self._cup.entry(name).twin_of, entry.number)

    def of(self, pin: str) -> dict[str, Any]:
        """Return what the manifest says about the builds of pinned files."""
        found = self._found.get(self._files.get(pin, ""), {})
        return {"builds": {one: sorted(found[one]) for one in sorted(found)}} if found else {}


def _changes_json(progress: CupState, builds: _Builds) -> dict[str, Any]:
    """Return what the manifest says about changes."""
    if not progress.log:
        return {}
    files = {
        str(entry.number): {**entry.pin, **builds.of(pin_name(entry.change.entrant, entry.number))}
        for entry in progress.log
        if isinstance(entry.change, NewFiles)
    }
    last = progress.log[-1]
    return {"changes": {"entries": last.number, "digest": last.digest}} | (
        {"new_files": files} if files else {}
    )


def _manifest(
    cup: Cup, progress: CupState, store: CupStore, files: Mapping[str, str], builds: _Builds
) -> dict[str, Any]:
    pinned = store.entrants()
    return {
        "botequim_bundle": VERSION,
        "cup": cup.name,
        "game": cup.game,
        "digest": cup.digest(),
        "commitment": cup.commitment or store.fact("commitment") or commitment(progress.seed),
        "seed": progress.seed,
        "entrants": {
            entry.name: {
                "wire": pinned.get(entry.name, {}).get("wire"),
                "files": pinned.get(entry.name, {}).get("digest") or "",
                **builds.of(entry.name),
            }
            for entry in cup.entrants
        },
        **({"absent": withdrawals_json(cup.absent, logs=False)} if cup.absent else {}),
        **_changes_json(progress, builds),
        "files": dict(files),
    }


def _records(
    cup: Cup,
    progress: CupState,
    store: CupStore,
    stage: str,
    results: list[dict[str, Any]],
    builds: _Builds,
) -> Iterator[bytes]:
    """Yield the records of a stage, and fill `results` and `builds`."""
    uncounted = progress.void_series(stage)
    for key, result in progress.results.get(stage, {}).items():
        digests = []
        for number in range(len(result.games)):
            lines = store.record(stage, key, number)
            if lines is None:
                raise BotequimError(
                    msg(
                        "{path}: the record of game {number} of {key} is missing",
                        path=store.location,
                        number=number + 1,
                        key=cup.series_text(stage, key),
                    )
                )
            builds.add(stage, lines[0])
            digests.append(json.loads(lines[-1])["digest"])
            yield ("\n".join(lines) + "\n").encode()
        mark = {"counts": False} if key in uncounted else {}
        results.append(result.as_json() | {"digests": digests} | mark)


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(msg("{path} cannot be read: {why}", path=str(path), why=os_reason(error))) from error


def _with_digest(parts: Iterator[bytes], tell: Callable[[bytes], None]) -> Iterator[bytes]:
    for part in parts:
        tell(part)
        yield part


# --- where it is written -----------------------------------------------------------------------------


@contextmanager
def _zip(target: Path) -> Iterator[Write]:
    with atomic_write(target) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:

        def write(name: str, parts: Iterator[bytes]) -> None:
            # no date of ours: the same cup makes the same file
            with archive.open(_entry(name), "w", force_zip64=True) as inside:
                for part in parts:
                    inside.write(part)

        yield write


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


@contextmanager
def _folder(target: Path) -> Iterator[Write]:
    """Write a folder, which gets its name when it is complete. It may replace a bundle, but nothing else."""
    if target.exists() and not (target / MANIFEST).is_file():
        raise InputError(
            msg("{path} already exists and is not a bundle; choose another name", path=str(target))
        )
    made = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
    old = made.with_suffix(".old")

    def write(name: str, parts: Iterator[bytes]) -> None:
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.writelines(parts)

    try:
        yield write
        if target.exists():
            target.rename(old)
        made.rename(target)
    except OSError as error:
        raise BotequimError(
            msg("{path} cannot be written: {why}", path=str(target), why=os_reason(error))
        ) from error
    finally:
        if old.exists() and not target.exists():
            old.rename(target)
        shutil.rmtree(made, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


# --- where it is read --------------------------------------------------------------------------------


def is_bundle(path: Path) -> bool:
    """Return whether it looks like a bundle: a folder with a `bundle.json`, or any .zip."""
    if os.path.isdir(path):  # noqa: PTH112 - pathlib raises for names that are too long to be any
        return (path / MANIFEST).is_file()
    return path.suffix == ".zip"
