"""How the champion of rps chooses a hand, computed on numbers. Start with `decision`."""
