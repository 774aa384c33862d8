"""Who can be named as a player: built-in players, files, folders, archives, commands and addresses."""
