"""The compiled core of the champions: hidden hands, solvers, playouts, small models.

It knows nothing of games, views and players: tiles are bits of a word, seats are numbers, and each game's
file here plays by the same rules as the one in `games/`, which a test holds with random games.
"""
