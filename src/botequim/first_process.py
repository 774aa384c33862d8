"""In a container, the command may be the first process, to which the kernel gives all orphans.

Each sandbox leaves an orphan when it ends. Somebody must collect its exit status, or after some thousand
games no process can be started any more. So the first process only does that, and passes signals on; the
command runs in a child.
"""

from __future__ import annotations

import os
import signal

FROM_TERMINAL = 128
"""SI_KERNEL: a terminal has sent the signal to all processes, so the child has received it already."""
LEFT_ALONE = {signal.SIGKILL, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}


def move_to_child() -> None:
    """If this is the first process, return in a child, and exit here with its exit code. Call this before
    any thread is started."""
    if os.getpid() != 1:
        return
    signals = signal.valid_signals() - LEFT_ALONE
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    while True:
        received = signal.sigwaitinfo(signals)
        if received.si_signo != signal.SIGCHLD:
            if received.si_code != FROM_TERMINAL:
                os.kill(child, received.si_signo)
        elif (code := _collect(child)) is not None:
            os._exit(code)


def _collect(child: int) -> int | None:
    """Collect everything that has ended. Return the exit code of the child if it is among that."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code
        if pid == 0:
            return code
        if pid == child:
            found = os.waitstatus_to_exitcode(status)
            code = found if found >= 0 else 128 - found
