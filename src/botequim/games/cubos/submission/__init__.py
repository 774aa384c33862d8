"""The champion of cubos as a submission for the real competition."""
