"""Keys of Java's consumer with their values, and errors that name the keys as they were written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import field

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["JavaKeys"]


@frozen
class JavaKeys(Mapping[str, str]):
    """Values by Java's names.

    Errors show a key as it was ``written``, if that differs from Java's name, preceded by ``prefix``, such as Spark's
    ``kafka.``.
    """

    values_by_key: Mapping[str, str] = field(repr=False)
    prefix: str = ""
    written: Mapping[str, str] = field(factory=dict)

    def name(self, key: str) -> str:
        """The key as it was written."""
        return self.prefix + self.written.get(key, key)

    def error(self, key: str, what: str) -> ConfigError:
        """Return an error about a key."""
        return ConfigError(f"{self.name(key)} {what}", self.name(key))

    def __getitem__(self, key: str) -> str:
        return self.values_by_key[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_key)

    def __len__(self) -> int:
        return len(self.values_by_key)
