"""Write docs/reference/configuration.md from the tables in the code: ``python docs/tools/make_configuration.py``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from kafka_nextgen.config import FORBIDDEN, KEYS, ConsumerConfig
from kafka_nextgen.other_clients.java_keys import JAVA_TABLE
from kafka_nextgen.properties.value_types import INT32_MAX
from kafka_nextgen.testing.broker import BrokerSettings

__all__ = ["configuration_page"]

PAGE = Path(__file__).parents[1] / "reference" / "configuration.md"

OPENING = """\
# Configuration

Every key of [a consumer](#the-consumer) and of [the embedded broker](#the-embedded-broker), with its values and its
default, and what happens to the keys of [other clients](#from-other-clients).

*Written by `python docs/tools/make_configuration.py` from `kafka_nextgen/config/keys.py` and
`kafka_nextgen/testing/broker/settings.py`; a test checks that they agree.*

## The consumer

Keys are Kafka's, in a mapping (`{"group.id": "billing"}`) or as keyword arguments in snake_case (`group_id="billing"`).
The few keys that Kafka lacks are marked. Unknown keys, invalid values and values that contradict each other raise
`ConfigError`, which names all unknown keys, each with the most similar valid key. mypy and pyright refuse
wrong keyword arguments, and editors complete them: their types are `kafka_nextgen.ConsumerSettings`, which functions of
your own can take as `**settings: Unpack[ConsumerSettings]`. Pass values that are known only at run time, such as text
from the environment, as a mapping. mypy's error about a call lists all overloads; with
`settings: ConsumerSettings = {...}` and `Consumer(**settings)` it is one line that names the key.

| key | value | default | what it does |
|---|---|---|---|
"""

SECURITY = """
### TLS and SASL

[security.md](../guides/security.md) has examples.

| key | value | default | what it does |
|---|---|---|---|
"""

REFUSED = """
### Refused with `group.protocol=consumer`

In the consumer group protocol the broker decides these, so they raise `ConfigError`.
`ConsumerConfig.from_properties(properties, migrate=True)` ignores each of them with a warning.

| key | instead |
|---|---|
"""

OTHERS = """
## From other clients

`ConsumerConfig.from_properties(properties, migrate=True)` reads the configuration of Java's consumer (4.4.0),
librdkafka (2.16.0, confluent-kafka), kafka-python (3.0.12) and aiokafka (0.14.0); `properties` is a mapping, or the
`Path` of a file in the syntax of Java's `.properties`, such as the `client.properties` of Confluent Cloud. The option
`--config-file` does the same. Keys have dots or underscores. Each key without an effect causes a `UserWarning` (but not
on the command line), and one `ConfigError` lists everything that is not supported. Keys with the same name and meaning
as above are used unchanged; values that only other clients allow are converted: `smallest` and `largest`, Java's names
of Kafka's own deserializers, hosts without a port, `connections.max.idle.ms` of -1 or 0. `auto.commit.interval.ms=0` is
refused: in Java it commits with each poll, in librdkafka never. Defaults are this library's, which differ from
librdkafka's `isolation.level=read_committed`, `check.crcs=false` and `allow.auto.create.topics=false`. A private key in
PKCS12 or as text is refused: write it to a PEM file. `kafka-nextgen migrate FILE` prints what to change in a file of
keys, or in a program, line by line ([Migrating](../migrating/index.md)).

Keys of producers have no effect. Those of [confluent-kafka](../migrating/confluent-kafka.md#all-configuration-keys),
[kafka-python](../migrating/kafka-python.md#all-configuration-keys) and
[aiokafka](../migrating/aiokafka.md#all-configuration-keys) are on the pages about them.

### Java's consumer

| key | here it |
|---|---|
"""

BROKER = """
## The embedded broker

Set these keys with `Cluster(config={...})` in tests, with `Broker({...})`, or with
`kafka-nextgen broker --config NAME=VALUE`.

| key | default |
|---|---|
"""


def configuration_page() -> str:
    """The page, as it should be."""
    return (
        OPENING
        + _table(_consumer_rows(is_security=False))
        + SECURITY
        + _table(_consumer_rows(is_security=True))
        + REFUSED
        + _table((f"`{key}`", instead) for key, instead in FORBIDDEN.items())
        + OTHERS
        + _table(_java_rows())
        + BROKER
        + _table(_broker_rows())
    )


def _consumer_rows(*, is_security: bool) -> Iterator[tuple[str, ...]]:
    defaults = ConsumerConfig.parse(bootstrap_servers="localhost:9092")
    for key in (key for key in KEYS.values() if key.is_security is is_security):
        default = "" if key.name == "bootstrap.servers" else _plain(key.default(defaults))
        stated = "" if "Default:" in key.doc else default
        kind = re.sub(rf"a whole number from (\d+) to {INT32_MAX}", r"whole number, at least \1", key.value_type.name)
        yield f"`{key.name}`", kind, stated, key.doc


def _java_rows() -> Iterator[tuple[str, ...]]:
    """Keys that are treated alike share a row."""
    keys: dict[str, list[str]] = {}
    for key in sorted(JAVA_TABLE):
        keys.setdefault(str(JAVA_TABLE[key]), []).append(f"`{key}`")
    for here, listed in keys.items():
        yield ", ".join(listed), here


def _broker_rows() -> Iterator[tuple[str, ...]]:
    for name, default in BrokerSettings().as_properties().items():
        yield f"`{name}`", default


def _plain(value: object) -> str:
    text = getattr(value, "value", value)
    if isinstance(text, tuple):
        return ",".join(map(str, text))
    if isinstance(text, bool):
        return str(text).lower()
    return "" if text is None else str(text)


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in rows)


def _cell(text: str) -> str:
    return text.replace("|", ",").replace("[^", r"\[^")  # which would begin a footnote


if __name__ == "__main__":
    PAGE.write_text(configuration_page())
