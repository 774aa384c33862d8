"""The search of the champion of rps, with hands as numbers. Start with `decision`."""
