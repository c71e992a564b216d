"""Reads a consumer's configuration from a mapping, a file, or another client's configuration, and checks it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from kafka_nextgen.assignors.spec import PartitionAssignor
from kafka_nextgen.config.contradictions import contradictions
from kafka_nextgen.config.keys import FORBIDDEN, KEYS, ConsumerKeys
from kafka_nextgen.config.reading import (
    canonical,
    dotted,
    lookup,
    protocol_in,
    read_value,
    refuse_classic,
    refuse_no_mapping,
    refuse_unknown,
)
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.offset_reset import ByDuration
from kafka_nextgen.properties.value_types import GroupProtocol

if TYPE_CHECKING:
    from typing_extensions import Unpack  # type checkers know it, even if not installed

    from kafka_nextgen.config.settings import AllSettings
    from kafka_nextgen.other_clients.translation import Setting

__all__ = ["ConsumerConfig", "migrated_config"]

#: Keys that determine the meaning of other keys.
_CHOOSING = ("security.protocol", "sasl.mechanism", "group.protocol")


@frozen(kw_only=True, repr=False)
class ConsumerConfig(ConsumerKeys):
    """A valid configuration of a consumer; ``parse`` creates one. Raises ``ConfigError``.

    Attributes ending in ``_ms`` are milliseconds, those ending in ``_bytes`` bytes.
    """

    def __attrs_post_init__(self) -> None:
        broken = [rule for rule in contradictions(self) if rule[0]]
        if broken:
            raise _together([ConfigError(self.as_written(text), self.written_name(key)) for _, text, key in broken])

    @classmethod
    def parse(cls, properties: Mapping[str, object] | None = None, /, **kwargs: Unpack[AllSettings]) -> ConsumerConfig:
        """Read a configuration. Keys have dots or underscores; values may be text, as in a properties file.

        None means the default. Raises ``ConfigError`` with the key as it was written.
        """
        refuse_no_mapping(properties)
        given: dict[str, tuple[str, object]] = {}
        items = [*(properties or {}).items(), *kwargs.items()]
        refuse_unknown(items)
        refuse_classic(items)
        for written, value in items:
            key = lookup(written)
            converted = None if value is None else read_value(key, written, value)
            if key.attribute in given and given[key.attribute][1] != converted:
                first = given[key.attribute][0]
                why = f"{key.name} is given twice with different values, as {first} and as {written}"
                raise ConfigError(why, written)
            given[key.attribute] = written, converted
        return _configured(given)

    @classmethod
    def from_properties(
        cls, properties: Mapping[str, object] | os.PathLike[str], *, migrate: bool = False
    ) -> ConsumerConfig:
        """Read a configuration as ``parse`` does; with ``migrate`` it can be that of another client.

        Arguments:
            properties: a mapping, or a ``Path`` to a file with the syntax of Java's ``.properties`` in UTF-8.
            migrate: whether to translate the keys and values of Java's consumer, of librdkafka (confluent-kafka), of
                kafka-python and of aiokafka. A key that has no effect here is ignored with a ``UserWarning``, and so is
                one that the consumer group protocol does not allow.

        Raises ``ConfigError``; with ``migrate`` it lists all problems with keys and values, not only the first.
        """
        if isinstance(properties, os.PathLike):
            from kafka_nextgen.java_config.properties_file import read_properties_file

            properties = read_properties_file(properties)
        refuse_no_mapping(properties)
        return migrated_config(properties, {}) if migrate else cls.parse(properties)

    def __repr__(self) -> str:
        values = [(key, getattr(self, key.attribute)) for key in KEYS.values()]
        shown = [f"{key.attribute}={_plain(value)!r}" for key, value in values if value != key.default(self)]
        return f"ConsumerConfig({', '.join(shown)})"


def migrated_config(properties: Mapping[str, object], overriding: Mapping[str, object]) -> ConsumerConfig:
    """Read the configuration of another client, together with keys of this library that override it.

    Arguments:
        properties: keys and values of Java's consumer, librdkafka, kafka-python or aiokafka.
        overriding: keys that are read as ``ConsumerConfig.parse`` reads them.

    Raises ``ConfigError`` with all problems. Each key without an effect causes a ``UserWarning``.
    """
    from kafka_nextgen.other_clients.translation import Setting, translate  # few consumers need these tables

    refuse_unknown(overriding.items())
    protocols = {**_protocol_of(properties), **_protocol_of(overriding)}
    refuse_classic([*protocols.items(), *overriding.items()])
    named = {lookup(written).name: Setting(written, value) for written, value in overriding.items()}
    kept = {written: value for written, value in properties.items() if canonical(written) not in named}
    chosen = {key: named[key].value for key in _CHOOSING if key in named}
    ignored = FORBIDDEN if protocol_in(protocols.items()) is GroupProtocol.CONSUMER else {}
    found = translate({**kept, **chosen}, KEYS, ignored)
    config = _configured(_read_all({**found.settings, **named}, found.problems))
    for warning in found.warnings:
        warnings.warn(warning, UserWarning, stacklevel=3)
    return config


def _protocol_of(properties: Mapping[str, object]) -> dict[str, object]:
    given = [value for written, value in properties.items() if dotted(written) == "group.protocol" and value]
    return {"group.protocol": given[-1]} if given else {}


def _read_all(settings: Mapping[str, Setting], problems: list[ConfigError]) -> dict[str, tuple[str, object]]:
    """Convert values to the types of their keys. Raises one ``ConfigError`` with these problems and any new ones."""
    given: dict[str, tuple[str, object]] = {}
    for name, setting in settings.items():
        try:
            value = None if setting.value is None else read_value(KEYS[name], setting.written, setting.value)
            given[KEYS[name].attribute] = setting.written, value
        except ConfigError as error:
            problems.append(error)
    if problems:
        raise _together(problems)
    return given


def _together(problems: Sequence[ConfigError]) -> ConfigError:
    """Return one error with the messages of all problems, and the key of the first."""
    texts = [str(problem) for problem in problems]
    count = "" if len(texts) == 1 else f"{len(texts)} problems: "
    return ConfigError(count + "; ".join(texts), problems[0].key)


def _configured(given: Mapping[str, tuple[str, object]]) -> ConsumerConfig:
    """Return the configuration. ``given`` maps each attribute to its key as it was written, and its value."""
    said = {attribute: value for attribute, (_, value) in given.items() if value is not None}
    return ConsumerConfig(**said, written_names=_other_names(given))  # type: ignore[arg-type]


def _other_names(given: Mapping[str, tuple[str, object]]) -> dict[str, str]:
    """Map Kafka's name to the written name, for keys that were set under a different name."""
    names = ((attribute.replace("_", "."), written) for attribute, (written, _) in given.items())
    return {name: written for name, written in names if dotted(written) != name}


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, ByDuration):
        return str(value)
    if isinstance(value, PartitionAssignor):
        return value.name
    return ",".join(str(_plain(one)) for one in value) if isinstance(value, tuple) else value
