"""Which functions of the library threads enter, from one moment to another."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import kafka_nextgen

__all__ = ["Entered", "Place", "files_of", "following"]

PACKAGE = Path(kafka_nextgen.__file__).parent

#: What is part of the function around it, and a function of its own only until Python 3.12.
_INSIDE = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


class Place(NamedTuple):
    """A function by its file's name and its own name."""

    file: str
    name: str

    def is_of(self, code: CodeType) -> bool:
        return code.co_name == self.name and code.co_filename.endswith(f"/{self.file}")


class Entered:
    """The code that was entered while this was on. ``is_followed`` says of a thread's name whether it counts.

    Code that is generated lies in no file and is not counted: the codec's readers and writers, and what attrs makes.
    """

    def __init__(self, is_followed: Callable[[str], bool]) -> None:
        self._is_followed = is_followed
        self._codes: set[CodeType] = set()
        self._is_on = False
        self._begin: Place | None = None
        self._end: Place | None = None
        #: Set when the function returned that was to end it.
        self.ended = threading.Event()

    def begin(self) -> None:
        """Count from here on."""
        self._codes.clear()
        self._is_on = True

    def begin_at(self, place: Place, end: Place | None = None) -> None:
        """Count from each call of ``place``, anew each time, to the return of ``end``."""
        self.ended.clear()
        self._begin, self._end = place, end

    def stop(self) -> None:
        self._is_on, self._begin, self._end = False, None, None

    def functions(self) -> list[str]:
        """File and name of each function, in their order."""
        there = [code for code in self._codes if code.co_name not in _INSIDE]
        return sorted({f"{_file_of(code)} {_name_of(code)}" for code in there})

    def profile(self, frame: FrameType, event: str, _: object) -> None:
        """What ``sys.setprofile`` calls."""
        code = frame.f_code
        if event == "return" and self._end is not None and self._is_on and self._end.is_of(code):
            self.stop()
            self.ended.set()
        if event != "call" or not self._is_followed(threading.current_thread().name):
            return
        if self._begin is not None and self._begin.is_of(code):
            self.begin()
        if self._is_on and code.co_filename.startswith(f"{PACKAGE}/"):
            self._codes.add(code)


def _file_of(code: CodeType) -> str:
    return str(Path(code.co_filename).relative_to(PACKAGE))


def _name_of(code: CodeType) -> str:
    if sys.version_info >= (3, 11):
        return code.co_qualname
    return _qualified_names(code.co_filename)[code.co_firstlineno, code.co_name]


@cache
def _qualified_names(filename: str) -> dict[tuple[int, str], str]:
    """The qualified names of a file's classes and functions, by first line and name, for Python 3.10."""
    return dict(_names_in(compile(Path(filename).read_bytes(), filename, "exec"), ""))


def _names_in(code: CodeType, prefix: str) -> Iterator[tuple[tuple[int, str], str]]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            name = prefix + each.co_name
            yield (each.co_firstlineno, each.co_name), name
            is_function = each.co_flags & CO_OPTIMIZED
            yield from _names_in(each, f"{name}.<locals>." if is_function else f"{name}.")


def files_of(functions: Collection[str]) -> list[str]:
    """The files of functions as ``Entered`` names them."""
    return sorted({each.partition(" ")[0] for each in functions})


@contextmanager
def following(entered: Entered) -> Iterator[None]:
    """Have this thread, and each that begins inside the context, tell ``entered`` of every call."""
    threading.setprofile(entered.profile)
    sys.setprofile(entered.profile)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
