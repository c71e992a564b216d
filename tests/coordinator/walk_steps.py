"""A step of a random walk: a method of the walk with drawn arguments, which a failure's report names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen
from hypothesis import strategies as st

__all__ = ["Step", "step"]


@frozen(repr=False)
class Step:
    method: Callable[..., None]
    given: tuple[object, ...]

    def __call__(self, walk: object) -> None:
        self.method(walk, *self.given)

    def __repr__(self) -> str:
        return f"{self.method.__name__}{self.given}"


def step(method: Callable[..., None], *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    """A call of ``method`` with what is drawn from ``arguments``."""
    return st.tuples(*arguments).map(lambda given: Step(method, given))
