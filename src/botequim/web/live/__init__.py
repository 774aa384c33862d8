"""The current public state of a cup: reads its stores, computes standings, renders and sends events.

Requests use only `ServedCup.public` (`live.public`), which contains only what is public.
"""
