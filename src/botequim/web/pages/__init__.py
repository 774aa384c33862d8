"""Addresses that people open: cups, the big screen, replays, texts, the organiser's page."""
