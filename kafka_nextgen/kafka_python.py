"""kafka-python's submodules as submodules of this one: its ``kafka.errors`` is ``kafka_nextgen.kafka_python.errors``.

The name ``kafka`` belongs to the application, which may have a ``kafka.py`` of its own, a package of that name, or
kafka-python with its clients. So nothing is imported by that name here. kafka-python's folder is found by a file in it,
and its code runs under our name, also where it imports ``kafka``. Its ``kafka/__init__.py`` doesn't run: that would
load a consumer, a producer and an admin client, which takes longer than loading all that is ours.
"""

from __future__ import annotations

import builtins
import importlib
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

__all__ = ["load_quietly"]

_PACKAGE = "kafka"


def load_quietly(module: str) -> ModuleType:
    """Import a module that makes messages of schemas, which kafka-python does in a way that Python 3.11 deprecates."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(read|open)_text is deprecated", DeprecationWarning)
        return importlib.import_module(module)


def _folders() -> Iterator[str]:
    """All packages called ``kafka``: those on the path, then those that other finders know (editable installs)."""
    specs = [PathFinder.find_spec(_PACKAGE, [entry]) for entry in sys.path]
    specs += [finder.find_spec(_PACKAGE, None) for finder in sys.meta_path]
    for spec in specs:
        yield from (spec and spec.submodule_search_locations) or ()


def _folder() -> str:
    """The one that is kafka-python. Raises ``ImportError`` if there is none, or only a release that is too old."""
    for folder in _folders():
        if PathFinder.find_spec("api_message", [os.path.join(folder, "protocol")]):
            return folder
    raise ImportError("kafka-nextgen needs kafka-python 3.0.12 or later, which is not on sys.path; install it with pip")


def _import(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """What ``import`` does in kafka-python's modules: as ever, except that ``kafka`` is this module."""
    package, _, rest = name.partition(".")
    if level or package != _PACKAGE:
        return __import__(name, globals, locals, fromlist or (), level)
    module = __import__(f"{__name__}.{rest}" if rest else __name__, globals, locals, fromlist or (), 0)
    return module if fromlist else sys.modules[__name__]


class _Loader(Loader):
    """Loads a module as another loader does, with our ``import`` among the module's builtins."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": _import}
        return module

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)

    def __getattr__(self, name: str) -> object:
        return getattr(self._loader, name)  # source for tracebacks, and Kafka's schemas as resources


class _Finder(MetaPathFinder):
    """Has the other finders find the submodules of this module, and loads them as kafka-python's."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith(f"{__name__}."):
            return None
        others = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, others), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


__path__ = [_folder()]
sys.meta_path.insert(0, _Finder())
