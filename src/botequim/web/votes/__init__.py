"""Votes: ballots and results for everybody, the organiser's desk, and what voting has to do with the web."""
