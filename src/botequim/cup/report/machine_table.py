"""The section of the report about machines; a report has it only if games name the machine they were played
on."""

from __future__ import annotations

from collections.abc import Iterator

from botequim.cup.report.blocks import Block, Cell, Grid, Heading, Text
from botequim.cup.report.content import Content
from botequim.cup.report.machines import MachineFigures, TimeoutCluster
from botequim.i18n import _, number, percent


def machine_section(content: Content) -> Iterator[Block]:
    machines = content.machines.machines
    if not machines:
        return
    yield Heading(2, _("Machines"))
    headings = (
        _("machine"),
        ">" + _("speed"),
        ">" + _("games"),
        ">" + _("timeouts"),
        ">" + _("longest wait"),
        ">" + _("mean wait"),
    )
    yield Grid(headings, [_row(one) for one in machines])
    yield Text(
        _(
            "A speed of 1 is that of the reference machine. A wait is how long a bot waited in a game for a "
            "processor that other programs used; of built-in players and of bots elsewhere it is not known."
        )
    )
    if not content.machines.timeouts:
        return
    clusters = content.machines.clusters()
    for cluster in clusters:
        yield Text(_sentence(content, cluster), strong=True)
    if not clusters:
        yield Text(_("No bot's timeouts clearly cluster on one machine."))
    yield Text(
        _(
            "A cluster is named if chance alone would hardly put so many of a bot's series with timeouts on "
            "one machine: so rarely that fewer than 1 of 20 reports would name any cluster by chance. Series "
            "are counted, because one machine plays a whole series, and its timeouts may have the same "
            "cause. A cluster is a reason to look at the machine, not a proof; with few series there is none."
        )
    )


def _row(one: MachineFigures) -> list[Cell]:
    speed, mean = one.speed, one.mean_wait
    return [
        Cell(one.label or _("not named")),
        Cell("" if speed is None else number(f"{speed:.2f}")),
        Cell(number(f"{one.games:,}")),
        Cell(number(f"{one.timeouts:,}")),
        Cell(_seconds(one.longest_wait) if one.waits else ""),
        Cell("" if mean is None else _seconds(mean)),
    ]


def _seconds(seconds: float) -> str:
    return number(f"{seconds:.3f} s")


def _sentence(content: Content, cluster: TimeoutCluster) -> str:
    return _(
        "{part} of {all} timeouts of {name} happened on {label}, which played {share} of its games.",
        part=cluster.timeouts,
        all=cluster.all_timeouts,
        name=content.cup.title(cluster.entrant),
        label=cluster.label,
        share=percent(cluster.share),
    )
