"""The cup file: one TOML file that describes a whole cup.

==========================  =======================================================================
`name`, `game`              the name of the cup, and the game
`[options]`                 of the game
`seed`, `commitment`        the seed of all random decisions; or its digest, if the seed is published later;
                            with neither, a random seed is chosen when the cup begins
`workers`, `restart`        the number of simultaneous games; how long a bot's instances live
`null`                      an entrant that also plays under a second name, outside the ranking; the
                            difference of its two results shows how much is noise
`most_authors`              the largest number of authors of an entrant
`[store]`                   `url` of a database with the results, if they are not in the cup's folder
`[grades]`                  a `formula` for grades, and its `digits`; see `botequim.cup.grade_rule`
`[limits]`                  limits of a bot that differ from those of its wire
`[[entrants]]`              `name`, `bot`, `wire`, `title`, `authors`, `students`, `portrait`,
                            `repository`
`[[stages]]`                `name`, `format` and its options; `games` or `best_of`, `sides`,
                            `starter`; `from` and `top`
==========================  =======================================================================

Reading checks everything that does not need a bot. Every mistake, such as an unknown key, is an `InputError`
that says file and line, what is wrong, which values are valid, and how to fix it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from botequim import registry
from botequim.bots.repositories import PLACES
from botequim.bots.resolve import IMAGE
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg, plain
from botequim.core.options import Options, Value, resolve_options
from botequim.core.results import SeriesResult
from botequim.core.wire import Restart
from botequim.cup.changes import Log, entries_up_to, split_attempt
from botequim.cup.format import Round, find_format, round_text
from botequim.cup.grade_rule import GradeRule
from botequim.cup.stage_changes import attempt_label
from botequim.cup.stages import CupState, StagePlan, commitment
from botequim.storage.address import StoreAddress

NULL_STAGE: Final = "null"
NULL_SUFFIX: Final = " (null)"
PLAYERS: Final = "players"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entrant as the cup file describes it."""

    name: str
    bot: str
    """A built-in player, a file, a folder, an archive, `cmd:...` or `http://...`."""
    wire: str | None = None
    title: str = ""
    """The title to show, instead of the one that the bot gives itself."""
    authors: tuple[str, ...] = ()
    students: tuple[str, ...] = ()
    """The student numbers of the authors, for the list of grades."""
    portrait: str = ""
    portrait_line: int = field(default=0, compare=False)
    """The line of the cup file that names the portrait."""
    repository: str = ""
    null: bool = False
    """Whether this is the null entrant, the second copy of another entrant."""

    @property
    def twin_of(self) -> str:
        """The name of the entrant that this null entrant is a copy of."""
        return self.name.removesuffix(NULL_SUFFIX)


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """An entrant that did not start, because its files could not be prepared."""

    entry: Entry
    why: Message
    log: str = ""
    """The output of its build, for its authors."""


