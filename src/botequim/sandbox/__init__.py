"""Where strangers' programs run."""
