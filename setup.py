"""The build steps that pyproject.toml cannot say.

Message catalogues are compiled from their sources, and the rules' hot modules by mypyc where there is a
C compiler; without one, or with BOTEQUIM_COMPILE=0, the same files run as plain Python.
"""

import os
import sys
from pathlib import Path
from runpy import run_path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools import Extension, setup
from setuptools.command.build_py import build_py

HOT: tuple[str, ...] = run_path("src/botequim/compiled.py")["HOT"]


def compiled_rules() -> list[Extension]:
    if os.environ.get("BOTEQUIM_COMPILE") == "0":
        return []
    from mypyc.build import mypycify

    files = [f"src/{name.replace('.', '/')}.py" for name in HOT]
    try:
        extensions: list[Extension] = mypycify(files, opt_level="3", group_name="botequim_rules")
    except (Exception, SystemExit) as error:  # a mypy that does not know our code as well as ours does
        print(f"mypyc does not compile the rules ({error}); they will run as plain Python", file=sys.stderr)
        return []
    for extension in extensions:
        extension.optional = True
        if os.name == "posix":
            # nobody links to them: so they may be built into one another
            extension.extra_compile_args.append("-fvisibility=hidden")
    return extensions


def compile_catalogues() -> None:
    for source in sorted(Path("src/botequim/locale").glob("*/LC_MESSAGES/*.po")):
        with source.open("rb") as po, source.with_suffix(".mo").open("wb") as mo:
            write_mo(mo, read_po(po))


class BuildWithCatalogues(build_py):
    """The usual build, after the catalogues."""

    def run(self) -> None:
        compile_catalogues()
        super().run()


if __name__ == "__main__":
    setup(cmdclass={"build_py": BuildWithCatalogues}, ext_modules=compiled_rules())