@dataclass(frozen=True)
class Cup:
    """A cup file that was read and checked."""

    path: Path
    name: str
    game: str
    options: Mapping[str, Value]
    """The options of the game that the file sets."""
    entrants: tuple[Entry, ...]
    """The null entrant comes last."""
    plans: tuple[StagePlan, ...]
    seed: str | None = None
    commitment: str | None = None
    limits: Mapping[str, float | int] = field(default_factory=dict)
    """Names and values of `botequim.core.limits.Limits`, in seconds and bytes, for `dataclasses.replace`."""
    workers: int | None = None
    restart: Restart | None = None
    store: StoreAddress | None = None
    """Where results, live games, visibility and votes are stored; None means the folder of the cup."""
    grades: GradeRule | None = None
    absent: tuple[Withdrawal, ...] = ()
    """Entrants of the file that did not start. They are not in `entrants` and `plans`."""
    announced: Cup | None = None
    """The cup with all entrants, as its file describes it."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """By entrant: the title to show, if it is not the name. Titles are unique, but only names identify."""
    own_portraits: Mapping[str, tuple[Path | None, ...]] = field(default_factory=dict)
    """By entrant and member: the pictures that the bot provides, if any."""

    @property
    def folder(self) -> Path:
        """The folder beside the cup file; see `botequim.cup.paths`."""
        return self.path.with_suffix(".cup")

    @property
    def promises(self) -> bool:
        """Whether the file contains its seed, or the digest of the seed."""
        return self.seed is not None or self.commitment is not None

    def entry(self, name: str) -> Entry:
        return next(entry for entry in self.entrants if entry.name == name)

    def bot_reference(self, entry: Entry) -> str:
        """Return the reference of a bot for `botequim.bots`. Paths start at the folder of the cup file."""
        bot = entry.bot
        if self.is_path(entry):
            bot = str(self.path.parent / Path(bot).expanduser())
            if entry.repository and not Path(bot).exists():
                bot = entry.repository
        return f"{entry.wire}:{bot}" if entry.wire is not None else bot

    def is_path(self, entry: Entry) -> bool:
        """Return whether the bot is a file or a folder."""
        elsewhere = ("cmd:", "http://", IMAGE, *PLACES)
        return not self.is_built_in(entry) and not entry.bot.startswith(elsewhere)

    def is_built_in(self, entry: Entry) -> bool:
        return entry.wire is None and registry.is_player(self.game, entry.bot)

    def title(self, name: str) -> str:
        """Return the title of an entrant: that in the file, the one the bot gives itself, or the name."""
        return self.titles.get(name, name)

    def series_text(self, stage: str, key: str) -> Message:
        """Return a series for people: `round 3, Ana – Rui` in a stage with rounds, else its key."""
        form = next((find_format(plan.format) for plan in self.plans if plan.name == stage), None)
        first, attempt = split_attempt(key)
        text = (round_text(form, first) if form is not None else None) or plain(first)
        return attempt_label(text, attempt) if attempt > 1 else text

    def portrait(self, entry: Entry, member: int | None = None) -> Path | None:
        """Return the picture that the file names, or else one that the bot provides.

        That is the picture of the `member`; without a member, or if it has none, the first one.
        """
        if entry.portrait:
            return self.path.parent / entry.portrait
        own = self.own_portraits.get(entry.name, ())
        if member is not None and member < len(own) and own[member] is not None:
            return own[member]
        return next((path for path in own if path is not None), None)

    def game_options(self, plan: StagePlan) -> Options:
        """Return all options of the game in a stage. Each `GameSetup` may add its own."""
        game = registry.game(self.game)
        values: dict[str, object] = dict(self.options)
        if any(option.name == PLAYERS for option in game.options):
            values[PLAYERS] = find_format(plan.format).size(plan.options)
        return resolve_options(game.name, game.options, values)

    def state(
        self,
        seed: str,
        results: Mapping[str, Mapping[str, SeriesResult]] | None = None,
        rounds: Mapping[str, Sequence[Round]] | None = None,
        log: Log = (),
    ) -> CupState:
        """Return the state of the cup with these results, by stage and key, and with the rounds and the
        changes that belong to them."""
        found = results or {}
        return CupState(self.plans, seed, found, log=entries_up_to(log, found)).with_rounds(rounds or {})

    def digest(self) -> str:
        """Return a digest of all settings that results depend on.

        If it changes during a cup, the results do not belong to the cup any more. Authors, portraits, the
        number of workers and the formula for grades are not part of it, so they may change.
        """
        if self.announced is not None:
            return self.announced.digest()
        content = {
            "game": self.game,
            "options": dict(self.options),
            "entrants": [[entry.name, entry.bot, entry.wire] for entry in self.entrants],
            "stages": [_plan_json(plan) for plan in self.plans],
            "limits": dict(self.limits),
            "restart": self.restart,
        }
        return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]

    def settled_seed(self, given: str | None, random_seed: str) -> str:
        """Return the seed to play with: the `given` one, that of the file, or else `random_seed`.

        Raise InputError if a given seed is not the one in the file, or does not have its digest.
        """
        seed = given if given is not None else self.seed
        if self.seed is not None and seed != self.seed:
            raise InputError(msg("the seed in {path} is not the one that was given", path=str(self.path)))
        if self.commitment is not None:
            if seed is None:
                raise InputError(
                    msg(
                        "{path} contains only the commitment to a seed; give the seed itself to play",
                        path=str(self.path),
                    )
                )
            if commitment(seed) != self.commitment:
                raise InputError(
                    msg("this seed does not match the commitment in {path}", path=str(self.path))
                )
        return seed if seed is not None else random_seed


def _plan_json(plan: StagePlan) -> dict[str, object]:
    """Return a stage as part of the digest of a cup. Digests are stored, so these names never change."""
    terms, starter = plan.terms, plan.terms.starter
    return {
        "name": plan.name,
        "format": plan.format,
        "terms": {
            "games": terms.games,
            "early": terms.early,
            "sides": terms.sides,
            "starter": starter and {"option": starter.option, "values": starter.values},
        },
        "options": dict(plan.options),
        "source": plan.source,
        "top": plan.top,
        "entrants": plan.entrants,
        "beside": plan.beside,
    }
