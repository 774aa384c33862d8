"""People at the terminal: they play, and they watch."""
