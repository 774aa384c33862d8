"""The five competitions as cup files, ready to be filled with entrants.

Each says everything its own rules say about holding it; what an organiser may want otherwise stands there as
a number to change. `botequim cup new TEMPLATE FILE` writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from botequim.core.errors import UnknownName
from botequim.core.messages import Message, msg
from botequim.cup.file import Entry
from botequim.cup.writing import joined, quoted

Part: TypeAlias = str | Message

_LIMITS: Final = msg("What a bot may take: seconds, and megabytes.")


@dataclass(frozen=True, slots=True)
class Template:
    """A competition without its entrants."""

    name: str
    game: str
    title: str
    about: Message
    head: tuple[Part, ...]
    """Keys of the cup itself, which come first in a file."""
    tables: tuple[Part, ...]
    """Options, limits and stages."""
    entrants: tuple[Entry, ...]
    """Built-in players, so that the file can be tried at once."""
    most_authors: int | None = None
    """How many people may make a bot."""


def named(name: str) -> Template:
    if name not in TEMPLATES:
        raise UnknownName(
            msg('unknown template "{name}"; known: {known}', name=name, known=", ".join(TEMPLATES))
        )
    return TEMPLATES[name]


def written(
    template: Template,
    *,
    name: str = "",
    seed: str | None = None,
    commitment: str | None = None,
    entrants: Sequence[Entry] | None = None,
    most_authors: int | None = None,
) -> str:
    """The text of a cup file, commented in the reader's language."""
    parts: list[Part | Entry] = [
        template.about,
        "",
        f"name = {quoted(name or template.title)}",
        f'game = "{template.game}"',
        "",
        msg(
            "All deals and draws follow from the seed. Without one it is drawn when the cup begins; with a "
            "commitment in its place (sha256:...), the seed is given when it is played, and can be proved."
        ),
        f"seed = {quoted(seed)}" if seed is not None else '# seed = "..."',
        f'commitment = "{commitment}"' if commitment is not None else '# commitment = "sha256:..."',
        "",
        *_authors(most_authors or template.most_authors),
        *template.head,
        msg("Enter one of the entrants twice, beside the cup, to see how much of a result is noise."),
        '# null = "..."',
        "",
        *template.tables,
        "",
        msg(
            "The entrants. `bot` is a folder, a file or an archive (from where this file lies), "
            "cmd:COMMAND, http://ADDRESS, or a built-in player."
        ),
        *(template.entrants if entrants is None else entrants),
    ]
    return joined(parts)


def _authors(most: int | None) -> list[Part]:
    return [] if most is None else [msg("So many people make a bot, at most."), f"most_authors = {most}"]


def _stage(name: str, form: str, *, source: str = "", top: int = 0, **keys: str | int) -> tuple[str, ...]:
    """The lines of a stage's table."""
    given: dict[str, str | int] = {"name": name, "from": source, "top": top}
    said = {key: value for key, value in given.items() if value} | {"format": form} | keys
    return ("[[stages]]", *(f"{key} = {_value(value)}" for key, value in said.items()))


def _value(value: str | int) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return quoted(value) if isinstance(value, str) else str(value)


def _built_in(*bots: str) -> tuple[Entry, ...]:
    names = ("Ana", "Bento", "Carla", "Davi")
    return tuple(Entry(name, bot) for name, bot in zip(names, bots, strict=False))


CUBOS: Final = Template(
    "cubos",
    "cubos",
    "Rinha de dominó",
    msg(
        "Partnership block dominoes: all against all, then the best four, 1st against 4th and 2nd against "
        "3rd, a final and a match for the third place."
    ),
    (
        msg("Each game has instances of its own, since some bots do not survive a second one."),
        'restart = "game"',
    ),
    (
        "[options]",
        msg('A blocked game is a draw; "points": the team with fewer pips wins it.'),
        'blocked = "draw"',
        "",
        _LIMITS,
        "[limits]",
        "move = 5",
        "start = 30",
        "memory = 1024",
        "cpus = 1",
        "",
        msg(
            "Points for each game: 3, 1, 0. Equal points: games won, then the games between them, then a "
            "play-off of three; after a few level play-offs the lot is drawn."
        ),
        *_stage("league", "round_robin", games=3, sides="drawn", win=3, draw=1, loss=0, playoff_games=3),
        "",
        msg(
            "A drawn match is played again until it is decided, at most ten times; then the better placed "
            "advances. Run it weeks later if you like: botequim cup run FILE --stage finals"
        ),
        *_stage(
            "finals",
            "knockout",
            source="league",
            top=4,
            bracket="seeded",
            games=1,
            sides="drawn",
            third_place=True,
            replays=10,
            replay_games=1,
            level="seed",
        ),
    ),
    _built_in("greedy", "random", "greedy", "random"),
    most_authors=3,
)

