"""`botequim scheduler`, where it cannot start."""

from __future__ import annotations

import socket
import subprocess
import sys


def test_a_port_that_is_taken_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        words = ["scheduler", "--host", "127.0.0.1", "--port", str(port)]
        command = [sys.executable, "-m", "botequim", *words]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert f"the scheduler cannot listen on tcp://127.0.0.1:{port}: " in ran.stderr
    assert "Address already in use" in ran.stderr
    assert "Traceback" not in ran.stderr
