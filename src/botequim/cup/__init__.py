"""Cups: from one file to a champion.

========================  ===========================================================================
`pairing`                 a series that a cup wants played, how each of its games sits, and its result
`format`                  what a format is asked, and what it answers: pairings and standings
`ranking`, `league`       rules that set equals apart, one after another; leagues that play on for it
`formats/`                the formats, each a small file, found through the entry points
`stages`                  stages joined by "the best k advance"
`file`, `writing`         the cup file, read with care and written with comments
`absence`                 entrants that cannot be made ready, and the cup without them
`templates`               the five competitions
`importing`               cup files from what an organiser has
`cross`                   who did what against whom
`report/`                 pages, tables and feedback sheets of a cup
`bundle`, `proof`         a cup in one piece, and the check that referees all of it again
`curtain`                 what the public may see: a prefix of what was played
`live/`                   the games under way, turn by turn
`database`                a SQLite file with versions and words for what goes wrong
`output`                  file names that every system takes, files that are whole
========================  ===========================================================================

All of it is pure: nothing here plays, waits or stores. `stages.CupState` is what a runner talks to.
"""
