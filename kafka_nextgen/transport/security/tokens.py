"""Tokens for OAUTHBEARER: requested when a connection needs one, and reused while they are valid for long enough.

A token whose expiry is known is reused for four fifths of its lifetime, since the login by it is not valid for longer
than the token itself (KIP-368). One without is requested for every login.

If the provider fails, that is an ``OutageError``. If it gives something else, that is an ``AuthenticationError``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from traceback import extract_tb
from typing import Final

from attrs import field, frozen

from kafka_nextgen.errors import AuthenticationError, OutageError
from kafka_nextgen.secret import Secret
from kafka_nextgen.security_config import OauthCallback
from kafka_nextgen.text import can_be_sent

__all__ = ["Token", "TokenCache", "from_callback"]

_REUSED_SHARE: Final = 0.8
#: Seconds to wait for the request of another login. Each wait occupies a thread, and a callback may hang.
_MOST_WAIT_S: Final = 30.0


def _no_extensions() -> Mapping[str, str]:
    return {}


@frozen
class Token:
    """A bearer token; ``ends_at`` is its expiry in seconds since 1970, None if unknown."""

    text: Secret
    ends_at: float | None = None
    extensions: Mapping[str, str] = field(factory=_no_extensions, repr=False)


class TokenCache:
    """Tokens from ``request``, which may block; ``now`` gives seconds since 1970. Used from several threads."""

    def __init__(self, request: Callable[[], Token], now: Callable[[], float]) -> None:
        self._request = request
        self._now = now
        self._lock = threading.Lock()
        self._token: Token | None = None
        self._reused_until = 0.0

    def token(self) -> Token:
        """A token to log in with; logins at the same time share one request. Raises ``TransportError``."""
        if not self._lock.acquire(timeout=_MOST_WAIT_S):
            raise OutageError("OAUTHBEARER: there is no token, the question for one was not answered yet")
        try:
            if self._token is None or self._now() >= self._reused_until:
                self._token = self._request()
                self._reused_until = self._until(self._token)
            return self._token
        finally:
            self._lock.release()

    def _until(self, token: Token) -> float:
        now = self._now()
        return now if token.ends_at is None else now + (token.ends_at - now) * _REUSED_SHARE


def from_callback(callback: OauthCallback, config: str) -> Callable[[], Token]:
    """A request for a token to the application's ``oauth_cb``, which gets ``config``."""

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
        "OAUTHBEARER: oauth_cb is to return a token, or a tuple of the token, the time its life ends (seconds since "
        f"1970), its principal and its extensions, the last two if need be; not {type(answer).__name__}. It is called "
        "in a thread, and must be a plain function"
    )
