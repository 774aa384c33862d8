"""Pictures of games: positions as SVG, PNG and animated GIF, a whole game in one page, and art of bots.

Depends on core, records, narration and i18n. Start with `scene` (what a picture shows) and `drawing` (how it
is drawn). This `__init__` imports nothing, so that `botequim --help` stays quick.
"""
