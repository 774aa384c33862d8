"""Ratios against floors and peers, each measured in one run: `make bench`. Nothing here is a test."""
