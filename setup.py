"""The build steps that pyproject.toml cannot express.

Message catalogues are compiled from their sources, and the modules of `[tool.botequim.compiled]` by mypyc
where there is a C compiler; without one, or with BOTEQUIM_COMPILE=0, the same files run as plain Python.
Modules that were compiled before are deleted first, so that they never hide newer sources.
"""

import os
import sys
import sysconfig
import tomllib
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

PROJECT = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
GROUPS: dict[str, list[str]] = PROJECT["tool"]["botequim"]["compiled"]
HOT = [module for modules in GROUPS.values() for module in modules]


def source_of(module: str) -> str:
    return f"src/{module.replace('.', '/')}.py"


def forget_compiled() -> None:
    """Delete what this Python would import in place of the sources."""
    ending = sysconfig.get_config_var("EXT_SUFFIX") or ".so"
    stems = [f"src/{name.replace('.', '/')}" for name in HOT] + [f"src/{group}__mypyc" for group in GROUPS]
    for old in (Path(stem + ending) for stem in stems):
        if old.exists():
            print(f"{old} is deleted: it was compiled from older sources", file=sys.stderr)
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
        # the public names of botequim/__init__.py lead mypy to modules whose packages the build lacks
        wanted = ["--ignore-missing-imports", *files]
        extensions: list[Extension] = mypycify(wanted, opt_level="3", debug_level="0", separate=groups)
    except (Exception, SystemExit) as error:  # another version of mypy may not accept our code
        print(f"mypyc does not compile the rules ({error}); they will run as plain Python", file=sys.stderr)
        forget_compiled()
        return []
    for extension in extensions:
        extension.optional = True
        if os.name == "posix":
            # nothing links to them, so the compiler may inline across modules
            extension.extra_compile_args.append("-fvisibility=hidden")
    return extensions


def compile_catalogues() -> None:
    for source in sorted(Path("src/botequim/locale").glob("*/LC_MESSAGES/*.po")):
        with source.open("rb") as po, source.with_suffix(".mo").open("wb") as mo:
            write_mo(mo, read_po(po))


class BuildWithCatalogues(build_py):
    """Compile the catalogues, then build as usual."""

    def run(self) -> None:
        compile_catalogues()
        super().run()


class BuildFromNewSources(build_ext):
    """Build as usual, on all cores. If the C compiler fails, plain Python is left, not what was compiled from
    older sources."""

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
