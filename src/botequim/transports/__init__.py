"""What carries a question to a bot and its answer back in time."""
