"""How each competition speaks with its bots: pure translations, one file each."""
