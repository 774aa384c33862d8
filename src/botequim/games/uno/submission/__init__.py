"""The champion of uno as a submission for the real competition."""
