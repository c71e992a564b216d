"""The formats of keys and values given to a call or a batch. They are imported on demand: most consumers use none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_nextgen.lazy_attrs import frozen

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.value_columns import OnError
    from kafka_nextgen.values import ValueFormat

__all__ = ["NO_FORMATS", "Formats"]


@frozen
class Formats:
    """How keys and values are converted to columns, and how bad ones are handled."""

    value: ValueFormat | None = None
    key: ValueFormat | None = None
    on_error: OnError = "raise"

    def __attrs_post_init__(self) -> None:
        _check_format("value", self.value)
        _check_format("key", self.key)
        if self.on_error not in ("raise", "skip", "null"):
            raise ValueError(f"on_error is 'raise', 'skip' or 'null', not {self.on_error!r}")

    def __bool__(self) -> bool:
        return self.value is not None or self.key is not None

    def or_those(self, value: ValueFormat | None, key: ValueFormat | None, on_error: OnError | None) -> Formats:
        """Return these formats, each replaced by the argument if one is given."""
        if value is None and key is None and on_error is None:
            return self
        return Formats(
            self.value if value is None else value, self.key if key is None else key, on_error or self.on_error
        )


def _check_format(name: str, given: object) -> None:
    if given is None:
        return
    from kafka_nextgen.values.formats import ValueFormat

    if not isinstance(given, ValueFormat):
        known = "Avro(...), Json(...) or Protobuf(...)"
        raise TypeError(f"{name} takes a format of kafka_nextgen.values: {known}, not {given!r}")


NO_FORMATS: Final = Formats()
