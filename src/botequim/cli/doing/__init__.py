"""What the commands do. Their options are beside this package: help and completion need no more."""
