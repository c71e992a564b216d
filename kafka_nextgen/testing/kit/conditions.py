"""Waits for a condition; if it fails, the error explains why.

A condition is any function, usually a lambda over calls of a cluster. While it runs, these calls record their results,
so a failure shows the results of the last attempt. A lambda holds when it returns a true value. A function with asserts
holds when it raises no AssertionError and returns None or a true value. Retriable errors of a broker count as not yet
true; all others are raised immediately. A coroutine is refused, because it would count as true.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from textwrap import dedent, indent
from typing import TypeVar

from attrs import field

from kafka_nextgen.errors import BrokerError, MisuseError, OutageError
from kafka_nextgen.lazy_attrs import define, frozen

__all__ = ["Attempt", "Observations", "explain", "try_once"]

T = TypeVar("T")

_MOST_LINES, _LONGEST_LINE = 40, 500


@frozen
class Observation:
    """A call of a cluster, such as ``committed('billing')``, and what it returned."""

    call: str
    result: object

    def __str__(self) -> str:
        lines = _text_of(self.result).splitlines() or ["nothing"]
        shown = [_shortened(line) for line in lines[:_MOST_LINES]]
        if len(lines) > _MOST_LINES:
            shown.append(f"... and {len(lines) - _MOST_LINES} more lines")
        return f"{self.call}: {shown[0]}" if len(shown) == 1 else "\n".join([f"{self.call}:", *shown])


def _shortened(line: str) -> str:
    """A line without the end of a large record."""
    left_out = len(line) - _LONGEST_LINE
    return line if left_out <= 0 else f"{line[:_LONGEST_LINE]}... and {left_out} more characters"


def _text_of(result: object) -> str:
    """One line for each entry of a dict or tuple."""
    if isinstance(result, dict):
        return "\n".join(f"{key}: {value}" for key, value in result.items())
    if isinstance(result, tuple):
        return "\n".join(map(str, result))
    return str(result)


class Observations:
    """Records the calls of the condition that each thread is trying, if any."""

    def __init__(self) -> None:
        self._of_thread = threading.local()

    @contextmanager
    def noted(self) -> Iterator[list[Observation]]:
        """The calls of this thread inside the block; for equal calls, only the latest is kept."""
        before = getattr(self._of_thread, "noted", None)
        self._of_thread.noted = noted = list[Observation]()
        try:
            yield noted
        finally:
            self._of_thread.noted = before

    def note(self, call: str, result: T) -> T:
        """Note a call, and return its result."""
        noted: list[Observation] | None = getattr(self._of_thread, "noted", None)
        if noted is not None:
            noted[:] = [each for each in noted if each.call != call]
            noted.append(Observation(call, result))
        return result


@define
class Attempt:
    """One attempt: the condition's result or error, and its calls of the cluster."""

    holds: bool
    result: object = None
    error: AssertionError | BrokerError | OutageError | None = None
    saw: list[Observation] = field(factory=list)


def try_once(condition: Callable[[], object], observations: Observations) -> Attempt:
    """Try a condition. Raises its exceptions, except failed asserts and temporary errors of a broker.

    Raises MisuseError if it has to be awaited, TypeError if it is no function.
    """
    if not callable(condition):
        raise TypeError(f"the condition is no function but already a result, {condition!r}: put lambda: before it")
    with observations.noted() as saw:
        try:
            result = condition()
        except (AssertionError, OutageError) as error:
            return Attempt(holds=False, error=error, saw=saw)
        except BrokerError as error:
            if not error.retriable:
                raise
            return Attempt(holds=False, error=error, saw=saw)
    _refuse_coroutine(result)
    returns_nothing = result is None and getattr(condition, "__name__", "") != "<lambda>"
    return Attempt(returns_nothing or bool(result), result, saw=saw)


def _refuse_coroutine(result: object) -> None:
    if inspect.iscoroutine(result):
        result.close()  # otherwise Python warns that it was never awaited
    if inspect.isawaitable(result):
        raise MisuseError("the condition is a coroutine: pass a plain function to wait_until and wait_until_async")


def explain(condition: Callable[[], object], last: Attempt, timeout_s: float, strangers: Sequence[str] = ()) -> str:
    """Say that a condition did not come true, and what its last attempt saw.

    ``strangers`` are the clients because of which the cluster's clock stood still.
    """
    parts = [f"not so within {timeout_s:g} s: {_source_of(condition)}"]
    if last.error is not None:
        parts.append(f"the last attempt failed: {type(last.error).__name__}\n{indent(str(last.error), '  ')}")
    elif last.result is not None and last.result is not False:
        parts.append(f"the last attempt returned {last.result!r}")
    if last.saw:
        parts.append("the last attempt saw:\n" + indent("\n".join(map(str, last.saw)), "  "))
    elif last.error is None:
        parts.append("it asked the cluster nothing")
    if strangers:
        why = "the clock stood still, so the timeout was real time: these clients can't follow it"
        parts.append(f"{why}: {', '.join(strangers)}")
    return "\n".join(parts)


def _source_of(condition: Callable[[], object]) -> str:
    """The lines of a condition, from its file if it is known."""
    try:
        lines, number = inspect.getsourcelines(condition)
        where = f"{inspect.getsourcefile(condition)}:{number}"
    except (OSError, TypeError):
        return repr(condition)
    return f"{where}\n{indent(dedent(''.join(lines)).rstrip(), '  ')}"
