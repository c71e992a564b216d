"""Options with lists of values: ``-i a,b`` means the same as ``-i a -i b`` (KIP-345, KIP-848).

Only values that can't contain a comma have such options. Group ids and member ids can, so their options are repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

__all__ = ["list_option"]

F = TypeVar("F", bound=Callable[..., Any])


def list_option(
    *declarations: str, help: str, metavar: str | None = None, choices: Sequence[str] = ()
) -> Callable[[F], F]:
    """Return an option that is passed as a tuple of words without duplicates; case is ignored among ``choices``."""
    word_type: click.ParamType[Any] = click.Choice(choices, case_sensitive=False) if choices else click.STRING

    def read(context: click.Context, option: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
        words = [word.strip() for text in given for word in text.split(",")]
        if not all(words):
            raise click.BadParameter("an item of the list is empty", context, option)
        return tuple(dict.fromkeys(word_type.convert(word, option, context) for word in words))

    def complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
        done, comma, last = incomplete.rpartition(",")
        return [f"{done}{comma}{each}" for each in choices if each.lower().startswith(last.lower())]

    return click.option(
        *declarations,
        shell_complete=complete,
        multiple=True,
        callback=read,
        metavar=metavar or f"[{'|'.join(choices)}],...",
        help=f"{help} Can be repeated, or a list with commas.",
    )
