"""The broker's side of one connection's SASL authentication (KIP-43, KIP-152).

The client may send ApiVersions once, then sends SaslHandshake with the mechanism, then tokens: as SaslAuthenticate if
its handshake had version 1, as bare frames if it had version 0. A second handshake instead of a token is answered with
ILLEGAL_SASL_STATE. Anything else before the end, and everything after a failure, ends the connection.

With ``connections.max.reauth.ms`` an authentication is valid for only one session, whose length is sent to the client
(KIP-368). The client may authenticate again on the same connection, with the same mechanism and user; once the session
ends, any request that does not begin a new authentication ends the connection.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum, auto

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.testing.broker.security.mechanisms import MECHANISMS, CredentialsError, Exchange, TokenError
from kafka_nextgen.testing.broker.security.users import Users

__all__ = ["SaslAnswer", "SaslServer", "SaslSettings"]

_BARE_TOKENS = 0  # the version of SaslHandshake that is followed by bare frames


@frozen
class SaslSettings:
    """The settings of all connections; with ``session_ms`` 0, sessions do not expire."""

    mechanisms: Sequence[str]
    session_ms: int = 0


@frozen
class SaslAnswer:
    """The answer to the client; after an error the connection is closed."""

    error: ErrorCode = ErrorCode.NONE
    message: str = ""
    token: bytes = b""
    session_ms: int = 0


class _Step(Enum):
    VERSIONS_OR_HANDSHAKE = auto()
    HANDSHAKE = auto()
    TOKENS = auto()
    BARE_TOKENS = auto()
    DONE = auto()
    FAILED = auto()


_BEFORE_TOKENS: Collection[_Step] = (_Step.VERSIONS_OR_HANDSHAKE, _Step.HANDSHAKE)


@define
class SaslServer:
    """The server's side. ``user`` is the authenticated user; ``now`` is always in seconds of a monotonic clock."""

    settings: SaslSettings
    users: Users
    user: str | None = None
    _step: _Step = _Step.VERSIONS_OR_HANDSHAKE
    _mechanism: str = ""
    _wrong_mechanism: str | None = None  # of a re-authentication; its first token is refused
    _exchange: Exchange | None = None
    _ends_at: float | None = None

    @property
    def is_done(self) -> bool:
        """Whether the client has authenticated and is not about to do so again."""
        return self._step is _Step.DONE

    @property
    def has_failed(self) -> bool:
        """Whether the connection is to be closed."""
        return self._step is _Step.FAILED

    @property
    def takes_bare_tokens(self) -> bool:
        """Whether the next frame is a token rather than a request."""
        return self._step is _Step.BARE_TOKENS

    @property
    def takes_tokens(self) -> bool:
        """Whether SaslAuthenticate is allowed now."""
        return self._step is _Step.TOKENS

    def takes_handshake(self) -> bool:
        """Whether SaslHandshake is allowed now; a second one only if sessions end."""
        return self._step in _BEFORE_TOKENS or (self.is_done and self._ends_at is not None)

    def takes_versions(self) -> bool:
        """Whether ApiVersions is allowed before the client has authenticated."""
        return self._step is _Step.VERSIONS_OR_HANDSHAKE

    def is_over(self, now: float) -> bool:
        """Whether the session has ended."""
        return self.is_done and self._ends_at is not None and now > self._ends_at

    def refuse_handshake(self) -> None:
        """Refuse a handshake out of turn; the connection ends unless the client has authenticated."""
        assert not self.takes_handshake()
        if not self.is_done:
            self._step = _Step.FAILED

    def fail(self) -> None:
        """Let the authentication fail, so that the connection is closed after the answer."""
        self._step, self._exchange = _Step.FAILED, None

    def versions_told(self) -> None:
        """Record that ApiVersions was answered."""
        assert self.takes_versions()
        self._step = _Step.HANDSHAKE

    def handshake(self, mechanism: str, version: int) -> SaslAnswer:
        """Begin with a mechanism."""
        assert self.takes_handshake()
        if mechanism not in self.settings.mechanisms:
            self._step = _Step.FAILED
            return SaslAnswer(ErrorCode.UNSUPPORTED_SASL_MECHANISM)
        if self.user is not None and mechanism != self._mechanism:
            self._wrong_mechanism = mechanism
        else:
            self._mechanism = mechanism
            self._exchange = MECHANISMS[mechanism](self.users)
        self._step = _Step.BARE_TOKENS if version == _BARE_TOKENS else _Step.TOKENS
        return SaslAnswer()

    def authenticate(self, token: bytes, now: float) -> SaslAnswer:
        """Check a token; ``user`` is set after the last valid one.

        For PLAIN this takes milliseconds of CPU time, so it is called outside the event loop.
        """
        assert self.takes_tokens or self.takes_bare_tokens
        try:
            return self._authenticate(token, now)
        except TokenError as error:
            return self._fail(str(error))
        except CredentialsError:
            return self._fail(
                f"Authentication failed during {self._what} due to invalid credentials with SASL mechanism "
                f"{self._mechanism}"
            )

    def _authenticate(self, token: bytes, now: float) -> SaslAnswer:
        if self._wrong_mechanism is not None:
            raise TokenError(
                f"SASL mechanism '{self._wrong_mechanism}' requested by client is not supported for "
                f"re-authentication of mechanism '{self._mechanism}'"
            )
        assert self._exchange is not None
        answer = self._exchange.answer(token)
        user = self._exchange.user
        if user is None:
            return SaslAnswer(token=answer)
        if self.user not in (None, user):
            raise TokenError(f"Cannot change principals during re-authentication from User.{self.user}: User.{user}")
        self._finish(user, now)
        return SaslAnswer(token=answer, session_ms=self.settings.session_ms)

    def _finish(self, user: str, now: float) -> None:
        self.user, self._exchange, self._step = user, None, _Step.DONE
        if self.settings.session_ms:
            self._ends_at = now + self.settings.session_ms / 1000

    def _fail(self, message: str) -> SaslAnswer:
        self.fail()
        return SaslAnswer(ErrorCode.SASL_AUTHENTICATION_FAILED, message)

    @property
    def _what(self) -> str:
        return "authentication" if self.user is None else "re-authentication"
