"""The scopes of a program's names: a function, or the whole file.

A name with a dot, such as ``self.consumer``, belongs to the whole file, regardless of its class. A name that a class
body binds, such as a field of a dataclass, belongs to the whole file as ``self.NAME``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

__all__ = ["Place", "Scopes", "dotted_name", "shown"]

#: A scope, and a name in it.
Place = tuple[int, str]

_FILE = 0
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Scopes:
    """The scopes of a program. Those of a node are numbers, the innermost first; 0 is the file."""

    def __init__(self, tree: ast.Module) -> None:
        self._of: dict[int, tuple[int, ...]] = {}
        self._in_class: set[int] = set()  # nodes that belong to the body of a class
        self._outer: dict[Place, int] = {}  # the scopes of names that are declared global or nonlocal
        self._enter(tree, (_FILE,), is_class=False)

    def _enter(self, node: ast.AST, scopes: tuple[int, ...], *, is_class: bool) -> None:
        waiting = [(node, scopes, is_class)]
        while waiting:  # not recursive: expressions may be deeply nested
            one, scopes, is_class = waiting.pop()
            self._of[id(one)] = scopes
            if is_class:
                self._in_class.add(id(one))
            if isinstance(one, ast.Global | ast.Nonlocal):
                outer = _FILE if isinstance(one, ast.Global) else (*scopes, _FILE)[1]
                self._outer |= {(scopes[0], name): outer for name in one.names}
            if isinstance(one, _Function):
                scopes, is_class = (len(self._of), *scopes), False
            elif isinstance(one, ast.ClassDef):
                is_class = True
            waiting += [(child, scopes, is_class) for child in ast.iter_child_nodes(one)]

    def place(self, target: ast.AST) -> Place | None:
        """The scope and name that an assignment to this expression, or an argument, binds; None if it is not a name."""
        name = target.arg if isinstance(target, ast.arg) else dotted_name(target)
        if name is None:
            return None
        if id(target) in self._in_class and "." not in name:
            return _FILE, f"self.{name}"
        if "." in name:
            return _FILE, name
        scope = self._of[id(target)][0]
        return self._outer.get((scope, name), scope), name

    def places(self, node: ast.AST) -> Iterator[Place]:
        """Where to look for the value of this expression, if it is a name, the innermost place first."""
        name = dotted_name(node)
        if name is None:
            return
        if "." in name:
            yield _FILE, name
            return
        for scope in self._of.get(id(node), (_FILE,)):
            yield scope, name


def dotted_name(node: ast.AST) -> str | None:
    """``self.consumer`` for such an expression; None for other expressions."""
    return ".".join(_parts(node)) or None


def _parts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        before = list(_parts(node.value))
        if before:
            yield from (*before, node.attr)


def shown(node: ast.expr) -> str:
    """An expression as it is written, without the arguments of its calls, which may be secret."""
    if isinstance(node, ast.Call):
        return f"{shown(node.func)}({'...' if node.args or node.keywords else ''})"
    if isinstance(node, ast.Attribute):
        return f"{shown(node.value)}.{node.attr}"
    if isinstance(node, ast.Subscript):
        return f"{shown(node.value)}[{shown(node.slice)}]"
    if isinstance(node, ast.Await):
        return f"(await {shown(node.value)})"
    return "..." if any(isinstance(each, ast.Call | ast.Dict) for each in ast.walk(node)) else ast.unparse(node)
