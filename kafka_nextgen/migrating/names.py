"""The meaning of the names in a program: modules and classes of other clients, consumers, and the results of their
calls.

A *kind* is text: a class of a client (``KafkaConsumer``, ``Message``), ``[]Message`` for a list of them, or
``{}ConsumerRecord`` for lists by partition. A name has one kind in its function. A name that looks like a consumer
(``consumer``, ``self._consumer``) and has no known value counts as a consumer.
"""

from __future__ import annotations

import ast
from typing import Final

from kafka_nextgen.migrating.clients import CLIENTS, Client
from kafka_nextgen.migrating.scopes import Place, Scopes, dotted_name

__all__ = ["Imported", "Names"]

_MESSAGES: Final = ("msg", "message")


class Imported:
    """The modules and names that a program imports from one client."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.modules: dict[str, str] = {}  # local name: dotted module
        self.names: dict[str, str] = {}  # local name: the client's name
        self.kept: set[str] = set()  # local names of modules and classes that remain in use

    def is_for_others(self) -> bool:
        """Whether a program uses only the client's producers or administration, and therefore needs no change."""
        rows = [self.client.calls[""].get(name) for name in self.names.values()]
        stays = bool(self.kept) or any(row is not None and row.is_unchanged for row in rows)
        has_consumer = any(name in self.client.classes for name in self.names.values())
        return stays and not (has_consumer or self.modules)

    def original(self, node: ast.AST) -> str | None:
        """The client's name of the object of an expression; None if it is not the client's, or remains in use."""
        written = dotted_name(node)
        if written is None or written in self.kept:
            return None
        if written in self.names:
            return self.names[written]
        for local, module in self.modules.items():
            if written.startswith(f"{local}."):
                path = f"{module}.{written.removeprefix(f'{local}.')}".split(".")
                return None if path[1] in self.client.kept else path[-1]
        return None


