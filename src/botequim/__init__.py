"""Botequim hosts, runs, shows and wins bot competitions for table games."""

from botequim.version import VERSION

__version__ = VERSION
