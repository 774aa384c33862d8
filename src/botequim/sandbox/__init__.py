"""Runs untrusted programs: without isolation, with bubblewrap, or in containers.

A sandbox implements `botequim.core.process.Sandbox`. It depends on `core/` alone and knows nothing of games.
Start reading at `core/process.py`, then `bubblewrap.py`; `probe.py` finds out what works on this machine.
"""
