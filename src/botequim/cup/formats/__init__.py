"""The formats: each is found through the entry point of its name, as anybody's would be."""
