"""The search of the champion of havana, with tiles as numbers and bits."""
