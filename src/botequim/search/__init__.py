"""Code that several champions share: sets as bits, hidden hands, a fast random generator, levels and advice.

These modules know nothing of games, views and players. Tiles are bits of a word and seats are numbers. The
modules in `games/<name>/search` play by the same rules as `games/<name>/rules`; tests compare both with
random games. Start with `champion` and `worlds`.
"""
