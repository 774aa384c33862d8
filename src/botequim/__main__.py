"""`python -m botequim` is the `botequim` command."""

import sys

from botequim.cli import main

if __name__ == "__main__":
    sys.exit(main())
