"""Drills: a cup is played on a cluster of laboratory machines while parts of it fail, and loses nothing.

`python -m tests.cluster.drills` runs them. `cup` has the cup and what is compared, `site` the machines and
their programs, `kinds` what can happen to them. Start reading in `__main__`.
"""
