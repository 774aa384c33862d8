"""The pages for people: cups, the big screen, replays, texts, the organiser's page."""
