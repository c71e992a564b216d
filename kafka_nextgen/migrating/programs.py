"""Reads a Python program that uses another client, and finds the necessary changes, line by line.

The program is parsed, never imported or run. The meaning of its names is inferred (``names``), so a consumer from
another file is recognized only by its annotation or its name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from kafka_nextgen.config import KEYS
from kafka_nextgen.migrating.calls import Calls, becomes
from kafka_nextgen.migrating.clients import Client
from kafka_nextgen.migrating.configurations import Configurations, Given
from kafka_nextgen.migrating.finding import Finding, of_call
from kafka_nextgen.migrating.keys import finding_for_key, key_here
from kafka_nextgen.migrating.names import Imported, Names
from kafka_nextgen.migrating.scopes import Scopes, shown

__all__ = ["findings_in_program"]


#: Methods of the dicts that Python clients return, and the methods here that return records by partition.
_OF_DICTS = ("get", "items", "keys", "values")
_BY_PARTITION = "records.partitions() and records.of(partition)"


def findings_in_program(text: str) -> list[Finding]:
    """Return the changes of a program, in the order of its lines. Raises ``SyntaxError`` if it is not Python."""
    tree = ast.parse(text.removeprefix("\ufeff"))
    return sorted(set(_Reader(tree).findings()))


class _Reader:
    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        scopes = Scopes(tree)
        self._names = Names(tree, scopes)
        self._configurations = Configurations(tree, scopes)

    def findings(self) -> Iterator[Finding]:
        if not self._names.imported:
            return
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ImportFrom):
                yield from self._in_import(node)
            elif isinstance(node, ast.Call):
                yield from self._in_call(node)
            elif isinstance(node, ast.Attribute):
                yield from self._in_attribute(node)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield from self._in_use(node)
            elif isinstance(node, ast.ClassDef):
                yield from self._in_class(node)
            elif isinstance(node, ast.Compare):
                yield from self._in_comparison(node)
            elif isinstance(node, ast.Subscript) and (self._names.kind(node.value) or "").startswith("{}"):
                yield Finding(node.lineno, shown(node), _BY_PARTITION)
        yield from self._in_other_dictionaries()

    # ---- names

    def _in_import(self, node: ast.ImportFrom) -> Iterator[Finding]:
        found = self._names.imported.get((node.module or "").partition(".")[0])
        if found is None or node.level:
            return
        for alias in node.names:
            if (alias.asname or alias.name) in found.names:
                yield from _of_name(found.client, node.lineno, alias.name, alias.name)

    def _in_use(self, node: ast.Name | ast.Attribute) -> Iterator[Finding]:
        """A name of the client, unless it is called the same here."""
        for found in self._names.imported.values():
            original = found.original(node)
            row = found.client.calls[""].get(original or "")
            if original is None or row is None or row.here == original:
                continue
            if isinstance(node, ast.Attribute) or not _is_class_of_consumer(found, original):
                yield from _of_name(found.client, node.lineno, ast.unparse(node), original)

    def _in_class(self, node: ast.ClassDef) -> Iterator[Finding]:
        """The methods of a rebalance listener."""
        for found in self._names.imported.values():
            rows: Calls = {}
            for base in node.bases:
                rows = found.client.calls.get(found.original(base) or "", rows)
            for method in node.body:
                if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and method.name in rows:
                    yield of_call(method.lineno, f"{method.name}()", rows[method.name])

    # ---- calls

    def _in_call(self, node: ast.Call) -> Iterator[Finding]:
        for found in self._names.imported.values():
            original = found.original(node.func)
            if original in found.client.classes:
                yield from self._in_constructor(found.client, node)
            elif original == "TopicPartition" in found.client.calls and (
                len(node.args) > 2 or node.keywords[2 - len(node.args) :]
            ):
                yield of_call(node.lineno, ast.unparse(node), found.client.calls["TopicPartition"]["offset"])
        if isinstance(node.func, ast.Attribute):
            client = self._names.client_of(self._names.kind(node.func.value) or "")
            if client is not None:
                yield from self._in_arguments(client, node, node.func)

    def _in_arguments(self, client: Client, node: ast.Call, function: ast.Attribute) -> Iterator[Finding]:
        rows = client.calls[self._names.kind(function.value) or ""]
        names = client.parameters.get(function.attr, ())
        given = [(name, value) for name, value in zip(names, node.args, strict=False)]
        given += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg is not None]
        for name, value in given:
            row = rows.get(f"{function.attr}({name}=)")
            if row is not None and not row.is_unchanged and not _is_none(value):
                yield of_call(value.lineno, f"{function.attr}({name}=)", row)
        if client.package == "confluent_kafka" and function.attr == "subscribe":
            yield from _patterns_in(node, rows)

    def _in_attribute(self, node: ast.Attribute) -> Iterator[Finding]:
        """A call or a field of a consumer, a record, or another object that has rows."""
        if isinstance(node.ctx, ast.Load):
            yield from self._in_use(node)
        yield from self._in_field(node)
        kind = self._names.kind(node.value) or "unknown"
        if kind.startswith("{}") and node.attr in _OF_DICTS:
            yield Finding(node.lineno, f"{shown(node)}()", _BY_PARTITION)
        for found in self._names.imported.values():
            client = found.client
            row = client.calls.get(kind, {}).get(node.attr)
            if row is not None and not row.is_unchanged:
                yield of_call(node.lineno, f"{shown(node)}{_brackets(client, kind)}", row)
            elif row is None and kind in client.classes.values() and self._is_public_call(node):
                why = f"not a call of {client.name} {client.version}, the release that these tables describe"
                yield Finding(node.lineno, shown(node), note=why)

    def _is_public_call(self, node: ast.Attribute) -> bool:
        return not node.attr.startswith("_") and not self._names.is_guessed(node.value)

    def _in_comparison(self, node: ast.Compare) -> Iterator[Finding]:
        """``message is None``: an empty batch replaces it."""
        if isinstance(node.ops[0], ast.Is | ast.IsNot) and _is_none(node.comparators[0]):
            kind = self._names.kind(node.left) or "unknown"
            for found in self._names.imported.values():
                row = found.client.calls.get(kind, {}).get("is None")
                if row is not None:
                    operator = "is" if isinstance(node.ops[0], ast.Is) else "is not"
                    yield of_call(node.lineno, f"{shown(node.left)} {operator} None", row)

    def _in_field(self, node: ast.Attribute) -> Iterator[Finding]:
        """``record.value = ...``: only aiokafka's records can be changed."""
        if isinstance(node.ctx, ast.Store) and self._names.kind(node.value) == "ConsumerRecord":
            copied = f"{shown(node.value)}._replace({node.attr}=...)"
            yield Finding(node.lineno, f"{shown(node)} = ...", copied, "a copy: records can't be changed")

    # ---- configurations

    def _in_constructor(self, client: Client, node: ast.Call) -> Iterator[Finding]:
        is_mapping = client.package == "confluent_kafka"
        if node.args and not is_mapping:
            yield Finding(node.lineno, "topics in the constructor", "consumer.subscribe([...])")
        given = self._configurations.of_call(node, positional=is_mapping)
        yield from _of_settings(given, client.other_meanings)
        if given.is_complete:
            yield from _of_defaults(client, node.lineno, given)
        else:
            yield Finding(
                node.lineno,
                "a configuration from elsewhere",
                "ConsumerConfig.from_properties(configuration, migrate=True)",
                "translates its keys, and reports keys that it can't translate",
            )

    def _in_other_dictionaries(self) -> Iterator[Finding]:
        for given in self._configurations.of_groups():
            yield from _of_settings(given, {})


