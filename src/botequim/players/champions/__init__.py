"""The strongest players there are, one for each game."""
