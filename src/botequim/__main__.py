"""`python -m botequim` is the `botequim` command."""

import sys

from botequim import first_process, interrupts


def main() -> int:
    """Run the command as a process of its own. Ctrl-C works even during imports and at exit."""
    first_process.move_to_child()
    interrupts.exit_on_sigint()
    from botequim.cli import main as run

    try:
        return run()
    finally:
        interrupts.exit_on_sigint()


if __name__ == "__main__":
    sys.exit(main())
