"""Tokens for OAUTHBEARER: asked for when a connection needs one, and used again while they have enough life left.

A token with a known end is kept for four fifths of the life it had when it came, so that whoever logs in with it, to be
told a session by it (KIP-368), still has something of it. One without is asked for again for every login. Connections
that want a token at once share the answer to one question. The question may block: it is put in a worker thread.

Who can't give a token just now has not refused us: that is an ``OutageError``, and is asked again. Who gives
what is no token is an ``AuthenticationError``.
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

__all__ = ["Token", "TokenSource", "from_callback"]

_KEPT_SHARE: Final = 0.8
#: How long (seconds) to wait for a question that another login has put. Each wait is a thread, and a callback may hang.
_MOST_WAIT_S: Final = 30.0


def _no_extensions() -> Mapping[str, str]:
    return {}


@frozen
class Token:
    """What a broker is shown; ``ends_at`` is in seconds since 1970, None if nobody said."""

    text: Secret
    ends_at: float | None = None
    extensions: Mapping[str, str] = field(factory=_no_extensions, repr=False)


class TokenSource:
    """Tokens from ``ask``, which may block; ``now`` gives seconds since 1970. To be used from worker threads."""

    def __init__(self, ask: Callable[[], Token], now: Callable[[], float]) -> None:
        self._ask = ask
        self._now = now
        self._lock = threading.Lock()
        self._token: Token | None = None
        self._kept_until = 0.0

    def token(self) -> Token:
        """A token to log in with. Raises ``TransportError``."""
        if not self._lock.acquire(timeout=_MOST_WAIT_S):
            raise OutageError("OAUTHBEARER: there is no token, the question for one was not answered yet")
        try:
            if self._token is None or self._now() >= self._kept_until:
                self._token = self._ask()
                self._kept_until = self._until(self._token)
            return self._token
        finally:
            self._lock.release()

    def _until(self, token: Token) -> float:
        now = self._now()
        return now if token.ends_at is None else now + (token.ends_at - now) * _KEPT_SHARE


def from_callback(callback: OauthCallback, config: str) -> Callable[[], Token]:
    """What asks the application for a token."""

    def ask() -> Token:
        try:
            answer = callback(config)
        except Exception as error:
            kind, place = type(error).__name__, extract_tb(error.__traceback__)[-1]
        else:
            return _read(answer)
        # Not the error itself, nor its words: a secret may be in them.
        raise OutageError(f"OAUTHBEARER: oauth_cb raised {kind} ({place.filename}, line {place.lineno})")

    return ask


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
