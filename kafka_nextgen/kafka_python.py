"""kafka-python's messages without its clients.

Importing anything below the package ``kafka`` imports ``kafka`` itself, and with it a consumer, a producer and an
admin client: more than all that is ours takes. So ``kafka`` is put in its place as a package that is not run before
somebody asks it for a name that is no submodule of it; then it is, in the same module object. An application that
imported kafka-python before, or does so later, sees no difference.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec, module_from_spec
from threading import RLock
from types import ModuleType

__all__ = ["postpone_clients"]

_PACKAGE = "kafka"
_lock = RLock()


class _Postponed(ModuleType):
    """A package that is run when it is first asked for a name of its own."""

    is_running = False

    def __getattr__(self, name: str) -> object:
        if find_spec(f"{_PACKAGE}.{name}") is not None:
            return importlib.import_module(f"{_PACKAGE}.{name}")
        _run(self)
        return ModuleType.__getattribute__(self, name)  # of another class by now, so that super() won't do

    def __dir__(self) -> list[str]:
        _run(self)
        return list(ModuleType.__dir__(self))


def postpone_clients() -> None:
    """Let kafka-python's submodules be imported without its clients, unless those are there already."""
    spec = None if _PACKAGE in sys.modules else find_spec(_PACKAGE)
    if spec is not None:
        module = module_from_spec(spec)
        module.__class__ = _Postponed
        sys.modules[_PACKAGE] = module


def _run(module: _Postponed) -> None:
    """Run the package once, while other threads wait; it may well ask itself for a name that it hasn't got yet."""
    with _lock:
        if type(module) is not _Postponed or module.is_running:
            return
        spec = module.__spec__
        assert spec is not None
        assert spec.loader is not None
        module.is_running = True
        try:
            spec.loader.exec_module(module)
            module.__class__ = ModuleType  # type: ignore[assignment]  # from now on a package as any other
        finally:
            del module.is_running
