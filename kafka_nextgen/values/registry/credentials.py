"""The ``Authorization`` header and additional headers for a registry. Errors do not show their values."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Final

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.properties.secret import Secret, call_privately

__all__ = ["Token", "authorization_of", "basic", "checked_headers"]

_TOKEN: Final = lazy_pattern(r"[A-Za-z0-9._~+/-]+=*")
_HEADER_NAME: Final = lazy_pattern(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_HEADER: Final = lazy_pattern(r"[\x21-\x7e][\x20-\x7e]*")

Token = Secret | str | Callable[[], str]


def authorization_of(user: tuple[str, Secret | str] | None, token: Token | None) -> Callable[[], str | None]:
    """Return a function that returns the ``Authorization`` header; it returns None without credentials."""
    if user is not None and token is not None:
        raise ConfigError("user and token are both given: give only one of them")
    if user is not None:
        header = basic(user[0], Secret.of(user[1]).reveal())
        return lambda: header
    if token is None:
        return lambda: None
    if callable(token):
        ask = token
        return lambda: _bearer(call_privately(ask, "token"))
    text = Secret.of(token).reveal()
    _bearer(text)
    return lambda: _bearer(text)


def basic(name: str, password: str) -> str:
    """Return the header for a user (RFC 7617)."""
    return f"Basic {b64encode(f'{name}:{password}'.encode()).decode()}"


def _bearer(text: object) -> str:
    if not isinstance(text, str) or not _TOKEN.fullmatch(text):
        raise ConfigError(
            "token can't be sent: it must have only letters, digits and -._~+/, with = only at its end (RFC 6750), "
            "without a leading Bearer and without a newline (it is not shown here)"
        )
    return f"Bearer {text}"


def checked_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Return these headers. Raises ConfigError for one that can't be sent."""
    for name, value in headers.items():
        if not (_HEADER_NAME.fullmatch(name) and _HEADER.fullmatch(value)):
            raise ConfigError(f"the header {name!r} can't be sent: it must have only printable ASCII characters")
    return headers
