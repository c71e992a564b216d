"""Scripts for a broker with SASL: valid logins as the embedded broker does them, and others."""

from __future__ import annotations

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.testing.broker.security.sasl import SaslAnswer, SaslServer, SaslSettings
from kafka_nextgen.testing.broker.security.users import Users
from kafka_nextgen.transport.security.settings import Security, security_of
from kafka_nextgen.wire.apis import SASL_AUTHENTICATE, SASL_HANDSHAKE
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import SaslAuthenticateResponse, SaslHandshakeResponse
from tests.transport.scripted import ScriptedBroker

PASSWORD = "a-g00d-one"
ALL = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


def security(mechanism: str = "SCRAM-SHA-256", password: object = PASSWORD, **more: object) -> Security:
    """The security settings of a client of such a broker."""
    login = {} if mechanism == "OAUTHBEARER" else {"sasl.username": "alice", "sasl.password": password}
    protocol = {"bootstrap.servers": "localhost:9092", "security.protocol": "SASL_PLAINTEXT"}
    return security_of(ConsumerConfig.parse({**protocol, **login, "sasl.mechanism": mechanism}, **more))


def handshaken(error: int = 0, mechanisms: tuple[str, ...] = ALL) -> SaslHandshakeResponse:
    return SaslHandshakeResponse(error_code=error, mechanisms=list(mechanisms))


def told(answer: SaslAnswer) -> SaslAuthenticateResponse:
    return SaslAuthenticateResponse(
        error_code=answer.error,
        error_message=answer.message or None,
        auth_bytes=answer.token,
        session_lifetime_ms=answer.session_ms,
    )


def asks_for_login(broker: ScriptedBroker, session_ms: int = 0) -> SaslServer:
    """Have a broker accept the login of alice on one connection."""
    server = SaslServer(SaslSettings(ALL, session_ms), Users({"alice": PASSWORD}))

    def handshake(request: RequestFrame) -> SaslHandshakeResponse:
        answer = server.handshake(request.message.mechanism, request.version)
        return handshaken(answer.error)

    broker.script[SASL_HANDSHAKE] = handshake
    broker.script[SASL_AUTHENTICATE] = lambda request: told(server.authenticate(bytes(request.message.auth_bytes), 0.0))
    return server


def says(broker: ScriptedBroker, *tokens: bytes) -> None:
    """Have a broker answer a login with these tokens, the last one repeatedly."""
    left = list(tokens)
    broker.script[SASL_HANDSHAKE] = lambda request: handshaken()
    broker.script[SASL_AUTHENTICATE] = lambda request: told(SaslAnswer(token=left.pop(0) if len(left) > 1 else left[0]))
