"""A TLS context that is reloaded when its files change, since certificates are renewed while a client runs.

Files are compared for each new connection; open connections keep the context with which they were opened. A file may be
read while it is being written, or a certificate may be replaced before its key. Then the working context stays in use,
which is logged once, and the files are read again for the next connection.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterable

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.logs import logger_of

__all__ = ["RenewedContext", "system_authorities"]

logger = logger_of(__name__)

#: File attributes that change when a file is written or replaced, or when a link gets another target.
_State = tuple[tuple[object, ...], ...]


class RenewedContext:
    """Returns the context for a new connection. Calls may block; they may come from any thread, one at a time.

    ``make`` reads ``files``, which may be directories, and raises ``ConfigError`` if it can't, like the constructor.
    """

    def __init__(self, make: Callable[[], ssl.SSLContext], files: Iterable[str | None]) -> None:
        self._make = make
        self._files = tuple(path for path in files if path)
        self._state = self._look()  # first, so that later changes are noticed
        self._context = make()
        self._logged: str | None = None

    def __call__(self) -> ssl.SSLContext:
        """The context made from the current files, or from their last usable version."""
        state = self._look()
        if state != self._state:
            self._renew(state)
        return self._context

    def _renew(self, state: _State) -> None:
        try:
            self._context = self._make()
        except ConfigError as error:
            if str(error) != self._logged:
                self._logged = str(error)
                logger.warning("%s; until it can be read, new connections use the previous contents", error)
            return
        self._state, self._logged = state, None
        logger.info("%s changed: new connections use the new contents", ", ".join(self._files))

    def _look(self) -> _State:
        return tuple(_state_of(path) for path in self._files)


def _state_of(path: str) -> tuple[object, ...]:
    try:
        found = os.stat(path)
        inside = sorted(os.listdir(path)) if os.path.isdir(path) else ()
    except OSError as error:
        return (error.errno,)
    return found.st_mtime_ns, found.st_size, found.st_ino, *inside


def system_authorities() -> tuple[str | None, ...]:
    """The file and the directory with the system's certificate authorities; None for one that does not exist."""
    paths = ssl.get_default_verify_paths()
    return paths.cafile, paths.capath
