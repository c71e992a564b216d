"""OAUTHBEARER: a token and optional SASL extensions (RFC 7628, KIP-255, KIP-342).

    C: n,,^Aauth=Bearer TOKEN^ANAME=VALUE^A^A
    S: (empty)                                  or an error: {"status":"invalid_token"}
    C:                                          ^A
    S:                                          SASL_AUTHENTICATION_FAILED

^A (0x01) separates the parts, so a token or an extension that contains one could inject parts. Both are checked before
they are sent: tokens by RFC 6750 section 2.1, extensions by RFC 7628, except that Kafka does not allow empty values.

After an error the broker has to end the login (RFC 7628 section 3.2.3), so a later success is an error.

A token whose expiry is known is reused for four fifths of its lifetime, since a login is not valid for longer than its
token (KIP-368). Without a known expiry, a token is requested for every login.

A failing provider is an ``OutageError``. An invalid token from it is an ``AuthenticationError``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from traceback import extract_tb
from typing import Final

from attrs import field

from kafka_nextgen.errors import AuthenticationError, OutageError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.properties.security_config import OauthCallback
from kafka_nextgen.text import can_be_sent

__all__ = ["OauthBearerClient", "Token", "TokenCache", "from_callback"]

_SEPARATOR: Final = "\x01"
_NO_CHANNEL_BINDING: Final = "n,,"
_ERROR_RECEIVED: Final = b"\x01"
_TOKEN: Final = lazy_pattern(r"[A-Za-z0-9._~+/-]+=*")
_NAME: Final = lazy_pattern(r"(?!auth$)[A-Za-z]+")
_VALUE: Final = lazy_pattern(r"[\x21-\x7e \t\r\n]+")
_MAX_ERROR: Final = 500
_REUSED_SHARE: Final = 0.8
#: Seconds to wait for another login's token request. Each wait occupies a thread, and a callback may hang.
_MOST_WAIT_S: Final = 30.0


def _no_extensions() -> Mapping[str, str]:
    return {}


@frozen
class Token:
    """A bearer token; ``ends_at`` is its expiry in seconds since 1970, None if unknown."""

    text: Secret
    ends_at: float | None = None
    extensions: Mapping[str, str] = field(factory=_no_extensions, repr=False)


class OauthBearerClient:
    """One login with this token; ``refusal`` is the error as the broker sent it."""

    def __init__(self, token: Token) -> None:
        self._token = token
        self.refusal = ""

    def initial_response(self) -> bytes:
        """The token. Raises ``AuthenticationError`` if it or an extension can't be sent."""
        parts = [_NO_CHANNEL_BINDING, f"auth=Bearer {self._checked_token()}", *self._extensions(), "", ""]
        return _SEPARATOR.join(parts).encode()

    def evaluate_challenge(self, challenge: bytes) -> bytes | None:
        """Acknowledge the broker's error, after which it has to end the login. Raises ``AuthenticationError``."""
        if self.refusal:
            raise AuthenticationError(f"OAUTHBEARER: the broker refuses the token: {self.refusal}")
        if not challenge:
            return None
        self.refusal = challenge.decode(errors="replace")[:_MAX_ERROR]
        return _ERROR_RECEIVED

    def _checked_token(self) -> str:
        text = self._token.text.reveal()
        if not _TOKEN.fullmatch(text):
            raise AuthenticationError(
                "OAUTHBEARER: the token can't be sent: it may contain only letters, digits and -._~+/, and = at its "
                "end (RFC 6750), without a leading Bearer and without a newline (it is not shown here)"
            )
        return text

    def _extensions(self) -> Iterator[str]:
        for name, value in self._token.extensions.items():
            if not (_NAME.fullmatch(name) and _VALUE.fullmatch(value)):
                raise AuthenticationError(
                    f"OAUTHBEARER: the extension {name!r} can't be sent: its name must consist of letters and not be "
                    "auth, and its value must be non-empty printable ASCII (RFC 7628)"
                )
            yield f"{name}={value}"


class TokenCache:
    """Tokens from ``request``, which may block; ``now`` returns seconds since 1970. Thread-safe."""

    def __init__(self, request: Callable[[], Token], now: Callable[[], float]) -> None:
        self._request = request
        self._now = now
        self._lock = threading.Lock()
        self._token: Token | None = None
        self._reused_until = 0.0

    def token(self) -> Token:
        """A token to log in with; concurrent logins share one request. Raises ``TransportError``."""
        if not self._lock.acquire(timeout=_MOST_WAIT_S):
            raise OutageError("OAUTHBEARER: no token yet: the request for one has not been answered")
        try:
            if self._token is None or self._now() >= self._reused_until:
                self._token = self._request()
                self._reused_until = self._until(self._token)
            return self._token
        finally:
            self._lock.release()

    def forget(self) -> None:
        """Request a new token for the next login: the last one was refused."""
        self._reused_until = 0.0

    def _until(self, token: Token) -> float:
        now = self._now()
        return now if token.ends_at is None else now + (token.ends_at - now) * _REUSED_SHARE


def from_callback(callback: OauthCallback, config: str) -> Callable[[], Token]:
    """Return a function that requests a token from the application's ``oauth_cb``, which gets ``config``."""

    def request() -> Token:
        try:
            answer = callback(config)
        except Exception as error:
            kind, place = type(error).__name__, extract_tb(error.__traceback__)[-1]
        else:
            return _read(answer)
        # Without the error and its text: they may contain a secret.
        raise OutageError(f"OAUTHBEARER: oauth_cb raised {kind} ({place.filename}, line {place.lineno})")

    return request


def _read(answer: object) -> Token:
    parts: Sequence[object] = answer if isinstance(answer, tuple) else (answer,)
    text, ends_at, _, extensions, *more = [*parts, None, None, None, None][: max(4, len(parts))]
    if (
        (isinstance(text, Secret) or (isinstance(text, str) and can_be_sent(text)))
        and Secret.of(text).reveal()
        and isinstance(ends_at, int | float | None)
        and isinstance(extensions, Mapping | None)
        and not more
    ):
        return Token(Secret.of(text), ends_at, {str(name): str(value) for name, value in (extensions or {}).items()})
    raise AuthenticationError(
        "OAUTHBEARER: oauth_cb must return a token, or a tuple of the token, its expiry time (seconds since 1970) "
        f"and optionally its principal and its extensions; not {type(answer).__name__}. It is called "
        "in a thread, and must be a plain function"
    )
