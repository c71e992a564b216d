"""Write the tables of docs/migrating from those in the code: ``python docs/tools/make_migrating.py``.

The tables are between the lines ``<!-- calls -->``, ``<!-- keys -->`` or ``<!-- defaults -->`` and ``<!-- end -->``.
The keys of kafka-python and aiokafka are those of the installed packages.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from kafka_nextgen.config import FORBIDDEN, KEYS, ConsumerConfig
from kafka_nextgen.migrating.calls import Call
from kafka_nextgen.migrating.clients import CLIENTS, Client
from kafka_nextgen.other_clients.fates import Fate, Mapped
from kafka_nextgen.other_clients.librdkafka_keys import LIBRDKAFKA_TABLE
from kafka_nextgen.other_clients.tables import fate_of

__all__ = ["PAGES", "migrating_page"]

ROOT = Path(__file__).parents[2]
#: The pages, by client.
PAGES = {client.name: ROOT / "docs" / "migrating" / f"{client.name}.md" for client in CLIENTS.values()}

_TABLE = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end -->\n)", re.DOTALL)
_LIBRDKAFKA = ROOT / "tests" / "other_clients" / "librdkafka-2.16.0.txt"


def migrating_page(client: Client) -> str:
    """A client's page, as it should be."""
    makers: Mapping[str, Callable[[Client], str]] = {"calls": _calls, "keys": _keys, "defaults": _defaults}
    text = PAGES[client.name].read_text()
    return _TABLE.sub(lambda found: found[1] + makers[found[2]](client) + found[3], text)


# ---- calls


def _calls(client: Client) -> str:
    return "".join(_of_class(client, kind) for kind in client.calls) + "\n"


def _of_class(client: Client, kind: str) -> str:
    heading = f"\n### {kind or f'Names in `{client.package}`'}\n\n"
    calls = client.calls[kind]
    for other, more in client.calls.items():
        if other != kind and calls.items() < more.items():
            return f"{heading}The calls of {other}, awaited.\n"
    rows = _merged((_row(name, call) for name, call in calls.items()))
    return heading + _table(("there", "here", "what differs"), rows)


def _row(name: str, call: Call) -> tuple[str, str, str]:
    if call.here == "the same":
        here = "the same"
    elif call.here:
        here = f"`{call.here}`"
    else:
        here = "stays" if call.is_unchanged else ""
    return f"`{name}`", here, call.note


# ---- keys


def _keys(client: Client) -> str:
    dots = client.package == "confluent_kafka"
    keys = sorted(key.replace("_", ".") for key in _keys_of(client))
    same = [key for key in keys if key in KEYS and key not in FORBIDDEN and key not in client.other_meanings]
    listed = ", ".join(f"`{_spelt(key, dots)}`" for key in same)
    others = ((f"`{_spelt(key, dots)}`", _place(client, key, dots)) for key in keys if key not in same)
    return f"\nThe same here: {listed}.\n\n" + _table(("there", "here"), _merged(others)) + "\n"


def _merged(rows: Iterable[tuple[str, ...]]) -> Iterable[tuple[str, ...]]:
    """Rows that differ only in their names become one, in the place of the first."""
    names: dict[tuple[str, ...], dict[str, None]] = {}
    for name, *rest in rows:
        names.setdefault(tuple(rest), {})[name] = None
    return ((", ".join(found), *rest) for rest, found in names.items())


def _keys_of(client: Client) -> set[str]:
    if client.package == "confluent_kafka":
        return {*_LIBRDKAFKA.read_text().split(), *LIBRDKAFKA_TABLE}
    if client.package == "kafka":
        import kafka

        return set(kafka.KafkaConsumer.DEFAULT_CONFIG)
    import aiokafka

    return {*inspect.signature(aiokafka.AIOKafkaConsumer).parameters} - {"topics"}


def _place(client: Client, key: str, dots: bool) -> str:
    if key in client.other_meanings:
        return client.other_meanings[key]
    if key in FORBIDDEN:
        return f"only with `{_spelt('group.protocol', dots)}=classic`: {FORBIDDEN[key]}"
    fate: Fate | None = fate_of(key)
    assert fate is not None, f"no table has {key}"
    if isinstance(fate, Mapped):
        return f"`{_spelt(fate.key, dots)}`" + (f", {fate.note}" if fate.note else "")
    return str(fate)


def _spelt(key: str, dots: bool) -> str:
    return key if dots else key.replace(".", "_")


# ---- defaults


def _defaults(client: Client) -> str:
    dots = client.package == "confluent_kafka"
    ours = ConsumerConfig.parse(bootstrap_servers="localhost:9092", group_id="billing")
    rows = (
        (f"`{_spelt(key, dots)}`", default.theirs, _default_of(ours, key), default.advice)
        for key, default in client.defaults.items()
    )
    return "\n" + _table(("key", client.name, "here", "which means"), rows) + "\n"


def _default_of(ours: ConsumerConfig, key: str) -> str:
    value = getattr(ours, KEYS[key].attribute)
    value = getattr(value, "value", value)
    if key == "bootstrap.servers" or value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", ",").replace("[^", r"\[^")  # which would begin a footnote


if __name__ == "__main__":
    for one in CLIENTS.values():
        PAGES[one.name].write_text(migrating_page(one))
