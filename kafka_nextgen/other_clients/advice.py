"""Error messages for unknown keys: the client that a key belongs to, or the key that was probably meant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from kafka_nextgen.other_clients.fates import Dropped, Fate, Mapped
from kafka_nextgen.other_clients.tables import FATES, fate_of, origin_of
from kafka_nextgen.other_clients.values import CONVERSIONS
from kafka_nextgen.text import misspelled, with_nearest

__all__ = ["MIGRATE", "is_understood", "meant_key", "unknown_keys"]

#: How to read the configuration of another client.
MIGRATE: Final = "ConsumerConfig.from_properties(..., migrate=True) reads the configuration of other clients"

#: Migration detects a store's format from its contents.
_STORE_TYPES: Final = ("ssl.keystore.type", "ssl.truststore.type")


def unknown_keys(written: Sequence[str], known: Collection[str]) -> str:
    """Return the message of an error about unknown keys, without values."""
    what = "there is no configuration key" if len(written) == 1 else "there are no configuration keys"
    message = f"{what} {', '.join(_described(one, known) for one in written)}"
    is_foreign = any(fate_of(one.replace("_", ".")) for one in written)
    return f"{message}; {MIGRATE}" if is_foreign else message


def _described(written: str, known: Collection[str]) -> str:
    key = written.replace("_", ".")
    fate = fate_of(key)
    if fate is not None:
        return f"{written} ({origin_of(key)}: {_outcome(fate)})"
    return with_nearest(written, meant_key(key, known))


def _outcome(fate: Fate) -> str:
    if isinstance(fate, Mapped):
        return f"called {fate.key} here"
    if isinstance(fate, Dropped):
        return "it has no effect here" + (
            f" if it is {min(fate.only)}, otherwise it is {fate.otherwise}" if fate.only else ""
        )
    return fate.why


def meant_key(written: str, known: Collection[str]) -> str | None:
    """Return this library's key that a misspelt key resembles; None if it resembles another client's key or no key."""
    meant = misspelled(written.replace("_", ".").lower(), {*known, *FATES})
    if meant is None or meant in known:
        return meant
    fate = FATES[meant]
    return fate.key if isinstance(fate, Mapped) else None


def is_understood(key: str, value: object, read: Callable[[object], object]) -> bool:
    """Return whether migration can convert this value, which another client accepts for the key."""
    if key == "bootstrap.servers" or key not in CONVERSIONS:
        return key in _STORE_TYPES
    try:
        converted = CONVERSIONS[key](value)
        return converted is None or (converted != value and read(converted) is not None)
    except ValueError:
        return False
