"""Writes champions as submissions: files that run without Botequim.

`GamePlugin.submission` names the function of a game that returns the files. The modules here put the sources
that a champion needs into one file (`bundle`) or into packages beside it (`sources`).
"""
