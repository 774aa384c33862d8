"""The champions as submissions, each in its competition's own form, with nothing of ours to install."""
