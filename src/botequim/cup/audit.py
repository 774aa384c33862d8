"""Checks a bundle from scratch. It trusts only the cup file, the seed and the moves.

The records are refereed again, and give the results. The formats compute the pairings and the standings from
these results. Then everything else in the bundle is compared with that. Each file is read once, and every
file of the bundle is accounted for. docs/reference/security.md describes what this proves, and what it does
not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from botequim import registry
from botequim.core.errors import BotequimError, InputError
from botequim.core.game import Outcome
from botequim.core.messages import Message, msg, plain
from botequim.core.options import Value
from botequim.core.results import GameResult, SeriesResult
from botequim.cup import bundle
from botequim.cup.bundle_reading import Lines, Reader
from botequim.cup.config import Cup
from botequim.cup.config_parser import parse as parse_cup
from botequim.cup.pairing import Pairing
from botequim.cup.stages import CupState, StagePlan, commitment, series_seed
from botequim.cup.titles import with_titles
from botequim.cup.withdrawals import read_withdrawals, without
from botequim.engine.jobs import GameSetup
from botequim.records.reader import RawRecord, parse
from botequim.records.verify import verify_record

MOST_FINDINGS: Final = 100


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference between the bundle and what was computed."""

    where: Message
    what: Message

    def sentence(self) -> Message:
        return msg("{where}: {what}", where=self.where, what=self.what)


@dataclass
class Proof:
    """The result of checking a bundle."""

    path: Path
    digest: str
    """The digest of `bundle.json`, and so of everything. Compare it with the one of the organiser."""
    cup: Cup
    seed: str
    commitment: str
    promised: bool
    """Whether the cup file itself contains the seed or its commitment."""
    progress: CupState
    """The state that follows from the records."""
    pairs: dict[str, str] = field(default_factory=dict)
    """The names that entrants give themselves, from the records."""
    records: int = 0
    findings: list[Finding] = field(default_factory=list)
    """The differences, at most a hundred."""

    @property
    def ok(self) -> bool:
        return not self.findings

    @property
    def series(self) -> int:
        return sum(map(len, self.progress.results.values()))

    def find(self, where: Message | str, what: Message) -> None:
        if len(self.findings) < MOST_FINDINGS:
            self.findings.append(Finding(plain(where) if isinstance(where, str) else where, what))


def verify_bundle(path: Path, on_record: Callable[[int], None] = lambda count: None) -> Proof:
    """Check a whole bundle. `on_record` is called with the number of records that were checked.

    Raise InputError if the bundle cannot be read at all.
    """
    with Reader(path) as reader:
        manifest = _manifest(reader)
        proof = _start_proof(reader, manifest)
        _account_for_files(reader, manifest, proof)
        results: dict[str, dict[str, SeriesResult]] = {}
        claimed = _claimed_results(reader)
        standings = reader.json(bundle.STANDINGS)
        for name in (bundle.CUP_FILE, bundle.RESULTS, bundle.STANDINGS):
            _check_digest(proof, manifest, name, reader.digest(name))
        for name in claimed:
            if all(plan.name != name for plan in proof.cup.plans):
                proof.find(bundle.RESULTS, msg('the cup has no stage "{name}"', name=name))
        for plan in proof.cup.plans:
            name = bundle.records_name(plan.name)
            lines = reader.lines(name)
            stage = _StageCheck(reader.where(name), lines, manifest, proof, plan, results, on_record)
            stage.check(claimed.get(plan.name, []))
            _check_digest(proof, manifest, name, lines.digest())
        proof.cup = with_titles(proof.cup, proof.pairs)
        proof.progress = proof.cup.state(proof.seed, results)
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
    cup = without(cup, read_withdrawals(cup, withdrawals))
    digest = "sha256:" + reader.digest(bundle.MANIFEST)
    proof = Proof(reader.path, digest, cup, seed, promise, cup.promises, cup.state(seed))
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
    wanted = [bundle.CUP_FILE, bundle.RESULTS, bundle.STANDINGS]
    wanted += [bundle.records_name(plan.name) for plan in proof.cup.plans]
    for name in reader.extra([bundle.MANIFEST, *wanted]):
        proof.find(name, msg("this does not belong to the bundle"))
    for name in sorted(set(manifest["files"]) - set(wanted)):
        proof.find(
            bundle.MANIFEST, msg('"files" lists {name}, which does not belong to the bundle', name=name)
        )


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


def _check_standings(claimed: Any, proof: Proof) -> None:
    real = bundle.standings_json(proof.progress)
    if claimed == real:
        return
    stages = claimed.get("stages") if isinstance(claimed, dict) else None
    for name, rows in real["stages"].items():
        if not isinstance(stages, dict) or stages.get(name) != rows:
            proof.find(bundle.STANDINGS, msg('the table of "{stage}" does not match the records', stage=name))
    if not isinstance(claimed, dict) or claimed.get("overall") != real["overall"]:
        proof.find(bundle.STANDINGS, msg("the table of the whole cup does not match the records"))


# --- a stage -----------------------------------------------------------------------------------------


