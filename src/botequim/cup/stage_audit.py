"""Checks one stage of a bundle: its series, and the rounds that were decided for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from botequim import registry
from botequim.core.errors import BotequimError, InputError
from botequim.core.game import Outcome
from botequim.core.messages import Message, msg, plain
from botequim.core.options import Value
from botequim.core.results import GameResult, SeriesResult
from botequim.cup import bundle
from botequim.cup.bundle_reading import Lines
from botequim.cup.changes import Log, effective, split_attempt
from botequim.cup.config import Cup
from botequim.cup.format import Round, StoredRoundsFormat, find_format, round_text
from botequim.cup.pairing import Pairing
from botequim.cup.paths import files_in_stage
from botequim.cup.stage_changes import attempt_label
from botequim.cup.stage_names import stage_name
from botequim.cup.stages import CupState, StagePlan, series_seed
from botequim.engine.jobs import GameSetup
from botequim.records.reader import RawRecord, parse
from botequim.records.verify import verify_record

MOST_FINDINGS: Final = 100


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference between the bundle and what was computed."""

    where: Message
    what: Message
    has_consequences: bool = False
    """Whether the rest of a stage was not checked, so that later findings may follow from this one."""

    def sentence(self) -> Message:
        return msg("{where}: {what}", where=self.where, what=self.what)


@dataclass
class Proof:
    """The result of checking a bundle."""

    path: Path
    digest: str
    """The digest of `bundle.json`, which has the digests of all files. Compare it with the organiser's."""
    cup: Cup
    seed: str
    commitment: str
    promised: bool
    """Whether the cup file itself contains the seed or its commitment."""
    progress: CupState
    """The state that follows from the records."""
    log: Log = ()
    """The log of changes. While a stage is checked, `progress` has those in force for its next series."""
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

    def find(self, where: Message | str, what: Message, *, has_consequences: bool = False) -> None:
        if len(self.findings) < MOST_FINDINGS:
            location = plain(where) if isinstance(where, str) else where
            self.findings.append(Finding(location, what, has_consequences))


