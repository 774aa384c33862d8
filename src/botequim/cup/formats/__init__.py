"""The formats. Each is found by its entry point, like those of other packages."""
