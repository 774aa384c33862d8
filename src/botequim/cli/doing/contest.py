"""`botequim contest`: the public votes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from botequim.cli.doing.output import kind_of, write
from botequim.contests import codes
from botequim.contests.contest import Choice, Contest, Phase, Voters
from botequim.contests.keeping import Contests, Turnout
from botequim.contests.tally import Tally
from botequim.core.errors import InputError
from botequim.core.messages import harmless, msg
from botequim.cup.curtain import Show
from botequim.cup.home import Home
from botequim.cup.reading import read
from botequim.i18n import _, _n


@contextmanager
def _contests(arguments: argparse.Namespace) -> Iterator[Contests]:
    cup = read(arguments.cup)
    with Show.open(Home.of(cup.path).show) as show:
        yield Contests(show)


# --- what is done ------------------------------------------------------------------------------------


def run_new(arguments: argparse.Namespace) -> int:
    cup = read(arguments.cup)
    known = [entry.name for entry in cup.entrants if not entry.null]
    for name in arguments.entrant or ():
        if name not in known:
            raise InputError(
                msg(
                    '"{name}" is no entrant of this cup; known: {known}',
                    name=name,
                    known=", ".join(known),
                )
            )
    with _contests(arguments) as contests:
        made = contests.make(
            arguments.title, Voters(arguments.voters), Choice(arguments.choice), arguments.entrant or known
        )
    if arguments.json:
        return _print_json(_as_json(made))
    print(_('contest {number} is prepared: "{title}"', number=made.id, title=made.title))
    return 0


def run_list(arguments: argparse.Namespace) -> int:
    with _contests(arguments) as contests:
        found = [(one, contests.turnout(one.id)) for one in contests.all()]
    if arguments.json:
        return _print_json([_as_json(one, turnout) for one, turnout in found])
    for one, turnout in found:
        print(f"{one.id:>3}  {harmless(one.title)}  ({_phase(one.phase)}, {_ballots(turnout.ballots)})")
    if not found:
        print(_("There are no contests in this cup."))
    return 0


def run_codes(arguments: argparse.Namespace) -> int:
    """What can be known to be wrong is refused before any code is made."""
    if arguments.sheet is not None:
        kind_of(arguments.sheet, (".html",), arguments.cup)
        if arguments.address is None:
            raise InputError(msg("--sheet needs --address: QR codes lead to the server"))
        if not all(find_spec(name) for name in ("jinja2", "segno")):
            raise InputError(msg("serving needs what `pip install botequim[web]` brings"))
    if arguments.csv is not None:
        kind_of(arguments.csv, (".csv",), arguments.cup)
    address = _address(arguments.address) if arguments.address is not None else ""
    with _contests(arguments) as contests:
        contest = contests.get(arguments.number)
        made = contests.add_codes(contest.id, arguments.count)
        shown = [codes.shown(code) for code in made]
        try:
            if arguments.sheet is not None:
                place = f"{address}/cups/{quote(arguments.cup.stem, safe='')}"
                _write_sheet(arguments.sheet, contest, made, place)
            if arguments.csv is not None:
                write(arguments.csv, "\r\n".join(["code", *shown, ""]).encode())
        except BaseException:  # codes that nobody was told would be counted as if they were out
            contests.withdraw(made)
            raise
    if arguments.json:
        return _print_json({"contest": contest.id, "codes": shown})
    if arguments.sheet is None and arguments.csv is None:
        print("\n".join(shown))
    else:
        print(_n("{n} code", "{n} codes", len(made)))
    return 0


def _address(given: str) -> str:
    from botequim.web.sheet import checked, only_here

    address = checked(given)
    if only_here(address):
        print(_("warning: no phone can reach {address}", address=address), file=sys.stderr)
    return address


def _write_sheet(path: Path, contest: Contest, made: list[str], cup: str) -> None:
    from botequim import i18n
    from botequim.web import sheet
    from botequim.web.talk import written

    ballot = f"{cup}/contests/{contest.id}"
    text = written(
        "sheet.html",
        i18n.language(),
        contest=contest,
        slips=sheet.slips(sheet.drawn(ballot, made)),
        ballot=ballot,
        only_here=False,
        a_page=sheet.A_PAGE,
        style=sheet.style(),
    )
    write(path, text.encode())
    print(_("{path} is written: print it on A4, and cut along the lines", path=path), file=sys.stderr)


def run_open(arguments: argparse.Namespace) -> int:
    return _turn(arguments, Phase.OPEN)


def run_close(arguments: argparse.Namespace) -> int:
    return _turn(arguments, Phase.CLOSED)


def _turn(arguments: argparse.Namespace, phase: Phase) -> int:
    with _contests(arguments) as contests:
        contest = contests.turn(arguments.number, phase)
        turnout = contests.turnout(contest.id)
    if arguments.json:
        return _print_json(_as_json(contest, turnout))
    print(f"{harmless(contest.title)}: {_phase(contest.phase)}, {_ballots(turnout.ballots)}")
    return 0


def run_results(arguments: argparse.Namespace) -> int:
    with _contests(arguments) as contests:
        contest = contests.get(arguments.number)
        tally = contests.tally(contest.id, early=arguments.early)
        turnout = contests.turnout(contest.id)
    if arguments.json:
        return _print_json({**_as_json(contest, turnout), "result": _tally_json(tally)})
    print(f"{harmless(contest.title)}: {_ballots(tally.ballots)}")
    for row in tally.standings:
        votes = _n("{n} vote", "{n} votes", row.votes)
        print(f"{row.place:>3}. {harmless(row.entrant)}  {votes}")
    if not tally.winners:
        print(_("Nobody voted, so nobody has won."))
    for number, one in enumerate(tally.rounds if tally.winners else (), start=1):
        counted = ", ".join(f"{harmless(name)} {votes}" for name, votes in one.votes.items())
        print(_("Round {n}: {votes}", n=number, votes=counted))
        if one.votes.keys() - set(one.leaving):
            print("  " + _("out: {names}", names=", ".join(one.leaving)))
    return 0


def run_delete(arguments: argparse.Namespace) -> int:
    with _contests(arguments) as contests:
        contests.delete(arguments.number, arguments.title)
    if arguments.json:
        return _print_json({"deleted": arguments.number})
    print(_("contest {number} is deleted", number=arguments.number))
    return 0


# --- how it is told ----------------------------------------------------------------------------------


def _phase(phase: Phase) -> str:
    match phase:
        case Phase.PREPARING:
            return _("not begun")
        case Phase.OPEN:
            return _("voting is open")
        case Phase.CLOSED:
            return _("the votes are counted")


def _ballots(count: int) -> str:
    return _n("{n} ballot", "{n} ballots", count)


def _print_json(value: object) -> int:
    print(json.dumps(value, indent=2, ensure_ascii=False))
    return 0


def _as_json(contest: Contest, turnout: Turnout | None = None) -> dict[str, object]:
    value: dict[str, object] = {
        "number": contest.id,
        "title": contest.title,
        "voters": contest.voters.value,
        "choice": contest.choice.value,
        "phase": contest.phase.value,
        "entrants": list(contest.entrants),
    }
    if turnout is not None:
        value |= {"codes": turnout.codes, "used": turnout.used, "ballots": turnout.ballots}
    return value


def _tally_json(tally: Tally) -> dict[str, object]:
    return {
        "winners": list(tally.winners),
        "standings": [
            {"place": row.place, "entrant": row.entrant, "votes": row.votes} for row in tally.standings
        ],
        "rounds": [
            {
                "votes": dict(one.votes),
                "silent": one.silent,
                "asked": [dict(votes) for votes in one.asked],
                "leaving": list(one.leaving),
            }
            for one in tally.rounds
        ],
    }
