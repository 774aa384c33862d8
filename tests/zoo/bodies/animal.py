"""What a bot does unless an animal does otherwise: it behaves. An animal's own lines follow below these."""
# ruff: noqa: F401

import functools
import json
import os
import signal
import socket
import sys
import threading
import time


def start():
    """Before anything else."""


def think(turn):
    """Before each answer; turns count from 1."""


def said(text):
    """An answer as bytes: a line without its end, the body of a response, the output of a program."""
    return text.encode()


def line(text):
    return said(text) + b"\n"


def returned(side, tile):
    """What a Python class answers."""
    return side, tile


def accepted(connection):
    """A server was connected to."""


def respond(connection, body):
    """A server's answer; whether the connection is kept."""
    connection.sendall(head("200 OK", f"Content-Length: {len(body)}") + body)
    return True


def afterwards(turn):
    """After each answer."""


def head(status, *headers, version="1.1"):
    return "\r\n".join([f"HTTP/{version} {status}", *headers, "", ""]).encode()


def write(raw, to=1):
    while raw:
        raw = raw[os.write(to, raw) :]


def late():
    """Where it matters, time passes by this: see `tests.support.bot_time`."""


def late_with_another():
    """The same for both players of a pair at once."""


def spend():
    """The same as `late`, and it goes on."""


def hang():
    late()
    while True:
        time.sleep(60)


def found(what):
    """A spy came back with something: it says so, and everybody sees it fail."""
    write(f"FOUND {what}\n".encode(), to=2)
    os._exit(9)


def refused(action, *given):
    """Something that must not be possible."""
    try:
        got = action(*given)
    except (OSError, ValueError):
        return
    if got != -1:
        found(f"{action} {given}: {got!r}")


def library():
    import ctypes

    return ctypes.CDLL(None, use_errno=True)
