"""The one build step that pyproject.toml cannot say: message catalogues are compiled from their sources."""

from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools import setup
from setuptools.command.build_py import build_py


def compile_catalogues() -> None:
    for source in sorted(Path("src/botequim/locale").glob("*/LC_MESSAGES/*.po")):
        with source.open("rb") as po, source.with_suffix(".mo").open("wb") as mo:
            write_mo(mo, read_po(po))


class BuildWithCatalogues(build_py):
    def run(self) -> None:
        compile_catalogues()
        super().run()


if __name__ == "__main__":
    setup(cmdclass={"build_py": BuildWithCatalogues})
