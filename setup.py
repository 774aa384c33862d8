"""The build steps that pyproject.toml cannot say.

Message catalogues are compiled from their sources, and the rules' hot modules by mypyc where there is a
C compiler; without one, or with BOTEQUIM_COMPILE=0, the same files run as plain Python. Modules that were
compiled before never stay beside newer sources: they are taken away before others are made.
"""

import os
import sys
import sysconfig
from pathlib import Path
from runpy import run_path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

COMPILED = run_path("src/botequim/compiled.py")
GROUPS: dict[str, tuple[str, ...]] = COMPILED["GROUPS"]
HOT: tuple[str, ...] = COMPILED["HOT"]


def source_of(module: str) -> str:
    return f"src/{module.replace('.', '/')}.py"


def forget_compiled() -> None:
    """Take away what this Python would import in place of the sources."""
    ending = sysconfig.get_config_var("EXT_SUFFIX") or ".so"
    stems = [f"src/{name.replace('.', '/')}" for name in HOT] + [f"src/{group}__mypyc" for group in GROUPS]
    for old in (Path(stem + ending) for stem in stems):
        if old.exists():
            print(f"{old} is taken away: it was compiled from older sources", file=sys.stderr)
            old.unlink()


def compiled_rules() -> list[Extension]:
    if os.environ.get("BOTEQUIM_COMPILE") == "0":
        return []
    from mypyc.build import mypycify

    groups: list[tuple[list[str], str | None]] = [
        ([source_of(name) for name in names], group) for group, names in GROUPS.items()
    ]
    files = [file for names, _ in groups for file in names]
    try:
        extensions: list[Extension] = mypycify(files, opt_level="3", debug_level="0", separate=groups)
    except (Exception, SystemExit) as error:  # a mypy that does not know our code as well as ours does
        print(f"mypyc does not compile the rules ({error}); they will run as plain Python", file=sys.stderr)
        forget_compiled()
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


class BuildFromNewSources(build_ext):
    """The usual build, on all cores. A C compiler that fails leaves plain Python, not what it made of older
    sources."""

    def run(self) -> None:
        self.parallel = os.cpu_count() or 1
        if self.inplace or self.editable_mode:
            forget_compiled()
        super().run()


if __name__ == "__main__":
    setup(
        cmdclass={"build_py": BuildWithCatalogues, "build_ext": BuildFromNewSources},
        ext_modules=compiled_rules(),
    )
