"""The values and interfaces everything else is made of: what a game or player author reads."""
