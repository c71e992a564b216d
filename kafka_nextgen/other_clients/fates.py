"""How a key of another client is handled: it is mapped, dropped or refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kafka_nextgen.lazy_attrs import frozen

__all__ = ["Dropped", "Fate", "Mapped", "Refused", "Table", "accepted", "dropped", "refused", "same_value"]


def same_value(value: object) -> object:
    """Return the value: it means the same here."""
    return value


@frozen
class Mapped:
    """The key sets ``key`` of this library, or several keys (which ``note`` then names).

    ``convert`` returns the value for it; None sets nothing. It raises ``ValueError`` for a value without a counterpart.
    """

    key: str
    convert: Callable[[object], object] = same_value
    note: str = ""

    def __str__(self) -> str:
        return f"sets {self.key}{f', {self.note}' if self.note else ''}"


@frozen
class Dropped:
    """The key has no effect here, and the application gets the same records without it.

    If ``only`` is given, this holds only for these values, in lower case; other values are refused with the text
    ``otherwise``.
    """

    why: str
    only: frozenset[str] | None = None
    otherwise: str = ""

    def accepts(self, value: object) -> bool:
        """Whether the key can be dropped with this value."""
        return self.only is None or str(value).strip().lower() in self.only

    def __str__(self) -> str:
        return f"has no effect: {self.why}" + (f"; other values: {self.otherwise}" if self.otherwise else "")


@frozen
class Refused:
    """The client would behave differently without the key. ``why`` explains the difference and how to proceed."""

    why: str

    def __str__(self) -> str:
        return f"is not supported: {self.why}"


Fate = Mapped | Dropped | Refused
#: How keys are handled, by dotted name.
Table = Mapping[str, Fate]


def dropped(why: str, keys: Iterable[str]) -> dict[str, Fate]:
    """Drop these keys for one reason."""
    return dict.fromkeys(keys, Dropped(why))


def accepted(values: Iterable[str], why: str, otherwise: str) -> Dropped:
    """Drop the key if it has one of these values, and refuse it otherwise."""
    return Dropped(why, frozenset(values), otherwise)


def refused(why: str, keys: Iterable[str]) -> dict[str, Fate]:
    """Refuse these keys for one reason."""
    return dict.fromkeys(keys, Refused(why))
