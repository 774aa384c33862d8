"""The champion of havana as a submission for the real competition."""
