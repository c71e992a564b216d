"""Whether an error, what caused it, or what it was raised during, shows a text."""

from __future__ import annotations


def assert_nowhere_in_the_chain(text: str, error: BaseException) -> None:
    """Look at messages and values of all of them."""
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop()
        if one is not None:
            assert text not in f"{one} {one!r}"
            left += [one.__cause__, one.__context__]
