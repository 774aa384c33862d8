"""Describes games in words: every turn as sentences, in the reader's language.

Depends on core, records and i18n. Start with `narrator`.
"""