class StageCheck:
    """Checks the series of a stage in the order of play, with the pairings of its format."""

    def __init__(
        self,
        path: str,
        lines: Lines,
        manifest: Mapping[str, Any],
        proof: Proof,
        plan: StagePlan,
        results: dict[str, dict[str, SeriesResult]],
        rounds: Sequence[Round],
        on_record: Callable[[int], None],
    ) -> None:
        self.proof: Final = proof
        self.plan: Final = plan
        self.entrants: Final = _pins(manifest, proof, plan.name)
        self.results: Final = results.setdefault(plan.name, {})
        self.game: Final = registry.game(proof.cup.game)
        self.options: Final = proof.cup.game_options(plan)
        self.path: Final = path
        self.lines: Final = _without_empty(lines)
        self.on_record: Final = on_record
        self.open: dict[str, Pairing] = {}
        self.rounds: Final = list(rounds)
        """The rounds that are not checked yet."""
        self.asked_with = -1
        """The number of results when the format was last asked."""

    def check(self, claims: Sequence[Any]) -> None:
        try:
            self._check(claims)
        except _UnreadableStage as lost:
            # after this, the series of a record is not known
            self.proof.find(lost.where, lost.what, has_consequences=True)
        except BotequimError as error:
            self.proof.find(self.path, error.message)

    def _check(self, claims: Sequence[Any]) -> None:
        records = parse(self.lines, self.path) if claims else iter(())
        for series in claims:
            self._series(series, records)
        if next(records if claims else self.lines, None) is not None:
            self.proof.find(self.path, msg("there are more records than results"))
        self._set_log()
        for pairing in self._pairings():
            self.proof.find(
                self._where(pairing.key), msg("this series is missing, although it had to be played")
            )
        if self.proof.progress.needs_round(self.plan.name):
            self.proof.find(self._where_round(), msg("this round is missing, although it had to be played"))
        elif self.rounds:
            self.proof.find(self._where_round(), msg("this round should not have been played here"))

    def _pairings(self) -> Sequence[Pairing]:
        """Return the series that could be played now. Decided rounds are checked before they are added."""
        name, progress = self.plan.name, self.proof.progress
        if self.rounds and progress.needs_round(name):
            count = len(progress.rounds.get(name, ()))
            then = replace(
                progress, log=tuple(one for one in progress.log if one.rounds.get(name, 0) <= count)
            )
            form, stage = then.form(name), then.stage(name)
            assert isinstance(form, StoredRoundsFormat)
            assert stage is not None
            problem = form.round_problem(stage, self.rounds[0])
            if problem is not None:
                raise _UnreadableStage(self._where_round(), problem)
            self.proof.progress = progress.with_round(name, self.rounds.pop(0))
        return self.proof.progress.pairings(name)

    def _set_log(self) -> None:
        """Let the changes be in force that were applied before the next series.

        Those that were applied after a later stage began change nothing that is played in this one.
        """
        if not self.proof.log:
            return
        name, count = self.plan.name, len(self.results)
        later = [plan.name for plan in self.proof.cup.plans if plan.source == name]
        log = tuple(
            entry
            for entry in self.proof.log
            if entry.after.get(name, 0) <= count and not any(entry.after.get(one) for one in later)
        )
        if log != self.proof.progress.log:
            self.proof.progress = replace(self.proof.progress, log=log)
            self.asked_with = -1
            self.open = {}

    def _where_round(self) -> Message:
        number = len(self.proof.progress.rounds.get(self.plan.name, ())) + 1
        return msg("stage {stage}, round {number}", stage=stage_name(self.plan.name), number=number)

    def _where(self, key: str, number: int | None = None) -> Message:
        plain_one, attempt = split_attempt(key)
        series = round_text(find_format(self.plan.format), plain_one) or msg("series {key}", key=plain_one)
        if attempt > 1:
            series = attempt_label(series, attempt)
        if number is None:
            return msg("stage {stage}, {series}", stage=stage_name(self.plan.name), series=series)
        return msg(
            "stage {stage}, {series}, game {number}",
            stage=stage_name(self.plan.name),
            series=series,
            number=number + 1,
        )

    def _series(self, claim: Any, records: Iterator[RawRecord]) -> None:
        key = claim.get("key") if isinstance(claim, dict) else None
        if not isinstance(key, str):
            raise _UnreadableStage(plain(bundle.RESULTS), msg("a series without a key"))
        if key in self.results:
            raise _UnreadableStage(self._where(key), msg("this series appears twice"))
        self._set_log()
        pairing = self._pairing(key)
        if pairing is None:
            raise _UnreadableStage(self._where(key), msg("this series should not have been played here"))
        seed = series_seed(self.proof.seed, self.plan.name, key)
        games: list[GameResult] = []
        digests: list[str | None] = []
        while not pairing.over(games):
            raw = next(records, None)
            if raw is None:
                raise _UnreadableStage(self._where(key, len(games)), msg("its record is missing"))
            games.append(self._game(pairing, pairing.game_setup(len(games), seed), raw))
            digests.append(raw.lines[-1].digest)
            self.proof.records += 1
            self.on_record(self.proof.records)
        result = pairing.result(games)
        self.results[key] = result
        real = result.as_json()
        if {name: value for name, value in claim.items() if name not in ("digests", "counts")} != real:
            self.proof.find(self._where(key), msg("its result does not match its records"))
        if claim.get("digests") != digests:
            self.proof.find(
                self._where(key), msg("the digests of its records differ from those in its result")
            )

    def _pairing(self, key: str) -> Pairing | None:
        if key not in self.open and self.asked_with != len(self.results):
            self.asked_with = len(self.results)
            self.open = {one.key: one for one in self._pairings()}
        return self.open.get(key)

    def _game(self, pairing: Pairing, setup: GameSetup, raw: RawRecord) -> GameResult:
        where = self._where(pairing.key, setup.number)
        self._check_header(pairing, setup, raw, where)
        verdict = verify_record(raw)
        for mismatch in verdict.mismatches:
            self.proof.find(where, mismatch.sentence())
        if not verdict.has_digests:
            self.proof.find(where, msg("the record has no digests"))
        assert raw.outcome is not None
        outcome = raw.outcome.content["outcome"]
        teams = self.game.teams({**self.options, **setup.options})
        if len(outcome["places"]) != len(teams):
            raise _UnreadableStage(where, msg("the record is not of this game"))
        faulty = [move["by"] for line in raw.turns for move in line.content["moves"] if "fault" in move]
        faults = [sum(by in team for by in faulty) for team in teams]
        return GameResult.of(Outcome(outcome["how"], tuple(outcome["places"])), setup.order, faults)

    def _check_header(self, pairing: Pairing, setup: GameSetup, raw: RawRecord, where: Message) -> None:
        header = raw.header.content
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
            pin = self.entrants[name]
            if (seat.get("wire") or "") != (pin.get("wire") or "") or seat.get("files", "") not in _files(
                pin, seat
            ):
                self.proof.find(where, msg('"{name}" did not play with the files of the entrant', name=name))


def _pins(manifest: Mapping[str, Any], proof: Proof, stage: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the wire and the files of each entrant in a stage."""
    pins = dict(manifest["entrants"])
    changed = manifest.get("new_files")
    for name in pins:
        entry = files_in_stage(proof.cup, effective(proof.log), name, stage)
        if entry is not None:
            listed = changed.get(str(entry.number)) if isinstance(changed, dict) else None
            pins[name] = {**(listed if isinstance(listed, dict) else {}), **entry.pin}
    return pins


def _files(pin: Mapping[str, Any], seat: Mapping[str, Any]) -> Sequence[Any]:
    """Return the digests that the files of an entrant may have: those for the platform that a seat names."""
    if "platform" not in seat:
        return [pin.get("files", "")]
    builds, platform = pin.get("builds"), seat["platform"]
    found = builds.get(platform) if isinstance(builds, dict) and isinstance(platform, str) else None
    return found if isinstance(found, list) else []


def _without_empty(lines: Lines) -> Iterator[bytes]:
    """Yield the lines. Raise InputError for an empty line: no bundle has one, and a small zip may contain
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