class _StageCheck:
    """Checks the series of a stage in the order of play, with the pairings of its format."""

    def __init__(
        self,
        path: str,
        lines: Lines,
        manifest: Mapping[str, Any],
        proof: Proof,
        plan: StagePlan,
        results: dict[str, dict[str, SeriesResult]],
        on_record: Callable[[int], None],
    ) -> None:
        self.proof: Final = proof
        self.entrants: Final[Mapping[str, Mapping[str, Any]]] = manifest["entrants"]
        self.plan: Final = plan
        self.results: Final = results
        self.done: Final = results.setdefault(plan.name, {})
        self.game: Final = registry.game(proof.cup.game)
        self.options: Final = proof.cup.game_options(plan)
        self.path: Final = path
        self.lines: Final = _without_empty(lines)
        self.on_record: Final = on_record
        self.offered: dict[str, Pairing] = {}
        self.asked_with = -1
        """The number of results when the format was last asked."""

    def check(self, claimed: Sequence[Any]) -> None:
        records = parse(self.lines, self.path) if claimed else iter(())
        try:
            for series in claimed:
                self._series(series, records)
            left = next(records if claimed else self.lines, None)
        except _UnreadableStage as lost:
            self.proof.find(lost.where, lost.what)
            return  # the next records cannot be assigned to series
        except BotequimError as error:
            self.proof.find(self.path, error.message)
            return
        if left is not None:
            self.proof.find(self.path, msg("there are more records than results"))
        for pairing in self._progress().pairings(self.plan.name):
            self.proof.find(
                self._where(pairing.key), msg("this series is missing, although it had to be played")
            )

    def _progress(self) -> CupState:
        return self.proof.cup.state(self.proof.seed, self.results)

    def _where(self, key: str, number: int | None = None) -> Message:
        if number is None:
            return msg("stage {stage}, series {key}", stage=self.plan.name, key=key)
        return msg(
            "stage {stage}, series {key}, game {number}", stage=self.plan.name, key=key, number=number + 1
        )

    def _series(self, claimed: Any, records: Iterator[RawRecord]) -> None:
        key = claimed.get("key") if isinstance(claimed, dict) else None
        if not isinstance(key, str):
            raise _UnreadableStage(plain(bundle.RESULTS), msg("a series without a key"))
        if key in self.done:
            raise _UnreadableStage(self._where(key), msg("this series appears twice"))
        pairing = self._pairing(key)
        if pairing is None:
            raise _UnreadableStage(
                self._where(key), msg("the format did not ask for this series at this point")
            )
        seed = series_seed(self.proof.seed, self.plan.name, key)
        games: list[GameResult] = []
        digests: list[str | None] = []
        while not pairing.over(games):
            found = next(records, None)
            if found is None:
                raise _UnreadableStage(self._where(key, len(games)), msg("its record is missing"))
            games.append(self._game(pairing, pairing.game_setup(len(games), seed), found))
            digests.append(found.lines[-1].digest)
            self.proof.records += 1
            self.on_record(self.proof.records)
        result = pairing.result(games)
        self.done[key] = result
        real = result.as_json()
        if {name: value for name, value in claimed.items() if name != "digests"} != real:
            self.proof.find(self._where(key), msg("its result does not match its records"))
        if claimed.get("digests") != digests:
            self.proof.find(
                self._where(key), msg("the digests of its records differ from those in its result")
            )

    def _pairing(self, key: str) -> Pairing | None:
        if key not in self.offered and self.asked_with != len(self.done):
            self.asked_with = len(self.done)
            self.offered = {one.key: one for one in self._progress().pairings(self.plan.name)}
        return self.offered.get(key)

    def _game(self, pairing: Pairing, setup: GameSetup, found: RawRecord) -> GameResult:
        where = self._where(pairing.key, setup.number)
        self._check_header(pairing, setup, found, where)
        verdict = verify_record(found)
        for mismatch in verdict.mismatches:
            self.proof.find(where, mismatch.sentence())
        if not verdict.has_digests:
            self.proof.find(where, msg("the record has no digests"))
        assert found.outcome is not None
        claimed = found.outcome.content["outcome"]
        teams = self.game.teams({**self.options, **setup.options})
        if len(claimed["places"]) != len(teams):
            raise _UnreadableStage(where, msg("the record is not of this game"))
        faulty = [move["by"] for line in found.turns for move in line.content["moves"] if "fault" in move]
        faults = [sum(by in team for by in faulty) for team in teams]
        return GameResult.of(Outcome(claimed["how"], tuple(claimed["places"])), setup.order, faults)

    def _check_header(self, pairing: Pairing, setup: GameSetup, found: RawRecord, where: Message) -> None:
        header = found.header.content
        options: dict[str, Value] = {**self.options, **setup.options}
        if header["game"] != self.game.name or header.get("options") != options:
            self.proof.find(where, msg("the record is of another game, or has other options"))
        if header.get("seed") != setup.seed:
            self.proof.find(where, msg("the record's seed was not derived from the cup's seed"))
        teams = self.game.teams(options)
        by_seat = {seat: pairing.entrants[setup.order[at]] for at, team in enumerate(teams) for seat in team}
        names = [by_seat[seat] for seat in sorted(by_seat)]
        seats = header["seats"]
        if [seat["name"] for seat in seats] != names:
            self.proof.find(where, msg("the seats are not the ones that follow from the seed"))
            return
        for name, seat in zip(names, seats, strict=True):
            if isinstance(seat.get("pair"), str):
                self.proof.pairs.setdefault(name, seat["pair"])
            pinned = self.entrants[name]
            if (seat.get("wire"), seat.get("files", "")) != (pinned.get("wire"), pinned.get("files", "")):
                self.proof.find(where, msg('"{name}" did not play with the files of the entrant', name=name))


def _without_empty(lines: Lines) -> Iterator[bytes]:
    """Yield the lines. An empty one is an InputError: a bundle has none, and a small zip may have
    billions."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            raise InputError(msg("line {line} is empty", line=number))
        yield line


class _UnreadableStage(Exception):
    """The rest of the stage cannot be understood."""

    def __init__(self, where: Message, what: Message) -> None:
        super().__init__(where, what)
        self.where = where
        self.what = what
