"""The search of the champion of cubos, with tiles as numbers and bits. Start with `decision`."""
