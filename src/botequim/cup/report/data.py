"""The report for programs: `report.json`.

::

    {"botequim_report": 1, "cup": NAME, "game": NAME, "options": {...}, "over": true,
     "commitment": "sha256:...", "seed": TEXT or null while the cup goes on,
     "entrants": [{"name", "title", "authors", "repository", "null", "files": DIGEST,
                   "score": SCORE, "faults": {KIND: COUNT},
                   "time": {"questions", "seconds", "slowest"}}],
     "absent": {ENTRANT: why it did not start},
     "overall": [{"place", "entrant", "figures", "why"}],
     "ratings": {"anchor": 1500, "anchors": [ENTRANT, ...],
                 "entrants": [{"entrant", "rating", "interval": [LOW, HIGH], "games"}]},
     "stages": [{"name", "format", "beside", "done", "entrants", "drawn",
                 "standings": [as overall], "scores": {ENTRANT: SCORE},
                 "cross": [{"one", "other", **SCORE}],
                 "rounds": [[[ENTRANT, ...], ...], ...], only of a stage that is held in rounds,
                 "series": [{"key", "entrants", "winner",
                             "games": [{"how", "places", "faults", "record": FILE or null,
                                        "replay": FILE or null}]}]}],
     "changes": [{"number", "time", "who", "why", "after": {STAGE: COUNT}, "change": {"kind", ...},
                  "pin", "digest", "description", "effects": [TEXT, ...], "revoked_by"}],
     "machines": [{"label", "speed", "games", "timeouts", "longest_wait", "mean_wait"}],
     "timeout_clusters": [{"entrant", "machine", "timeouts", "all_timeouts", "share", "chance"}]}

`changes` is there only if the cup was changed after it had begun. Then a stage may have two further lists:
`void`, series that count for nobody, as in `series` and with `why`; and `walkovers`, series that are not
played, with `key`, `entrants` and `winner`.

The last two are there only if games name the machine that they were played on. A label is empty for games
that name none; waits are seconds for a processor, null if they are not known.

A SCORE is `{"games", "won", "drawn", "lost", "rate", "interval": [LOW, HIGH] or null}`. Lists of places and
faults follow the series' entrants. Fractions are texts such as "7/2". All letters beyond ASCII are escaped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from botequim.core.results import SeriesResult
from botequim.cup.explanations import ExplainedChange
from botequim.cup.report.content import Content, StageContent
from botequim.storage.files import record_name, replay_name

VERSION = 1


def report_json(content: Content) -> Iterator[str]:
    """Yield the text of the file, in pieces."""
    yield from json.JSONEncoder(indent=1).iterencode(_report(content))
    yield "\n"


def _report(content: Content) -> dict[str, Any]:
    cup = content.cup
    return {
        "botequim_report": VERSION,
        "cup": cup.name,
        "game": cup.game,
        "options": dict(cup.options),
        "over": content.over,
        "commitment": content.promise,
        "seed": content.progress.seed if content.over else None,
        "entrants": [_entrant(content, entry.name) for entry in cup.entrants],
        "absent": {one.entry.name: str(one.why) for one in cup.absent},
        "overall": [row.as_json() for row in content.overall],
        "ratings": content.ratings.as_json(),
        "stages": [_stage(content, stage) for stage in content.stages],
        **({"changes": [_change(one) for one in content.changes]} if content.changes else {}),
        **_machines(content),
    }


def _machines(content: Content) -> dict[str, Any]:
    if not content.machines.machines:
        return {}
    return {
        "machines": [one.as_json() for one in content.machines.machines],
        "timeout_clusters": [one.as_json() for one in content.machines.clusters()],
    }


def _entrant(content: Content, name: str) -> dict[str, Any]:
    entry, times = content.cup.entry(name), content.times[name]
    return {
        "name": name,
        "title": content.cup.title(name),
        "authors": list(entry.authors),
        "repository": entry.repository,
        "null": entry.null,
        "files": content.files[name],
        "score": content.score(name).as_json(),
        "faults": dict(content.fault_kinds[name]),
        "time": {
            "questions": times.questions,
            "seconds": times.micros / 1e6,
            "slowest": times.slowest / 1e6,
        },
    }


def _stage(content: Content, stage: StageContent) -> dict[str, Any]:
    standings = stage.standings
    return {
        "name": stage.plan.name,
        "format": stage.plan.format,
        "beside": stage.plan.beside,
        "done": stage.done,
        "entrants": list(standings.names) if standings is not None else None,
        "drawn": list(stage.drawn),
        "standings": [row.as_json() for row in standings.rows] if standings is not None else None,
        "scores": {name: score.as_json() for name, score in stage.scores.items()},
        "cross": [
            {"one": one, "other": other, **score.as_json()} for (one, other), score in stage.duels.items()
        ],
        "series": [_series(content, stage.plan.name, result) for result in stage.results.values()],
        **({} if stage.rounds is None else {"rounds": stage.rounds}),
        **_not_played_or_counted(content, stage),
    }


def _not_played_or_counted(content: Content, stage: StageContent) -> dict[str, Any]:
    name = stage.plan.name
    void = [{**_series(content, name, result), "why": str(why)} for result, why in stage.void_series]
    walkovers = [
        {"key": one.key, "entrants": list(one.entrants), "winner": one.winner()} for one in stage.walkovers
    ]
    return ({"void": void} if void else {}) | ({"walkovers": walkovers} if walkovers else {})


def _change(one: ExplainedChange) -> dict[str, Any]:
    return {
        **one.entry.as_json(),
        "description": str(one.description),
        "effects": [str(message) for message in one.effects],
        "revoked_by": one.revoked_by,
    }


def _series(content: Content, stage: str, result: SeriesResult) -> dict[str, Any]:
    return {
        "key": result.key,
        "entrants": list(result.entrants),
        "winner": result.winner(),
        "games": [
            {
                "how": game.how,
                "places": list(game.places),
                "faults": list(game.faults) or [0] * len(game.places),
                "record": record_name(stage, result.key, number) if content.records else None,
                "replay": replay_name(stage, result.key, number)
                if (stage, result.key, number) in content.replays
                else None,
            }
            for number, game in enumerate(result.games)
        ],
    }
