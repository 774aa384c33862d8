"""Shared code of domino games: tiles, and lines of tiles in pictures, narration and the terminal."""
