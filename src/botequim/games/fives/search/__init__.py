"""The search of the champion of fives, with tiles as numbers and bits."""
