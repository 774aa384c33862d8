"""Replaces modules that a student's file imports, but does not need to play, by modules that do nothing.

So a file that draws, or that imports the course's judge, can be loaded. Only modules that are not installed
are replaced, and only those in a list; any other missing module is an ImportError.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

COURSE = ("judge", "drawer", "tournament", "main")
GRAPHICS = (
    "pygame",
    "pygame_gui",
    "pyglet",
    "arcade",
    "tkinter",
    "_tkinter",
    "turtle",
    "PIL",
    "cv2",
    "matplotlib",
)


class _Anything(type):
    """The metaclass of classes that have every attribute."""

    def __getattr__(cls, name: str) -> Any:
        return _attribute(name)


class Inert(metaclass=_Anything):
    """An object that can be called, inherited from, compared and iterated, without any effect."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        pass

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return Inert()

    def __getattr__(self, name: str) -> Any:
        return _attribute(name)

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class InertError(Exception):
    """Never raised."""


def _attribute(name: str) -> Any:
    if name.startswith("__"):  # Python itself uses these names
        raise AttributeError(name)
    return InertError if name == "error" or name.endswith("Error") else Inert


def _nothing(*arguments: Any) -> Any:
    return Inert()


def _no_items(*arguments: Any) -> Iterator[Any]:
    return iter(())


_SUMS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "or", "and", "xor", "lshift", "rshift")
for _kind in (Inert, _Anything):
    for _sum in _SUMS:
        setattr(_kind, f"__{_sum}__", _nothing)
        setattr(_kind, f"__r{_sum}__", _nothing)
    for _sign in ("neg", "pos", "abs", "invert", "getitem"):
        setattr(_kind, f"__{_sign}__", _nothing)
    for _comparison in ("lt", "le", "gt", "ge"):
        setattr(_kind, f"__{_comparison}__", lambda *arguments: False)
    for _number, _value in (("int", 0), ("index", 0), ("float", 0.0), ("len", 0)):
        setattr(_kind, f"__{_number}__", lambda *arguments, _value=_value: _value)
    for _other, _does in (("bool", lambda *arguments: True), ("iter", _no_items)):
        setattr(_kind, f"__{_other}__", _does)


class StandIn(ModuleType):
    """A module that has every attribute, none of which has any effect."""

    def __getattr__(self, name: str) -> Any:
        return _attribute(name)


class Finder:
    """The last finder, for modules that no other finder has found."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        whole = name.partition(".")[0]
        if whole not in COURSE and whole not in GRAPHICS:
            return None
        if whole != name and not isinstance(sys.modules.get(whole), StandIn):
            return None  # the real package is installed, but has no such submodule
        return ModuleSpec(name, Finder, is_package=True)  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        return StandIn(spec.name)

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        print(f"{module.__name__} is not here; something that does nothing stands in for it", file=sys.stderr)
        if module.__name__ == "judge":  # exactly the names that the course's judge exports
            vars(module).update(Judge=Inert, random=random)


def install() -> None:
    """Install the finder, so that imports of these modules succeed."""
    sys.meta_path.append(Finder)
