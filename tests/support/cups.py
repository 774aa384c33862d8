"""Made-up cups: series with results written as letters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from botequim.core.options import resolve_options
from botequim.core.results import GameResult, SeriesResult
from botequim.cup.format import Stage, Standings, StoredRoundsFormat, find_format
from botequim.cup.pairing import Pairing, SeriesRules

Script = Callable[[Pairing], str]
"""The winner of each game, a letter each; `=` is a draw."""


def stage(
    form: str, names: str, *, games: int = 1, cuts: tuple[int, ...] = (), seed: str = "s", **options: object
) -> Stage:
    """Return a stage whose entrants are letters."""
    return Stage(
        tuple(names),
        SeriesRules(games),
        resolve_options(form, find_format(form).options, options),
        seed,
        cuts=cuts,
    )


def result(pairing: Pairing, letters: str) -> SeriesResult:
    """Return a finished series between two."""
    return pairing.result([game_result(pairing, letter) for letter in letters])


def game_result(pairing: Pairing, letter: str) -> GameResult:
    places = tuple(1 if letter in ("=", name) else 2 for name in pairing.entrants)
    return GameResult(places, "made up")


def finish(form: str, start: Stage, script: Script, *, keys: list[str] | None = None) -> Stage:
    """Play a stage to its end; `keys` is filled with the series in the order of play."""
    while waiting := find_format(form).pairings(start := with_next_round(form, start)):
        done = {pairing.key: result(pairing, script(pairing)) for pairing in waiting}
        if keys is not None:
            keys += done
        start = replace(start, results={**start.results, **done})
    return start


def with_next_round(form: str, start: Stage) -> Stage:
    """Return the stage with the round that it needs, if it needs one."""
    decides = find_format(form)
    if isinstance(decides, StoredRoundsFormat) and decides.needs_round(start):
        return replace(start, rounds=(*start.rounds, decides.next_round(start)))
    return start


def script_of(games: Mapping[str, str], default: str = "=") -> Script:
    """Return a script by key, or by the entrants' letters in any order; else the default for every game.

    A key ending in `*` is for all keys that begin so.
    """

    def script(pairing: Pairing) -> str:
        exact = games.get(pairing.key)
        if exact is not None:
            return exact
        for key, letters in games.items():
            if key.endswith("*") and pairing.key.startswith(key[:-1]):
                return letters
        if not any(sign in pairing.key for sign in ("||", "+")):
            for key, letters in games.items():
                if sorted(key) == sorted(pairing.entrants):
                    return letters
        return default * pairing.terms.games

    return script


def better_seed(start: Stage) -> Script:
    """Return a script in which the entrant listed first wins every game."""

    def script(pairing: Pairing) -> str:
        return min(pairing.entrants, key=start.entrants.index) * pairing.terms.games

    return script


def table(form: str, at: Stage) -> Standings:
    return find_format(form).standings(at)


def places(form: str, at: Stage) -> dict[str, int]:
    return {row.entrant: row.place for row in table(form, at).rows}


def why(form: str, at: Stage) -> dict[str, str]:
    return {row.entrant: str(row.why or "") for row in table(form, at).rows}
