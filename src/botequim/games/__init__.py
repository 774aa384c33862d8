"""The games, one package each. `dominoes` and `cards` contain what several games share."""
