"""Every key of a configuration is read: a key that is checked and then forgotten would promise what nothing does.

Settings are held in variables that are named for them: ``config``, ``settings``, ``options``, or the start of the
class's name, such as ``registry`` for ``RegistryOptions``; ``_`` may come first. So ``settings.max_bytes`` reads a
field ``max_bytes``. A key of the consumer may be copied to the settings of a part; then that field has to be read in
turn. What only refuses contradictions does not count.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from kafka_nextgen import values
from kafka_nextgen.config.keys import ConsumerKeys
from kafka_nextgen.spark.option_values import OptionValues
from kafka_nextgen.spark.options import OPTIONS, parse_source_options
from kafka_nextgen.testing.broker import topic_settings
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.testing.coordinator.group_configs import GROUP_KEYS

LIBRARY = Path(values.__file__).parent.parent
#: The second is for type checkers only, and has the same keys once more.
LEFT_OUT = {LIBRARY / "config" / name for name in ("contradictions.py", "settings.py")}
SOURCES = {path: path.read_text() for path in sorted(LIBRARY.rglob("*.py")) if path not in LEFT_OUT}

TABLE = re.compile(r"^class (\w*?)(Settings|Options|Keys|SecurityConfig)\b", re.MULTILINE)
READ = re.compile(r"\b(?=_*([a-z]\w*)(?:\(\))?\.([a-z]\w*)\b(?!\s*=[^=]))")  # overlapping: a.b.c is a.b and b.c
HOLDERS = {"config", "settings", "options", "parsed", "at_start"}

#: What a query may be like; no query has all options.
QUERIES: tuple[tuple[bool, dict[str, str]], ...] = (
    (True, {"subscribe": "orders"}),
    (False, {"subscribePattern": "orders"}),
    (False, {"assign": '{"orders": [0]}', "startingOffsets": "group", "groupId": "billing"}),
    (True, {"subscribe": "orders", "valueFormat": "avro", "keyFormat": "json", "schemaRegistry.url": "http://r"}),
)


def tables() -> Iterator[tuple[str, str, Path, list[str]]]:
    """Classes of settings: the name, the name without its ending, where the class is, and its fields."""
    for path, source in SOURCES.items():
        kinds = {match[1] + match[2]: match[1] for match in TABLE.finditer(source)}
        for node in ast.parse(source).body if kinds else ():
            if isinstance(node, ast.ClassDef) and node.name in kinds:
                names = [each.target for each in node.body if isinstance(each, ast.AnnAssign)]
                yield node.name, kinds[node.name], path, [each.id for each in names if isinstance(each, ast.Name)]


def readers() -> dict[str, set[tuple[str, Path]]]:
    """By the name of an attribute: the names of the variables that it is read from, and where."""
    found = defaultdict(set)
    for path, source in SOURCES.items():
        for match in READ.finditer(source):
            found[match[2]].add((match[1], path))
    return found


def test_every_field_of_settings_is_read() -> None:
    """Keys that bound the configuration of a group are read by name (``GROUP_KEYS``)."""
    by_name = {str(name).replace(".", "_") for key in GROUP_KEYS for name in (key.broker_key, key.min_key, key.max_key)}
    read, found, unread = readers(), list(tables()), []
    for name, start, _, fields in found:
        for field in fields:
            owners = {path for _, _, path, others in found if field in others}
            holders = HOLDERS | {start.lower()}
            is_read = any(what in holders or (what == "self" and path in owners) for what, path in read[field])
            if not is_read and field not in by_name and not has_one_value(field):
                unread.append(f"{name}.{field}")
    sizes = {name: len(fields) for name, _, _, fields in found}
    assert min(sizes[each] for each in ("ConsumerKeys", "BrokerSettings")) > 40  # the tables were found
    assert {"SecurityConfig", "SecuritySettings", "SourceOptions", "TransportSettings"} <= sizes.keys()
    assert unread == []


def has_one_value(field: str) -> bool:
    """Whether a key has only one valid value, as ``ssl.keystore.type`` has: to check it is to read it."""
    for table, refusal in ((ConsumerKeys, "must be [A-Z]+, not"), (BrokerSettings, "must be one of [A-Z]+, not")):
        metadata = getattr(attrs.fields(table), field).metadata if hasattr(attrs.fields(table), field) else {}
        try:
            if "value_type" in metadata:
                metadata["value_type"].read("x")
            elif "parse" in metadata:
                metadata["parse"](field, "x")
        except ValueError as error:
            if re.search(refusal, str(error)):
                return True
    return False


def test_every_option_of_the_spark_source_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some are read only to say that they have no effect."""
    read: set[str] = set()

    class Noting(OptionValues):
        def text(self, option: str) -> str | None:
            read.add(option)
            return super().text(option)

        def __contains__(self, option: str) -> bool:
            read.add(option)
            return super().__contains__(option)

    monkeypatch.setattr("kafka_nextgen.spark.options.OptionValues", Noting)
    for is_streaming, query in QUERIES:
        parse_source_options({"kafka.bootstrap.servers": "broker:9092", **query}, is_streaming=is_streaming)
    assert set(OPTIONS) - read == set()


@pytest.mark.parametrize("kind", [values.Avro, values.Json, values.Protobuf, values.SchemaRegistry])
def test_every_argument_of_formats_and_registries_is_used(kind: type[Any]) -> None:
    """To keep it for a pickle is not to use it, and what is kept in an attribute has to be read elsewhere."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    (creation,) = (each for each in definition.body if isinstance(each, ast.FunctionDef) and each.name == "__init__")
    read = {each.attr for each in ast.walk(definition) if _is_attribute(each, ast.Load)}
    used: set[str] = set()
    for statement in creation.body:
        stored = {each.attr for each in ast.walk(statement) if _is_attribute(each, ast.Store)}
        kept = {each for each in stored if each.startswith("_")}
        if kept != {"_arguments"} and kept <= read:
            used |= {each.id for each in ast.walk(statement) if isinstance(each, ast.Name)}
    assert {each.arg for each in creation.args.args + creation.args.kwonlyargs} - used == set()


def _is_attribute(node: ast.AST, use: type[ast.expr_context]) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, use)


def test_topic_keys_that_are_said_to_have_an_effect_are_those_that_are_read() -> None:
    rows = re.findall(r"^``.*?(?=  |$)", str(topic_settings.__doc__), re.MULTILINE)
    keys = {key for row in rows for key in re.findall(r"``([\w.]+)``", row)}
    read = set(re.findall(r'self\.value\("([\w.]+)"\)', inspect.getsource(topic_settings)))
    assert keys == read
    assert keys <= topic_settings.TOPIC_KEYS.keys()
