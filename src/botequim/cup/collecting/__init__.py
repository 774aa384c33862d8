"""Collects the bots that people hand in, again and again during a course, for the entrants of a cup.

Start at `collect.collect_bots`. It finds submissions in a download of a learning platform, a folder, a CSV
file or a table of participants (`sources`, `tables`), compares them with the class list (`class_list`,
`matching`), keeps what was handed in and unpacks it (`files`), writes the history (`history`) and the people
(`botequim.cup.people`), and adds entrants to the cup file (`cup_file`). It depends on bots, core and cup.
"""
