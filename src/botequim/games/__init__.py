"""The games: one package each, and what several games share in `dominoes` and `cards`."""
