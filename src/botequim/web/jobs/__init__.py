"""Renders replays, animations and galleries on request, in separate processes."""
