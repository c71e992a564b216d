"""A SASL login on a connection: SaslHandshake, then SaslAuthenticate until the mechanism is done (KIP-152).

Rounds and frames are limited, because the broker is not authenticated yet.

A broker may limit how long a login is valid (KIP-368). It is then renewed on the same connection after 85 to 95 % of
that time, as in Kafka's client, so that connections opened together are not renewed together. Brokers refuse a renewal
within a second of the previous one, so a login with a shorter validity is not renewed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.errors import AuthenticationError, KafkaNextgenError, TransportError
from kafka_nextgen.transport.background import in_daemon_thread
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.security.settings import SaslLogin
from kafka_nextgen.transport.waiting import Deadline
from kafka_nextgen.wire.apis import SASL_AUTHENTICATE, SASL_HANDSHAKE, negotiate
from kafka_nextgen.wire.messages import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)

__all__ = ["MAX_TOKEN_FRAME_BYTES", "SHORTEST_RENEWAL_S", "authenticate", "reauthentication_delay_s"]

#: The longest answer before the login has succeeded; Kafka's brokers accept the same length from clients.
MAX_TOKEN_FRAME_BYTES: Final = 512 * 1024

#: The shortest time (seconds) to the renewal of a login.
SHORTEST_RENEWAL_S = 1.0

_MAX_WORDS: Final = 500
_MAX_ROUNDS: Final = 10  # Kerberos needs four
_WITH_AUTHENTICATE: Final = 1  # the SaslHandshake version that SaslAuthenticate follows

T = TypeVar("T")


async def authenticate(connection: Connection, login: SaslLogin, deadline: Deadline) -> float:
    """Log in, and return for how many seconds the login is valid; 0 if it does not expire.

    Raises ``AuthenticationError``, ``TransportError`` or ``DecodeError``.
    """
    try:
        await _handshake(connection, login.mechanism, deadline)
        client = await _run(lambda: login.new_client(connection.address.host), login, deadline)
        token: bytes | None = await _run(client.initial_response, login, deadline)
        for _ in range(_MAX_ROUNDS):
            answer = await _send_token(connection, token or b"", client.refusal, deadline)
            token = await _run(partial(client.evaluate_challenge, bytes(answer.auth_bytes)), login, deadline)
            if token is None:
                return max(0, answer.session_lifetime_ms) / 1000
    except TransportError as error:
        if isinstance(error, AuthenticationError):
            login.forget()
        raise _with_address(connection, error) from error.__cause__
    raise AuthenticationError(f"{connection.address}: {login.mechanism} did not finish within {_MAX_ROUNDS} rounds")


async def _run(step: Callable[[], T], login: SaslLogin, deadline: Deadline) -> T:
    """Run a blocking step in a thread. Errors don't chain unexpected exceptions, which may contain secrets."""
    try:
        return await deadline.wait(in_daemon_thread(step, "kafka_nextgen login"))
    except KafkaNextgenError:
        raise
    except Exception as error:
        kind = type(error).__name__
    raise AuthenticationError(f"{login.mechanism}: this client failed to log in, with an unexpected {kind}")


def reauthentication_delay_s(session_s: float, chance: float) -> float:
    """Seconds until a login that is valid for ``session_s`` is renewed; ``chance`` is a number in [0, 1)."""
    return max(SHORTEST_RENEWAL_S, session_s * (0.85 + 0.1 * chance))


async def _handshake(connection: Connection, mechanism: str, deadline: Deadline) -> None:
    version = negotiate(SASL_HANDSHAKE.at_least(_WITH_AUTHENTICATE), connection.ranges)
    message = SaslHandshakeRequest(mechanism=mechanism)
    answer = await connection.send(SASL_HANDSHAKE, version, message, deadline, for_login=True)
    assert isinstance(answer, SaslHandshakeResponse)
    if answer.error_code == ErrorCode.UNSUPPORTED_SASL_MECHANISM:
        enabled = ", ".join(map(str, answer.mechanisms)) or "none"
        raise AuthenticationError(
            f"the broker does not enable sasl.mechanism={mechanism} on this port; it enables {enabled}"
        )
    if answer.error_code == ErrorCode.ILLEGAL_SASL_STATE:
        raise AuthenticationError("the broker does not accept logins on this port: is this a listener without SASL?")
    if answer.error_code != ErrorCode.NONE:
        raise AuthenticationError(
            f"the broker refuses to begin a login with {mechanism} ({name_of(answer.error_code)})"
        )


async def _send_token(
    connection: Connection, token: bytes, refusal: str, deadline: Deadline
) -> SaslAuthenticateResponse:
    version = negotiate(SASL_AUTHENTICATE, connection.ranges)
    message = SaslAuthenticateRequest(auth_bytes=token)
    answer = await connection.send(SASL_AUTHENTICATE, version, message, deadline, for_login=True)
    assert isinstance(answer, SaslAuthenticateResponse)
    if answer.error_code != ErrorCode.NONE:
        words = (answer.error_message or "the broker refuses the login")[:_MAX_WORDS]
        why = "" if refusal in words else f": {refusal}"  # Kafka repeats it in the error message
        raise AuthenticationError(f"{words}{why} ({name_of(answer.error_code)})")
    return answer


def _with_address(connection: Connection, error: TransportError) -> TransportError:
    where, text = str(connection.address), str(error)
    return error if text.startswith(f"{where}: ") else type(error)(f"{where}: {text}")
