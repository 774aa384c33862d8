"""Tables at which people play in the browser. `controls.py` says what a person can do at a game's table."""
