"""The search of the champion of uno, with cards as numbers and bits. Start with `search`."""
