"""The JSON API: everything that the pages show."""
