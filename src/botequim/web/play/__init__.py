"""The pages on which people play: the page of all tables, a person's own table, spectators, replays.

`botequim.tables` knows the tables; this package is only its HTTP side. Start with `routes`.
"""
