"""Texts about contests for organisers."""

from __future__ import annotations

from botequim.core.sanitize import printable
from botequim.i18n import _, _n
from botequim.votes.contest import Contest, Voters
from botequim.votes.contests import Turnout


def closing_sentences(contest: Contest, turnout: Turnout) -> list[str]:
    """Return what closing an open contest does, for the organiser to read before it happens."""
    title = printable(contest.title)
    lines = [
        _n(
            '"{title}": this counts {n} ballot and shows everybody the result.',
            '"{title}": this counts {n} ballots and shows everybody the result.',
            turnout.ballots,
            title=title,
        ),
        _("Hidden until then: the winner of this contest, and how many people voted."),
    ]
    if contest.voters is Voters.CODES and turnout.codes > turnout.used:
        unused = turnout.codes - turnout.used
        lines.append(
            _n(
                "{n} code was not used and becomes useless.",
                "{n} codes were not used and become useless.",
                unused,
            )
        )
    lines.append(_("A closed contest cannot be opened again."))
    return lines
