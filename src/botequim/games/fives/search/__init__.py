"""How the champion of fives chooses a move, computed on numbers and bits."""
