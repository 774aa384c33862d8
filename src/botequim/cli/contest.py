"""`botequim contest`: public votes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim.cli.confirming import add_yes, confirm
from botequim.cli.options import command
from botequim.cli.stores import add_store, read_cup
from botequim.core.errors import InputError
from botequim.core.extras import extra_error
from botequim.core.messages import msg
from botequim.core.sanitize import printable
from botequim.core.suggestions import with_suggestion
from botequim.i18n import _, _n

if TYPE_CHECKING:
    from botequim.cup.config import Cup
    from botequim.votes.contest import Contest, Phase
    from botequim.votes.contests import Contests, Turnout
    from botequim.votes.tally import Tally


VOTERS = ("codes", "open")
CHOICES = ("single", "ranked")


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "contest",
        description=_(
            "Lets the public vote for entrants of a cup, with one-time codes or with one vote per "
            "browser.\n"
            "People vote on the pages of `botequim serve`. The organiser's page there offers these "
            "actions too."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim contest new rinha.toml 'Best art' --choice ranked\n"
            "  botequim contest codes rinha.toml 1 60 --csv codes.csv\n"
            "  botequim contest open rinha.toml 1\n"
            "  botequim contest close rinha.toml 1\n"
            "  botequim contest results rinha.toml 1"
        ),
    )
    parser.set_defaults(run=lambda arguments: _explain(parser))
    actions = parser.add_subparsers(metavar=_("ACTION"), title=_("actions"))
    _add_new(actions)
    _action(actions, "list", _("all contests of a cup"), command(run_list), takes_number=False)
    _add_codes(actions)
    _action(actions, "open", _("open the voting"), command(run_open))
    close = _action(
        actions,
        "close",
        _("close the voting permanently and publish the result"),
        command(run_close),
    )
    add_yes(close)
    results = _action(
        actions, "results", _("show the winner and how the votes were counted"), command(run_results)
    )
    results.add_argument(
        "--early",
        action="store_true",
        help=_("show the results before the contest is closed; only the organiser sees them"),
    )
    delete = _action(
        actions,
        "delete",
        _("delete a contest with its codes and ballots"),
        command(run_delete),
        more=" --title 'Best art'",
    )
    delete.add_argument("--title", required=True, help=_("the title of the contest, to confirm"))
    return parser


def _explain(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 0


def _action(
    actions: Any,
    name: str,
    help_text: str,
    run: Callable[[argparse.Namespace], int],
    *,
    takes_number: bool = True,
    more: str = "",
) -> argparse.ArgumentParser:
    """Add an action. `more` is appended to its example."""
    example = f"  botequim contest {name} rinha.toml" + (" 1" if takes_number else "") + more
    action: argparse.ArgumentParser = actions.add_parser(
        name, help=help_text, description=help_text, epilog=_("Examples:\n{example}", example=example)
    )
    action.add_argument("cup", metavar=_("CUP"), type=Path, help=_("a cup file"))
    if takes_number:
        action.add_argument("number", metavar=_("NUMBER"), type=int, help=_("number of the contest"))
    add_store(action)
    action.add_argument("--json", action="store_true", help=_("the result as JSON"))
    action.set_defaults(run=run)
    return action


def _add_new(actions: Any) -> None:
    action = _action(
        actions,
        "new",
        _("prepare a contest"),
        command(run_new),
        takes_number=False,
        more=" 'Best art'",
    )
    action.add_argument("title", metavar=_("TITLE"), help=_("the question of the contest, in a few words"))
    action.add_argument(
        "--voters",
        choices=VOTERS,
        default=VOTERS[0],
        help=_("codes: people with a voting code; open: one vote per browser (codes)"),
    )
    action.add_argument(
        "--choice",
        choices=CHOICES,
        default=CHOICES[0],
        help=_("one entrant, or a ranking (single)"),
    )
    action.add_argument(
        "--entrant",
        metavar=_("NAME"),
        action="append",
        help=_("an entrant to vote for; may be repeated (default: all entrants of the cup)"),
    )


def _add_codes(actions: Any) -> None:
    action = _action(actions, "codes", _("create voting codes"), command(run_codes))
    action.epilog = _(
        "Examples:\n"
        "  botequim contest codes rinha.toml 1 60 --csv codes.csv\n"
        "  botequim contest codes rinha.toml 1 60 --sheet codes.html \\\n"
        "    --address http://192.168.0.10:8080"
    )
    action.add_argument("count", metavar="N", type=int, help=_("how many"))
    action.add_argument(
        "--sheet", metavar=_("FILE.html"), type=Path, help=_("a sheet with QR codes to print and to cut")
    )
    action.add_argument(
        "--address",
        metavar=_("ADDRESS"),
        help=_("the address at which phones reach the server, for the QR codes"),
    )
    action.add_argument("--csv", metavar=_("FILE.csv"), type=Path, help=_("a list"))


@contextmanager
def _contests(arguments: argparse.Namespace) -> Iterator[Contests]:
    from botequim.cup.paths import CupPaths
    from botequim.votes.contests import Contests

    cup = read_cup(arguments.cup, arguments.store)
    with CupPaths.of_cup(cup).storage.open_votes() as store:
        yield Contests(store)


# --- actions -----------------------------------------------------------------------------------------


def run_new(arguments: argparse.Namespace) -> int:
    from botequim.votes.contest import Choice, Voters

    cup = _public_cup(read_cup(arguments.cup, arguments.store))
    entrants = [entry.name for entry in cup.entrants if not entry.null]
    for name in arguments.entrant or ():
        if name not in entrants:
            problem = msg(
                'this cup has no entrant "{name}"; entrants: {known}', name=name, known=", ".join(entrants)
            )
            raise InputError(with_suggestion(problem, name, entrants))
    with _contests(arguments) as contests:
        contest = contests.add(
            arguments.title, Voters(arguments.voters), Choice(arguments.choice), arguments.entrant or entrants
        )
    if arguments.json:
        return _print_json(_as_json(contest))
    print(_('contest {number} is prepared: "{title}"', number=contest.id, title=contest.title))
    return 0


def _public_cup(cup: Cup) -> Cup:
    """Return the cup with the late entrants that are public, and without those that did not start."""
    from botequim.cup.paths import CupPaths
    from botequim.cup.withdrawals import without_withdrawn
    from botequim.storage.visibility import Visibility

    storage = CupPaths.of_cup(cup).storage
    if not storage.has_results():
        return cup
    with storage.open_results(check=True) as store:
        return without_withdrawn(cup, store, Visibility.of(store, storage).results())


def run_list(arguments: argparse.Namespace) -> int:
    with _contests(arguments) as contests:
        rows = [(one, contests.turnout(one.id)) for one in contests.all()]
    if arguments.json:
        return _print_json([_as_json(one, turnout) for one, turnout in rows])
    for one, turnout in rows:
        print(f"{one.id:>3}  {printable(one.title)}  ({_phase(one.phase)}, {_ballots(turnout.ballots)})")
    if not rows:
        print(_("There are no contests in this cup."))
    return 0


def run_codes(arguments: argparse.Namespace) -> int:
    """Create codes, after all arguments have been checked."""
    from urllib.parse import quote

    from botequim.cli.output import kind_of, write
    from botequim.votes import codes

    if arguments.sheet is not None:
        kind_of(arguments.sheet, (".html",), arguments.cup)
        if arguments.address is None:
            raise InputError(
                msg("--sheet needs --address, because the QR codes contain the server's address")
            )
        if not all(find_spec(name) for name in ("jinja2", "segno")):
            raise extra_error(msg("`botequim serve` needs the extra `web`"), "web")
    if arguments.csv is not None:
        kind_of(arguments.csv, (".csv",), arguments.cup)
    address = _address(arguments.address) if arguments.address is not None else ""
    with _contests(arguments) as contests:
        contest = contests.get(arguments.number)
        new_codes = contests.add_codes(contest.id, arguments.count)
        texts = [codes.format_code(code) for code in new_codes]
        try:
            if arguments.sheet is not None:
                cup_address = f"{address}/cups/{quote(arguments.cup.stem, safe='')}"
                _write_sheet(arguments.sheet, contest, new_codes, cup_address)
            if arguments.csv is not None:
                write(arguments.csv, "\r\n".join(["code", *texts, ""]).encode())
        except BaseException:  # codes that nobody received would count as given out
            contests.remove_codes(new_codes)
            raise
    if arguments.json:
        return _print_json({"contest": contest.id, "codes": texts})
    if arguments.sheet is None and arguments.csv is None:
        print("\n".join(texts))
    else:
        print(_n("{n} code", "{n} codes", len(new_codes)))
    return 0


def _address(text: str) -> str:
    from botequim.web.code_sheets import check_address, only_here

    address = check_address(text)
    if only_here(address):
        print(_("warning: no phone can reach {address}", address=address), file=sys.stderr)
    return address


def _write_sheet(path: Path, contest: Contest, new_codes: list[str], cup_address: str) -> None:
    from botequim import i18n
    from botequim.cli.output import write
    from botequim.web import code_sheets
    from botequim.web.templating import render_template

    ballot = f"{cup_address}/contests/{contest.id}"
    text = render_template(
        "sheet.html",
        i18n.language(),
        contest=contest,
        slips=code_sheets.slips(code_sheets.sheet_json(ballot, new_codes)),
        ballot=ballot,
        only_here=False,
        a_page=code_sheets.A_PAGE,
        style=code_sheets.style(),
    )
    write(path, text.encode())
    print(_("Wrote {path}. Print it on A4 and cut along the lines.", path=path), file=sys.stderr)


def run_open(arguments: argparse.Namespace) -> int:
    from botequim.votes.contest import Phase

    return _set_phase(arguments, Phase.OPEN)


def run_close(arguments: argparse.Namespace) -> int:
    """Close a contest after a confirmation, if it is open. Otherwise closing changes nothing, or fails."""
    from botequim.votes.contest import Phase
    from botequim.votes.texts import closing_sentences

    with _contests(arguments) as contests:
        contest = contests.get(arguments.number)
        turnout = contests.turnout(contest.id)
    is_open = contest.phase is Phase.OPEN
    if is_open and not confirm(closing_sentences(contest, turnout), yes=arguments.yes):
        return 1
    return _set_phase(arguments, Phase.CLOSED)


def _set_phase(arguments: argparse.Namespace, phase: Phase) -> int:
    with _contests(arguments) as contests:
        contest = contests.set_phase(arguments.number, phase)
        turnout = contests.turnout(contest.id)
    if arguments.json:
        return _print_json(_as_json(contest, turnout))
    print(f"{printable(contest.title)}: {_phase(contest.phase)}, {_ballots(turnout.ballots)}")
    return 0


def run_results(arguments: argparse.Namespace) -> int:
    with _contests(arguments) as contests:
        contest = contests.get(arguments.number)
        tally = contests.tally(contest.id, early=arguments.early)
        turnout = contests.turnout(contest.id)
    if arguments.json:
        return _print_json({**_as_json(contest, turnout), "result": _tally_json(tally)})
    print(f"{printable(contest.title)}: {_ballots(tally.ballots)}")
    for row in tally.standings:
        votes = _n("{n} vote", "{n} votes", row.votes)
        print(f"{row.place:>3}. {printable(row.entrant)}  {votes}")
    if not tally.winners:
        print(_("Nobody voted, so there is no winner."))
    for number, one in enumerate(tally.rounds if tally.winners else (), start=1):
        votes_text = ", ".join(f"{printable(name)} {votes}" for name, votes in one.votes.items())
        print(_("Round {n}: {votes}", n=number, votes=votes_text))
        if one.votes.keys() - set(one.leaving):
            print("  " + _("eliminated: {names}", names=", ".join(one.leaving)))
    return 0


def run_delete(arguments: argparse.Namespace) -> int:
    with _contests(arguments) as contests:
        contests.delete(arguments.number, arguments.title)
    if arguments.json:
        return _print_json({"deleted": arguments.number})
    print(_("contest {number} is deleted", number=arguments.number))
    return 0


# --- output ------------------------------------------------------------------------------------------


def _phase(phase: Phase) -> str:
    from botequim.votes.contest import Phase

    match phase:
        case Phase.PREPARING:
            return _("not begun")
        case Phase.OPEN:
            return _("voting is open")
        case Phase.CLOSED:
            return _("the contest is closed and the votes are counted")


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
