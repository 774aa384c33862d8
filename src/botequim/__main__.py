"""`python -m botequim` is the `botequim` command."""

import sys

from botequim import interrupts


def main() -> int:
    """The command as a process of its own: Ctrl-C is clean also while it is loaded, and when it leaves."""
    interrupts.exit_on_sigint()
    from botequim.cli import main as run

    try:
        return run()
    finally:
        interrupts.exit_on_sigint()


if __name__ == "__main__":
    sys.exit(main())
