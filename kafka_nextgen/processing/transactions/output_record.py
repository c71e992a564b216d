"""The records that a handler returns to be written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import field

from kafka_nextgen.lazy_attrs import frozen

__all__ = ["OutputRecord", "Outputs", "outputs_of"]


@frozen
class OutputRecord:
    """A record to write, returned by a handler of ``run_in_transactions``.

    Args:
        topic: the topic to write to.
        value: bytes, None for a tombstone, or an argument of the producer's own serializer.
        key: the same; None for no key.
        headers: pairs of name and bytes.
        partition: the partition; None to let the producer choose.
        timestamp_ms: milliseconds since the Unix epoch; None for the time of writing.
    """

    topic: str
    value: object
    key: object = None
    headers: Sequence[tuple[str, bytes | None]] = field(default=(), kw_only=True)
    partition: int | None = field(default=None, kw_only=True)
    timestamp_ms: int | None = field(default=None, kw_only=True)


#: The result of a handler: one record, several (a list or a generator, for example), or None.
Outputs = OutputRecord | Iterable[OutputRecord] | None


def outputs_of(result: object) -> list[OutputRecord]:
    """Convert the result of a handler to a list. Raises TypeError if it is not ``Outputs``."""
    if result is None:
        return []
    if isinstance(result, OutputRecord):
        return [result]
    is_several = isinstance(result, Iterable) and not isinstance(result, str | bytes | Mapping)
    outputs: list[OutputRecord] = list(result) if is_several else [result]  # type: ignore[call-overload, list-item]
    for each in outputs:
        if not isinstance(each, OutputRecord):
            kind = type(each).__name__
            raise TypeError(f"a handler returns OutputRecord(topic, value, key), several of them, or None, not {kind}")
    return outputs
