"""How the champion of havana chooses a move, computed on numbers and bits."""
