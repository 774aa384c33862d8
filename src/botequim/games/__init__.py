"""The rules: one game a file."""
