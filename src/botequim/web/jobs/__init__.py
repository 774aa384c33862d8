"""Rendering in other processes, on request: replays, animations, galleries."""
