"""What becomes of clients that log in, and of those that try to do without: the same questions to any broker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import ApiVersionsRequest
from tests.testing.broker.client import Client
from tests.testing.broker.security.logging_in import authenticate, handshake, log_in, plain_token, send_bare

USER, PASSWORD = "alice", "alice-secret"
HUNG_UP = "hung up"

VERSIONS = ApiVersionsRequest(client_software_name="tests", client_software_version="1")


def outcome(servers: str, what: str) -> object:
    """What becomes of one kind of client."""
    ask, _ = CLIENTS[what]
    with Client(servers) as client:
        try:
            return ask(client)
        except ConnectionError:
            return HUNG_UP


def _handshaken(answer: Any) -> object:
    return answer.error_code, sorted(answer.mechanisms)


def _authenticated(answer: Any) -> object:
    return answer.error_code, answer.error_message, bytes(answer.auth_bytes), answer.session_lifetime_ms


def _with_token(token: bytes, *, is_hung_up: bool = True) -> Callable[[Client], object]:
    def ask(client: Client) -> object:
        handshake(client, "PLAIN")
        return _authenticated(authenticate(client, token)), is_hung_up and client.is_hung_up()

    return ask


def _bad_mechanism(client: Client) -> object:
    return _handshaken(handshake(client, "GSSAPI")), client.is_hung_up()


def _handshake_again(client: Client) -> object:
    log_in(client, USER, PASSWORD)
    return handshake(client, "PLAIN").error_code


def _authenticate_again(client: Client) -> object:
    log_in(client, USER, PASSWORD)
    answer = authenticate(client, plain_token(USER, PASSWORD))
    return answer.error_code, answer.error_message


def _handshake_twice(client: Client) -> object:
    handshake(client, "PLAIN")
    return _handshaken(handshake(client, "PLAIN")), client.is_hung_up()


def _versions_twice(client: Client) -> object:
    client.ask(apis.API_VERSIONS, VERSIONS)
    return client.ask(apis.API_VERSIONS, VERSIONS).error_code


def _versions_then_log_in(client: Client) -> object:
    client.ask(apis.API_VERSIONS, VERSIONS)
    return _authenticated(log_in(client, USER, PASSWORD))


def _with_bare_token(password: str) -> Callable[[Client], object]:
    def ask(client: Client) -> object:
        handshake(client, "PLAIN", version=0)
        send_bare(client, plain_token(USER, password))
        return client.receive_frame(), client.ask(apis.API_VERSIONS, VERSIONS).error_code

    return ask


def _refused(message: str) -> object:
    return (ErrorCode.SASL_AUTHENTICATION_FAILED, message, b"", 0), True


_LET_IN = (ErrorCode.NONE, "", b"", 0)
_ILLEGAL = ErrorCode.ILLEGAL_SASL_STATE

#: Each kind of client, and what becomes of it.
CLIENTS: Mapping[str, tuple[Callable[[Client], object], object]] = {
    "the right password": (lambda client: _authenticated(log_in(client, USER, PASSWORD)), _LET_IN),
    "acting for oneself": (
        _with_token(plain_token(USER, PASSWORD, acting_for=USER), is_hung_up=False),
        (_LET_IN, False),
    ),
    "versions first": (_versions_then_log_in, _LET_IN),
    "tokens without a header": (_with_bare_token(PASSWORD), (b"", ErrorCode.NONE)),
    "a bad token without a header": (_with_bare_token("a guess"), HUNG_UP),
    "a wrong password": (
        _with_token(plain_token(USER, "a guess")),
        _refused("Authentication failed: Invalid username or password"),
    ),
    "nobody": (
        _with_token(plain_token("nobody", PASSWORD)),
        _refused("Authentication failed: Invalid username or password"),
    ),
    "no name": (_with_token(plain_token("", PASSWORD)), _refused("Authentication failed: username not specified")),
    "no password": (_with_token(plain_token(USER, "")), _refused("Authentication failed: password not specified")),
    "acting for another": (
        _with_token(plain_token(USER, PASSWORD, acting_for="root")),
        _refused("Authentication failed: Client requested an authorization id that is different from username"),
    ),
    "too few parts": (
        _with_token(b"alice\0alice-secret"),
        _refused("Invalid SASL/PLAIN response: expected 3 tokens, got 2"),
    ),
    "a mechanism that is not spoken": (_bad_mechanism, ((ErrorCode.UNSUPPORTED_SASL_MECHANISM, ["PLAIN"]), True)),
    "a handshake when logged in": (_handshake_again, _ILLEGAL),
    "a token when logged in": (
        _authenticate_again,
        (_ILLEGAL, "SaslAuthenticate request received after successful authentication"),
    ),
    "two handshakes": (_handshake_twice, ((_ILLEGAL, []), True)),
    "a token without a handshake": (
        lambda client: authenticate(client, plain_token(USER, PASSWORD)).error_code,
        HUNG_UP,
    ),
    "versions twice": (_versions_twice, HUNG_UP),
    "a request of those who have not logged in": (lambda client: client.ask(apis.METADATA), HUNG_UP),
}
