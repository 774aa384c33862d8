"""The pages of contests: ballots, results, and the organiser's desk."""
