"""Logging in on a connection: SaslHandshake, then SaslAuthenticate until mechanism and broker are through (KIP-152).

The whole has the time of the connection's setup. It has few rounds, and short frames, as long as nobody is known at the
other end. What a broker refuses is an ``AuthenticationError`` with its own words; a mechanism that it does not speak is
answered with those it does.

A broker may say how long a login holds (KIP-368). It is renewed on the same connection when 85 to 95 % of that is over,
as in Kafka's own client, so that many connections made at once are not renewed at once. Brokers renew no login within a
second of the renewal before, and take the attempt for an error: a login that holds for less just ends.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from attrs import frozen

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.errors import AuthenticationError, KafkaNextgenError, TransportError
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.daemon_threads import in_daemon_thread
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.transport.security.exchanges import Login
from kafka_nextgen.wire.apis import SASL_AUTHENTICATE, SASL_HANDSHAKE, negotiate
from kafka_nextgen.wire.messages import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)

__all__ = ["MAX_TOKEN_FRAME_BYTES", "SHORTEST_RENEWAL_S", "authenticate", "renewal_delay_s"]

#: No answer is longer until the broker is known; Kafka's brokers allow clients as much.
MAX_TOKEN_FRAME_BYTES: Final = 512 * 1024

#: No sooner (seconds) is a login renewed, however short it is.
SHORTEST_RENEWAL_S = 1.0

_MAX_WORDS: Final = 500
_MAX_ROUNDS: Final = 10  # Kerberos takes four
_WITH_REQUESTS: Final = 1  # the version of SaslHandshake that is followed by SaslAuthenticate

T = TypeVar("T")


@frozen
class _Steps:
    """What an exchange does, each step in a thread: it may hash or ask a server, and the event loop has other work."""

    mechanism: str
    deadline: Deadline

    async def take(self, step: Callable[[], T]) -> T:
        """Take one. A bug in it becomes an error without its words, its values or itself: a secret may be in them."""
        try:
            return await self.deadline.wait(in_daemon_thread(step, "kafka_nextgen login"))
        except KafkaNextgenError:
            raise
        except Exception as error:
            kind = type(error).__name__
        raise AuthenticationError(f"{self.mechanism}: this client fails to log in, by an unexpected {kind}")


async def authenticate(connection: Connection, login: Login, deadline: Deadline) -> float:
    """Log in; for how many seconds that holds, 0 for as long as the connection.

    Raises ``AuthenticationError`` for a refusal, and ``TransportError`` or ``DecodeError`` for what may pass.
    """
    try:
        await _agree(connection, login.mechanism, deadline)
        steps = _Steps(login.mechanism, deadline)
        exchange = await steps.take(lambda: login.begin(connection.address.host))
        token: bytes | None = await steps.take(exchange.first)
        for _ in range(_MAX_ROUNDS):
            answer = await _tell(connection, token or b"", exchange.refusal, deadline)
            token = await steps.take(partial(exchange.reply, bytes(answer.auth_bytes)))
            if token is None:
                return max(0, answer.session_lifetime_ms) / 1000
    except TransportError as error:
        raise _at(connection, error) from error.__cause__
    raise AuthenticationError(f"{connection.address}: {login.mechanism} did not come to an end in {_MAX_ROUNDS} rounds")


def renewal_delay_s(session_s: float, chance: float) -> float:
    """After how many seconds to log in again; ``chance`` is a number in [0, 1)."""
    return max(SHORTEST_RENEWAL_S, session_s * (0.85 + 0.1 * chance))


async def _agree(connection: Connection, mechanism: str, deadline: Deadline) -> None:
    version = negotiate(SASL_HANDSHAKE.at_least(_WITH_REQUESTS), connection.ranges)
    message = SaslHandshakeRequest(mechanism=mechanism)
    answer = await connection.request(SASL_HANDSHAKE, version, message, deadline, through_hold=True)
    assert isinstance(answer, SaslHandshakeResponse)
    if answer.error_code == ErrorCode.UNSUPPORTED_SASL_MECHANISM:
        spoken = ", ".join(map(str, answer.mechanisms)) or "none"
        raise AuthenticationError(f"the broker has no sasl.mechanism={mechanism} there; it enables {spoken}")
    if answer.error_code == ErrorCode.ILLEGAL_SASL_STATE:
        raise AuthenticationError("the broker takes no login there: is this the port of a listener without SASL?")
    if answer.error_code != ErrorCode.NONE:
        raise AuthenticationError(f"the broker refuses to begin a login by {mechanism} ({name_of(answer.error_code)})")


async def _tell(connection: Connection, token: bytes, refusal: str, deadline: Deadline) -> SaslAuthenticateResponse:
    version = negotiate(SASL_AUTHENTICATE, connection.ranges)
    message = SaslAuthenticateRequest(auth_bytes=token)
    answer = await connection.request(SASL_AUTHENTICATE, version, message, deadline, through_hold=True)
    assert isinstance(answer, SaslAuthenticateResponse)
    if answer.error_code != ErrorCode.NONE:
        words = (answer.error_message or "the broker refuses the login")[:_MAX_WORDS]
        why = "" if refusal in words else f": {refusal}"  # Kafka says it in both places
        raise AuthenticationError(f"{words}{why} ({name_of(answer.error_code)})")
    return answer


def _at(connection: Connection, error: TransportError) -> TransportError:
    """The same with the broker's address in front."""
    where, text = str(connection.address), str(error)
    return error if text.startswith(f"{where}: ") else type(error)(f"{where}: {text}")
