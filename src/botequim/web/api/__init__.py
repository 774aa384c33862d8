"""The JSON API: everything that is shown, for programs."""