class Names:
    """The names of a program. ``imported`` has the clients that it imports, by package."""

    def __init__(self, tree: ast.Module, scopes: Scopes) -> None:
        self.imported: dict[str, Imported] = {}
        self._kinds: dict[Place, str] = {}
        self._scopes = scopes
        nodes = list(ast.walk(tree))
        for node in nodes:
            self._import(node)
        self.imported = {package: found for package, found in self.imported.items() if not found.is_for_others()}
        if not self.imported:
            return
        for _ in range(3):  # a name may be used above the line that gives it a kind
            for node in nodes:
                self._bind(node)

    # ---- imports

    def _import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                found = self._of_package(alias.name)
                if found is not None:
                    local = alias.asname or alias.name.partition(".")[0]
                    found.modules[local] = alias.name if alias.asname else local
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found = self._of_package(node.module)
            if found is not None:
                self._import_from(found, node.module, node.names)

    def _of_package(self, module: str) -> Imported | None:
        package = module.partition(".")[0]
        if package not in CLIENTS:
            return None
        return self.imported.setdefault(package, Imported(CLIENTS[package]))

    @staticmethod
    def _import_from(found: Imported, module: str, aliases: list[ast.alias]) -> None:
        path = module.split(".")
        for alias in aliases:
            local = alias.asname or alias.name
            if (*path, alias.name)[1] in found.client.kept:
                found.kept.add(local)
            elif alias.name.islower() and alias.name not in found.client.calls[""]:
                found.modules[local] = f"{module}.{alias.name}"  # a module, such as errors
            else:
                found.names[local] = alias.name

    # ---- kinds

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._set(target, self.kind(node.value))
        elif isinstance(node, ast.AnnAssign):
            self._set(node.target, (node.value and self.kind(node.value)) or self._annotated(node.annotation))
        elif isinstance(node, ast.NamedExpr):
            self._set(node.target, self.kind(node.value))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._set(node.optional_vars, self._entered(node.context_expr))
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            self._set_element(node.target, node.iter)
        elif isinstance(node, ast.arguments):
            self._bind_arguments(node)

    def _bind_arguments(self, node: ast.arguments) -> None:
        is_report = any(each.arg.startswith("err") for each in node.args)  # about a produced message
        for each in (*node.posonlyargs, *node.args, *node.kwonlyargs):
            annotated = each.annotation and self._annotated(each.annotation)
            self._set(each, annotated or ("report" if is_report else None))

    def _set(self, target: ast.AST, kind: str | None) -> None:
        place = self._scopes.place(target)
        if place is not None and kind is not None:
            self._kinds[place] = kind

    def _set_element(self, target: ast.AST, iterated: ast.expr) -> None:
        if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Attribute) and not iterated.args:
            of = self.kind(iterated.func.value) or ""
            if of.startswith("{}") and iterated.func.attr == "items":
                if isinstance(target, ast.Tuple) and len(target.elts) == 2:
                    self._set(target.elts[1], f"[]{of[2:]}")
                return
            if of.startswith("{}") and iterated.func.attr == "values":
                self._set(target, f"[]{of[2:]}")
                return
        of = self.kind(iterated) or ""
        if of.startswith("[]"):
            self._set(target, of[2:])
        else:
            client = self.client_of(of)
            self._set(target, client.gives.get("") if client else None)

    def _entered(self, entered: ast.expr) -> str | None:
        """The kind of a with block's value: a consumer, also in closing(...)."""
        found = self.kind(entered)
        if found is None and isinstance(entered, ast.Call) and len(entered.args) == 1:
            return self.kind(entered.args[0])
        return found

    def _annotated(self, annotation: ast.expr) -> str | None:
        node: ast.expr = annotation
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except SyntaxError:
                return None
        if isinstance(node, ast.BinOp):  # X | None
            return self._annotated(node.left)
        if isinstance(node, ast.Subscript):  # Message[str, Order]
            node = node.value
        return self._class_of(node)

    def _class_of(self, node: ast.AST) -> str | None:
        for found in self.imported.values():
            original = found.original(node)
            if original is not None:
                return found.client.classes.get(original, original)
        return None

    def is_guessed(self, node: ast.AST) -> bool:
        """Whether a consumer was recognized only by its name."""
        return dotted_name(node) is not None and self._known(node) is None

    def _known(self, node: ast.AST) -> str | None:
        return next((self._kinds[place] for place in self._scopes.places(node) if place in self._kinds), None)

    def kind(self, node: ast.AST) -> str | None:
        """The kind of an expression; None if it is unknown."""
        if isinstance(node, ast.Await):
            return self.kind(node.value)
        if isinstance(node, ast.Call):
            return self._returned(node)
        if isinstance(node, ast.Subscript):
            of = self.kind(node.value) or ""
            return f"[]{of[2:]}" if of.startswith("{}") else (of[2:] or None if of.startswith("[]") else None)
        name = dotted_name(node)
        return None if name is None else self._known(node) or self._guessed(name)

    def _returned(self, call: ast.Call) -> str | None:
        function = call.func.value if isinstance(call.func, ast.Subscript) else call.func
        if isinstance(function, ast.Name) and function.id in ("anext", "next") and call.args:
            client = self.client_of(self.kind(call.args[0]) or "")
            return client.gives.get("") if client else None
        made = self._class_of(function)
        if made is not None:
            return made
        if isinstance(function, ast.Attribute):
            client = self.client_of(self.kind(function.value) or "")
            return client.gives.get(function.attr) if client else None
        return None

    def client_of(self, kind: str) -> Client | None:
        """The client of this kind of consumer."""
        clients = (found.client for found in self.imported.values())
        return next((client for client in clients if kind in client.classes.values()), None)

    def _guessed(self, name: str) -> str | None:
        """Guess that a name is a consumer or a message, if the program imports only one client."""
        if len(self.imported) != 1:
            return None
        (found,) = self.imported.values()
        last = name.rpartition(".")[2].lower()
        made = [found.client.classes[one] for one in found.names.values() if one in found.client.classes]
        if last.endswith("consumer"):
            return made[0] if made else next(iter(found.client.classes.values()))
        if last == "partitions" and "TopicPartition" in found.client.calls:  # the argument of a callback
            return "[]TopicPartition"
        return found.client.record if last in _MESSAGES else None
