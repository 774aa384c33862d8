"""Runs untrusted container images with podman or docker.

`sandbox.py` is the `Sandbox`, `instance.py` one container, `engine.py` the engine's command line, `probe.py`
finds out which engine works here. Only `engine.py` handles the differences between the engines.
"""
