"""A cache of lookups by key, in which concurrent lookups of the same key share one search.

A search runs in a separate thread, so a caller never waits longer than its timeout. When the cache is full, the least
recently used results are removed. A missing schema is remembered only for a while, because it may be registered later.
Other failures are not remembered.

A producer can write any number of ids that do not exist. The number of searches is not limited, because a limit could
make values bad although their schema exists. Instead, the cache remembers many missing keys, to search for each less
often.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, TimeoutError
from copy import copy
from http import HTTPStatus
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from kafka_nextgen import clocks
from kafka_nextgen.errors import RegistryError

__all__ = ["Lookups"]

T = TypeVar("T")

#: How many missing keys are remembered for each result that fits into the cache. A missing key takes about 0.5 KB.
_MISSING_FOR_EACH = 10
#: How much longer (seconds) a caller waits after the timeout of a search, so that the search's own, more specific error
#: is reported.
_GRACE_S = 1.0

_everywhere: WeakSet[Lookups[Any]] = WeakSet()


class Lookups(Generic[T]):
    """Looks up keys with ``find``, which may block and raise RegistryError. Thread-safe.

    ``size`` is the maximum number of results. Ten times as many missing keys are remembered, for ``missing_s`` seconds.
    """

    def __init__(self, find: Callable[[str], T], size: int, missing_s: float) -> None:
        self._find = find
        self._size = size
        self._missing_s = missing_s
        self._found: OrderedDict[str, T] = OrderedDict()
        self._missing: OrderedDict[str, tuple[float, RegistryError]] = OrderedDict()
        self.begin_anew()
        _everywhere.add(self)

    def begin_anew(self) -> None:
        """Forget the searches of other threads: in a forked process, these threads do not exist."""
        self._lock = threading.Lock()
        self._searches: dict[str, Future[T]] = {}

    def get(self, key: str, timeout_s: float, keep: bool = True) -> T:
        """Return the result for a key; with ``keep``, the cache is used. Raises RegistryError."""
        with self._lock:
            if keep and key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
            until, error = self._missing.get(key, (0.0, None))
            if error is not None and clocks.monotonic() < until:
                raise copy(error)
            search = self._searches.get(key)
            if search is None:
                search = Future()
                threading.Thread(
                    target=self._search, args=(key, search, keep), name="kafka_nextgen registry", daemon=True
                ).start()
                self._searches[key] = search
        try:
            failure = search.exception(timeout_s + _GRACE_S)
        except TimeoutError:
            raise RegistryError(f"{key}: no answer within {timeout_s:g} s") from None
        if failure is not None:
            raise copy(failure)
        return search.result()

    def _search(self, key: str, search: Future[T], keep: bool) -> None:
        try:
            found = self._found_now(key, keep)
        except BaseException as error:  # the waiting callers raise it
            self._end(key)
            search.set_exception(error)
        else:
            self._end(key)
            search.set_result(found)

    def _found_now(self, key: str, keep: bool) -> T:
        """Find the result and remember it, or remember that the key is missing."""
        try:
            found = self._find(key)
        except RegistryError as error:
            if error.http_status_code == HTTPStatus.NOT_FOUND:
                with self._lock:
                    self._missing[key] = clocks.monotonic() + self._missing_s, copy(error)  # without its traceback
                    _cut(self._missing, self._size * _MISSING_FOR_EACH)
            raise
        with self._lock:
            self._missing.pop(key, None)
            if keep:
                self._found[key] = found
                _cut(self._found, self._size)
        return found

    def _end(self, key: str) -> None:
        with self._lock:
            self._searches.pop(key, None)


def _cut(kept: OrderedDict[str, Any], size: int) -> None:
    while len(kept) > size:
        kept.popitem(last=False)


def _begin_all_anew() -> None:
    for lookups in _everywhere:
        lookups.begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_all_anew)
