"""Cups: from one file to a champion.

========================  ===========================================================================
`config`                  the cup as values; `config_parser` reads its file, `config_writer` writes one
`templates`, `importing`  cup files of the built-in competitions, and from lists and folders of entrants
`pairing`                 a series that a cup wants to have played: its games, seats and result
`format`, `formats/`      the interface of a format, and the formats
`ranking`, `league`       tie-breaks, and leagues that play further series to break a tie
`rounds`                  rounds that are decided once and stored
`stages`                  stages that are connected by "the best k advance"; `CupState`
`entrant_check`           tests every entrant; `estimates` says how long the cup takes
`withdrawals`             entrants that cannot play, and the cup without them
`runner`, `jobs`          play the cup and store its results; `live/` publishes games while they are played
`bundle`                  writes a finished cup as one file; `audit` and `stage_audit` verify it
`cross`, `ratings`        head-to-head results, and ratings of all entrants
`report/`                 pages, tables and feedback sheets of a cup
`paths`, `repair`         the folder of a cup, and the repair of its results
`backup`, `forgetting`    a cup in one file; the deletion of a person's data
`grade_rule`, `formula`   grades by a formula in the cup file
========================  ===========================================================================

Formats and `stages` are pure: they play, wait and store nothing. Start reading at `format`, then `stages`.
"""
