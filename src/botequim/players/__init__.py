"""The players that come with the house."""
