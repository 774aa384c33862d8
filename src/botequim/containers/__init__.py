"""Bots that come as container images: run by podman or docker, whichever is found to work."""