HAVANA: Final = Template(
    "havana",
    "havana",
    "Torneio de dominó de Havana",
    msg(
        "Partnership dominoes with the double-nine set: a league of confrontos of 1000 games, then the best "
        "four, drawn into two semi-finals, a final and a match for the third place."
    ),
    (
        msg("The players live through a confronto, and may remember its games."),
        'restart = "series"',
    ),
    (
        _LIMITS,
        "[limits]",
        "move = 1",
        "timeouts = 5",
        "thinking = 300",
        "",
        msg(
            "Confrontos won, then fewest lost, then games won, then fewest lost, then a shared place. A "
            "shared fourth place: further confrontos, at most 3, then a coin. All keep their seats; who "
            "starts is drawn, and then it is the next one's turn in each game."
        ),
        *_stage("league", "confrontos", games=1000, sides="fixed", starter="first", further=3),
        "",
        msg("A tied confronto is followed by further ones, at most 3, then a coin decides."),
        *_stage(
            "finals",
            "knockout",
            source="league",
            top=4,
            bracket="drawn",
            games=1000,
            sides="fixed",
            starter="first",
            third_place=True,
            replays=3,
            level="coin",
        ),
    ),
    _built_in("greedy", "dummy", "greedy", "dummy"),
)

RPS: Final = Template(
    "rps",
    "rps",
    "BattleBots",
    msg("Rock, paper, scissors with memory: a bracket of single games, byes for the best seeds."),
    (),
    (
        "[options]",
        "rounds = 50",
        "",
        _LIMITS,
        "[limits]",
        "move = 5",
        "",
        msg(
            'The bracket is drawn, and the drawn numbers are the seeds; "seeded": the entrants are seeds in '
            "the order of this file. A drawn game: up to three further ones, then the better seed advances."
        ),
        *_stage(
            "bracket",
            "knockout",
            bracket="drawn",
            games=1,
            sides="fixed",
            third_place=False,
            replays=3,
            replay_games=1,
            level="seed",
        ),
    ),
    _built_in("greedy", "random", "greedy", "random"),
)

UNO: Final = Template(
    "uno",
    "uno",
    "Campeonato de Uno",
    msg("Uno with a French deck: every combination of three players, one game each; wins and places count."),
    (),
    (
        _LIMITS,
        "[limits]",
        "move = 3",
        "",
        msg("Who shares the first place with others shares the win."),
        *_stage("tables", "combinations", size=3, games=1, sides="drawn"),
    ),
    _built_in("greedy", "random", "greedy", "random"),
)

UNO_CHECK: Final = Template(
    "uno-check",
    "uno",
    "Uno: check of a candidate",
    msg("A candidate plays ten games of Uno against the baselines."),
    (),
    (
        _LIMITS,
        "[limits]",
        "move = 3",
        "",
        *_stage("check", "combinations", size=3, games=10, sides="drawn"),
    ),
    (Entry("candidate", "greedy"), Entry("random", "random"), Entry("greedy", "greedy")),
)

FIVES: Final = Template(
    "fives",
    "fives",
    "All Fives",
    msg("All Fives for two: a match, best of three. With more entrants every two of them meet."),
    (),
    (
        "[options]",
        "target = 150",
        'target_rule = "over"',
        "",
        *_stage("match", "best_of", best_of=3, sides="drawn"),
    ),
    _built_in("greedy", "random"),
)

TEMPLATES: Final = {template.name: template for template in (CUBOS, HAVANA, RPS, UNO, UNO_CHECK, FIVES)}
