"""What a fuzzer needs to know of a decoder, and what counts as a finding.

A decoder either takes its bytes or refuses them by ``DecodeError`` (or what else is typed for it). Everything else is a
finding: any other exception, an answer that contradicts another decoder's or itself, memory or processor time beyond
the bound, no end, and the end of the process. A refusal that only hides that memory or stack ran out counts, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from attrs import frozen

from kafka_nextgen.errors import DecodeError

_EXHAUSTED = (MemoryError, RecursionError)
_said = [""]


@frozen
class Decoder:
    """One decoder: ``run`` returns or raises what is a finding; ``seeds`` are sound inputs, in the same form.

    An input becomes at most ``limit_bytes``. Each byte of both may cost ``turns_per_byte``
    (``tests/verification/fuzz/effort.py``).
    """

    name: str
    about: str
    run: Callable[[bytes], None]
    seeds: Callable[[], Sequence[bytes]]
    most_bytes: int = 8 * 1024
    limit_bytes: int = 0
    turns_per_byte: float = 50.0


@contextmanager
def refusals(*typed: type[Exception]) -> Iterator[None]:
    """Let a refusal pass, by ``DecodeError`` or one of ``typed``."""
    _said[0] = ""
    try:
        yield
    except (DecodeError, *typed) as error:
        _said[0] = str(error)
        if isinstance(error.__cause__, _EXHAUSTED):
            raise AssertionError(f"refused because of {error.__cause__!r}") from error


def last_refusal() -> str:
    """In which words the last input was refused, empty if it was not: by them a mutator tells new ways from old."""
    return _said[0]
