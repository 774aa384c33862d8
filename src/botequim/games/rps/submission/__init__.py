"""The champion of rps as a submission to its competition."""
