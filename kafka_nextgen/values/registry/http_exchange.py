"""One request to a registry over HTTP, within limits of time and size.

Credentials are sent only to the configured address: no redirect is followed, and proxies set in the environment are
ignored. An error names the address without them. One time limit covers everything, so even a server that sends one byte
at a time is cut off.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final
from urllib.parse import unquote, urlsplit

from attrs import field

from kafka_nextgen import clocks
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["Address", "Answer", "TooLargeError", "UnreachableError", "get"]

_PIECE_BYTES: Final = 1 << 16


class UnreachableError(Exception):
    """There was no answer; the message gives the reason. ``lasts`` means that retrying does not help."""

    def __init__(self, message: str, lasts: bool = False) -> None:
        super().__init__(message)
        self.lasts = lasts


class TooLargeError(Exception):
    """The answer has more bytes than the caller accepts."""


@frozen
class Address:
    """The address of a registry, and the user name and password in its URL, if any."""

    is_https: bool
    host: str
    port: int
    path: str
    user: tuple[str, str] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, url: str) -> Address:
        """Parse a URL. Raises ConfigError, which does not show the URL, because it may contain a password."""
        try:
            where = urlsplit(url.strip())
            is_https, host, port = where.scheme == "https", where.hostname, where.port
            is_sound = where.scheme in ("http", "https") and host and not (where.query or where.fragment)
        except (ValueError, AttributeError):
            is_sound, host = False, None
        if not is_sound or not host:
            raise ConfigError(
                "the URL of a registry must look like https://registry:8081, without ? or # (it is not shown here)"
            )
        user = None if where.username is None else (unquote(where.username), unquote(where.password or ""))
        return cls(is_https, host, port or (443 if is_https else 80), where.path.rstrip("/"), user)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.is_https else 'http'}://{host}:{self.port}{self.path}"


@frozen
class Answer:
    """A registry's answer."""

    status: int
    body: bytes
    retry_after: str | None


def get(
    address: Address,
    path: str,
    headers: Mapping[str, str],
    context: ssl.SSLContext | None,
    deadline: float,
    most_bytes: int,
) -> Answer:
    """Request a path below the address; gives up at ``deadline`` (monotonic seconds).

    Raises UnreachableError, and TooLargeError if the body has more than ``most_bytes``.
    """
    left_s = deadline - clocks.monotonic()
    if left_s <= 0:
        raise UnreachableError("no time was left")
    connection = _connection(address, context, left_s)
    try:
        with _cut_off(connection, left_s):
            connection.request("GET", f"{address.path}/{path}", headers=headers)
            answer = connection.getresponse()
            return Answer(answer.status, _body(answer, deadline, most_bytes), answer.getheader("Retry-After"))
    except ssl.SSLCertVerificationError as error:
        raise UnreachableError(f"its certificate is not trusted: {error.verify_message}", lasts=True) from None
    except (OSError, http.client.HTTPException, UnicodeError) as error:  # UnicodeError: names that DNS can't represent
        is_late = clocks.monotonic() >= deadline
        raise UnreachableError("it took too long" if is_late else _reason(error)) from None
    finally:
        connection.close()


def _connection(address: Address, context: ssl.SSLContext | None, timeout_s: float) -> http.client.HTTPConnection:
    if address.is_https:
        assert context is not None
        return http.client.HTTPSConnection(address.host, address.port, timeout=timeout_s, context=context)
    return http.client.HTTPConnection(address.host, address.port, timeout=timeout_s)


@contextmanager
def _cut_off(connection: http.client.HTTPConnection, timeout_s: float) -> Iterator[None]:
    """End the connection after ``timeout_s`` seconds; the timeout of its socket restarts with each byte."""

    def cut() -> None:
        if connection.sock is not None:
            with suppress(OSError):
                socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)

    timer = threading.Timer(timeout_s, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _body(answer: http.client.HTTPResponse, deadline: float, most_bytes: int) -> bytes:
    if (answer.length or 0) > most_bytes:  # its Content-Length
        raise TooLargeError
    body = b""
    while clocks.monotonic() < deadline:
        piece = answer.read1(_PIECE_BYTES)
        if not piece:
            if answer.length and clocks.monotonic() < deadline:
                raise UnreachableError("it closed the connection in the middle of its answer")
            if answer.length:  # cut off
                break
            return body
        body += piece
        if len(body) > most_bytes:
            raise TooLargeError
    raise UnreachableError("it took too long")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__