#: An error that has no row: there is a class for each kind of error that an application can act on.
_OTHER_ERROR = becomes("KafkaNextgenError", "or BrokerError, whose code is Kafka's number of the error")


def _of_name(client: Client, line: int, written: str, name: str) -> Iterator[Finding]:
    row = client.calls[""].get(name) or (_OTHER_ERROR if name.endswith(("Error", "Exception")) else None)
    if row is None:
        yield Finding(
            line, written, note=f"{client.name}'s; there is no replacement: remove it, or keep that client for it"
        )
    elif not row.is_unchanged:
        yield of_call(line, written, row)


def _is_class_of_consumer(found: Imported, name: str) -> bool:
    """Whether the finding for the import already names the replacement."""
    return name in found.client.classes


def _patterns_in(node: ast.Call, rows: Calls) -> Iterator[Finding]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.startswith("^"):
            yield of_call(each.lineno, repr(each.value), rows["subscribe(^)"])


def _of_settings(given: Given, other_meanings: Mapping[str, str]) -> Iterator[Finding]:
    protocols = [s.value for s in given.settings if s.written.replace("_", ".") == "group.protocol"]
    protocol = str(protocols[-1]).lower() if protocols else "consumer"
    for setting in given.settings:
        other = other_meanings.get(setting.written.replace("_", "."))
        finding = finding_for_key(setting.line, setting.written, setting.value, protocol)
        if other is not None and setting.value is not None:
            finding = Finding(setting.line, setting.written, note=other)
        if finding is not None:
            yield finding


def _of_defaults(client: Client, line: int, given: Given) -> Iterator[Finding]:
    """Defaults of absent keys that have a different effect."""
    given_values = {key_here(setting.written): setting.value for setting in given.settings}
    for key, default in client.defaults.items():
        if default.advice and key not in given_values and not _is_implied(key, given_values):
            ours = KEYS[key].name if client.package == "confluent_kafka" else KEYS[key].attribute
            yield Finding(line, f"{ours} is not set", note=f"{client.name} has {default.theirs}: {default.advice}")


def _is_implied(key: str, given: Mapping[str, object]) -> bool:
    """Whether a key has no effect in combination with the others."""
    if key == "sasl.mechanism":
        protocol = given.get("security.protocol", "")
        return isinstance(protocol, str) and "SASL" not in protocol.upper()
    return key == "group.protocol" and "group.id" not in given


def _brackets(client: Client, kind: str) -> str:
    """Methods are shown as calls; records of the Python clients have fields."""
    return (
        "" if kind == "ConsumerRecord" or (kind == "TopicPartition" and client.package == "confluent_kafka") else "()"
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
