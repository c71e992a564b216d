"""Write kafka_nextgen/config/settings.py from the table of keys: ``python docs/tools/make_consumer_settings.py``."""

from __future__ import annotations

import textwrap
import typing
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import UnionType

from kafka_nextgen.config.keys import KEYS, ConsumerKeys, Key
from kafka_nextgen.properties.security_config import ALIASES

__all__ = ["consumer_settings_page"]

PAGE = Path(__file__).parents[2] / "kafka_nextgen" / "config" / "settings.py"

OPENING = '''\
"""The configuration of a consumer as keyword arguments, for type checkers and editors.

Written by ``python docs/tools/make_consumer_settings.py`` from the table of keys; a test checks that they agree. At run
time, values may also be text, as in a properties file, and ``ConfigError`` reports mistakes.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias, TypedDict

from kafka_nextgen.assignors.spec import PartitionAssignor
from kafka_nextgen.errors import DeserializationError
from kafka_nextgen.properties.deserialization import DeserializationPolicy, Deserializer
from kafka_nextgen.properties.offset_reset import ByDuration, OffsetReset
from kafka_nextgen.properties.secret import Secret, SecretSource
from kafka_nextgen.properties.security_config import EndpointIdentification, OauthMethod, SaslMechanism, StoreType
from kafka_nextgen.properties.value_types import (
    GroupProtocol,
    IsolationLevel,
    RecoveryStrategy,
    SecurityProtocol,
    ServerAddress,
)
from kafka_nextgen.types import JoinReason

__all__ = ["AllSettings", "ConsumerSettings"]

#: An assignor, its class, or ``module:Class``.
OneAssignor: TypeAlias = str | PartitionAssignor | type[PartitionAssignor]


class ConsumerSettings(TypedDict, total=False):
    """The keyword arguments of ``Consumer`` and ``AsyncConsumer``, without the deserializers; None is the default."""
'''

CLOSING = '''

class AllSettings(ConsumerSettings, total=False):
    """The keyword arguments of ``ConsumerConfig.parse``."""
'''

#: The types of values that the attribute's own type does not say.
_TYPES = {
    "bootstrap.servers": "str | Iterable[str | ServerAddress]",
    "group.local.assignors": "OneAssignor | Iterable[OneAssignor]",
    "join.reason": 'JoinReason | Literal["restart", "upgrade"]',
    "partition.assignment.strategy": "str | Iterable[str]",
    "auto.offset.reset": 'OffsetReset | ByDuration | Literal["latest", "earliest", "none"] | str',
    "auto.offset.reset.new.partitions": 'OffsetReset | ByDuration | Literal["latest", "earliest"] | str',
    "on.deserialization.error": (
        'DeserializationPolicy | Literal["raise", "skip", "value"] | Callable[[DeserializationError], object]'
    ),
    "ssl.key.password": "Secret | str",
    "ssl.context": "ssl.SSLContext | Callable[[], ssl.SSLContext]",
    "sasl.password": "Secret | SecretSource | str | Callable[[], str | Secret]",
    "sasl.oauthbearer.client.secret": "Secret | str",
    "oauth.cb": "Callable[[str], object]",
    "key.deserializer": "Deserializer",
    "value.deserializer": "Deserializer",
}
LINE_LENGTH = 120
_OF_THE_OVERLOADS = ("key.deserializer", "value.deserializer")


def consumer_settings_page() -> str:
    """The module, as it should be."""
    kinds = typing.get_type_hints(ConsumerKeys)
    fields = {
        key.name: _field(key, kinds[key.attribute]) for key in sorted(KEYS.values(), key=lambda key: key.is_security)
    }
    aliases = [
        f"    {alias.replace('.', '_')}: {_kind(KEYS[name], kinds[KEYS[name].attribute])}\n"
        for alias, name in ALIASES.items()
    ]
    ours = [field for name, field in fields.items() if name not in _OF_THE_OVERLOADS]
    rest = [fields[name] for name in _OF_THE_OVERLOADS]
    return "\n".join(
        [OPENING, "".join(ours), "    # Names of other clients for the same keys\n" + "".join(aliases)]
    ) + (CLOSING + "\n" + "".join(rest))


def _field(key: Key, kind: object) -> str:
    text = f"    {key.attribute}: {_kind(key, kind)}\n"
    if len(text) > LINE_LENGTH + 1:
        text = f"    {key.attribute}: (\n        {_kind(key, kind)}\n    )\n"
    doc = key.doc if len(key.doc) > 1 else ""
    lines = textwrap.wrap(f'"""{doc}"""'.replace("\\", "\\\\"), 114)
    return text + "".join(f"    {line}\n" for line in lines)


def _kind(key: Key, kind: object) -> str:
    if key.name in _TYPES:
        return f"{_TYPES[key.name]} | None"
    return " | ".join([*_words(kind), "None"])


def _words(kind: object) -> Iterator[str]:
    """The parts of a union, without None; an enum also by the values of its members."""
    parts = typing.get_args(kind) if isinstance(kind, UnionType) else (kind,)
    for part in parts:
        if part is type(None):
            continue
        assert isinstance(part, type), f"add {part} to _TYPES"
        yield part.__name__
        if issubclass(part, Enum):
            yield "Literal[" + ", ".join(f'"{member.value}"' for member in part) + "]"


if __name__ == "__main__":
    PAGE.write_text(consumer_settings_page())
