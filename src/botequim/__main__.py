"""`python -m botequim` is the `botequim` command."""

import sys

from botequim import interrupts


def main() -> int:
    """The command as a process of its own: Ctrl-C is clean also while it is loaded, and when it leaves."""
    interrupts.end_at_once()
    from botequim.cli import main as run

    try:
        return run()
    finally:
        interrupts.end_at_once()


if __name__ == "__main__":
    sys.exit(main())
