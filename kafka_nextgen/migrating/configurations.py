"""The configuration keys in a program, for each consumer that it creates.

Keys are arguments, or are in dictionaries: displays, ``dict(...)``, names bound to them, ``a | b``, ``**a``, and
additions by ``config["key"] = ...`` and ``config.update(...)``. A dictionary with ``group.id`` counts as a consumer's
configuration, even if it is passed to another function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from attrs import field

from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.migrating.keys import UNKNOWN
from kafka_nextgen.migrating.scopes import Place, Scopes, dotted_name

__all__ = ["Configurations", "Given", "Setting"]


@frozen
class Setting:
    """A key, as it is written in ``line``, and its value, ``UNKNOWN`` if it is not a constant."""

    line: int
    written: str
    value: object


@define
class Given:
    """Settings; ``is_complete`` is False if there are others in unknown places."""

    settings: list[Setting] = field(factory=list)
    is_complete: bool = True

    def add(self, other: Given) -> None:
        """Add the settings of another expression."""
        self.settings += other.settings
        self.is_complete &= other.is_complete


class Configurations:
    """The dictionaries of a program."""

    def __init__(self, tree: ast.Module, scopes: Scopes) -> None:
        self._scopes = scopes
        self._made: dict[Place, list[ast.expr | None]] = {}  # by name: its value, and the additions
        self._set: dict[Place, list[Setting]] = {}
        nodes = list(ast.walk(tree))
        for node in nodes:
            self._read_binding(node)
        for node in nodes:
            self._read_addition(node)
        self.displays = [node for node in nodes if isinstance(node, ast.Dict)]

    def _read_binding(self, node: ast.AST) -> None:
        """Note the value of a name; None if it is unknown, for example for an argument."""
        if isinstance(node, ast.AnnAssign | ast.AugAssign) and node.value is not None:
            self._bind(node.target, node.value)
        elif isinstance(node, ast.arg):
            self._bind(node, None)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)

    def _bind(self, target: ast.AST, value: ast.expr | None) -> None:
        place = self._scopes.place(target)
        if place is not None:
            self._made.setdefault(place, []).append(value)

    def _read_addition(self, node: ast.AST) -> None:
        """Note the keys that are added to a dictionary."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                key = _constant(target.slice) if isinstance(target, ast.Subscript) else None
                if isinstance(target, ast.Subscript) and isinstance(key, str):
                    for place in self._places(target.value)[:1]:
                        self._set.setdefault(place, []).append(Setting(target.lineno, key, _constant(node.value)))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update":
            added = ast.copy_location(ast.Call(ast.Name("dict"), node.args, node.keywords), node)
            for place in self._places(node.func.value)[:1]:
                self._made[place].append(added)

    def _places(self, node: ast.AST) -> list[Place]:
        """Where this name is bound, the innermost place first."""
        return [place for place in self._scopes.places(node) if place in self._made]

    def of_call(self, call: ast.Call, *, positional: bool, seen: frozenset[Place] = frozenset()) -> Given:
        """The configuration of a consumer that this call makes; ``positional``: the first argument is a mapping."""
        found = Given()
        if positional and call.args:
            found.add(self.of(call.args[0], seen))
        for keyword in call.keywords:
            if keyword.arg is None:
                found.add(self.of(keyword.value, seen))
            else:
                found.settings.append(Setting(keyword.value.lineno, keyword.arg, _constant(keyword.value)))
        return found

    def of(self, node: ast.expr, seen: frozenset[Place] = frozenset()) -> Given:
        """The settings in a dictionary."""
        if isinstance(node, ast.Dict):
            return self._of_display(node, seen)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            found = self.of(node.left, seen)
            found.add(self.of(node.right, seen))
            return found
        if isinstance(node, ast.Call) and dotted_name(node.func) == "dict" and len(node.args) <= 1:
            return self.of_call(node, positional=True, seen=seen)
        place = next(iter(self._places(node)), None)
        if place is None or place in seen:
            return Given(is_complete=False)
        found = Given(list(self._set.get(place, [])))
        for made in self._made[place]:
            found.add(Given(is_complete=False) if made is None else self.of(made, seen | {place}))
        return found

    def _of_display(self, node: ast.Dict, seen: frozenset[Place]) -> Given:
        found = Given()
        for key, value in zip(node.keys, node.values, strict=True):
            written = None if key is None else _constant(key)
            if key is None:
                found.add(self.of(value, seen))
            elif isinstance(written, str):
                found.settings.append(Setting(key.lineno, written, _constant(value)))
            else:
                found.is_complete = False
        return found

    def of_groups(self) -> Iterator[Given]:
        """The settings in each dictionary with group.id."""
        for node in self.displays:
            found = self.of(node)
            if any(setting.written == "group.id" for setting in found.settings):
                yield found


def _constant(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return UNKNOWN
