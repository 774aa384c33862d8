"""The current public state of a cup: read from its files, counted, rendered, and sent to all viewers.

Requests use only `ServedCup.public` (`live.public`), which contains only what is public.
"""
