"""Authentication without a socket: SCRAM step by step, sessions, and authenticating again."""

from __future__ import annotations

import pytest
from scramp import ScramClient, ScramException

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.testing.broker.security.sasl import SaslAnswer, SaslServer, SaslSettings
from kafka_nextgen.testing.broker.security.users import ITERATIONS, ScramCredential, Users

USERS = Users({"alice": "alice-secret", "bob": Secret("bob-secret")})
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


def server(session_ms: int = 0) -> SaslServer:
    return SaslServer(SaslSettings(MECHANISMS, session_ms), USERS)


def log_in(sasl: SaslServer, user: str = "alice", now: float = 0.0) -> SaslAnswer:
    assert sasl.handshake("PLAIN", 1).error is ErrorCode.NONE
    return sasl.authenticate(f"\0{user}\0{user}-secret".encode(), now)


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_scram_takes_two_steps_and_proves_both_sides(mechanism: str) -> None:
    sasl, client = server(), ScramClient([mechanism], "alice", "alice-secret")
    sasl.handshake(mechanism, 1)
    first = sasl.authenticate(client.get_client_first().encode(), 0)
    client.set_server_first(first.token.decode())
    assert sasl.user is None
    last = sasl.authenticate(client.get_client_final().encode(), 0)
    client.set_server_final(last.token.decode())  # raises if the server does not know the password
    assert sasl.user == "alice"
    assert sasl.is_done


@pytest.mark.parametrize(("user", "password"), [("alice", "a guess"), ("nobody", "alice-secret")])
def test_a_failed_proof_does_not_tell_whether_there_is_such_a_user(user: str, password: str) -> None:
    sasl, client = server(), ScramClient(["SCRAM-SHA-256"], user, password)
    sasl.handshake("SCRAM-SHA-256", 1)
    answer = sasl.authenticate(client.get_client_first().encode(), 0)
    if answer.error is ErrorCode.NONE:
        client.set_server_first(answer.token.decode())
        answer = sasl.authenticate(client.get_client_final().encode(), 0)
    assert answer.error is ErrorCode.SASL_AUTHENTICATION_FAILED
    assert answer.message == (
        "Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-256"
    )
    assert sasl.has_failed


def test_what_is_no_scram_message_is_a_failure() -> None:
    for token in (b"", b"\xff", b"n,,", b"n,,n=alice", b"p=tls-unique,,n=alice,r=x", b"n,,n=alice,r=x,y"):
        sasl = server()
        sasl.handshake("SCRAM-SHA-256", 1)
        assert sasl.authenticate(token, 0).error is ErrorCode.SASL_AUTHENTICATION_FAILED, token


def test_a_proof_is_good_for_one_exchange_only() -> None:
    client = ScramClient(["SCRAM-SHA-256"], "alice", "alice-secret")
    sasl, again = server(), server()
    first = client.get_client_first().encode()
    for each in (sasl, again):
        each.handshake("SCRAM-SHA-256", 1)
    client.set_server_first(sasl.authenticate(first, 0).token.decode())
    again.authenticate(first, 0)
    proof = client.get_client_final().encode()
    assert sasl.authenticate(proof, 0).error is ErrorCode.NONE
    assert again.authenticate(proof, 0).error is ErrorCode.SASL_AUTHENTICATION_FAILED


def test_a_session_without_an_end_lasts() -> None:
    sasl = server()
    assert log_in(sasl).session_ms == 0
    assert not sasl.is_over(1e9)
    assert not sasl.takes_handshake()


def test_a_session_ends_unless_its_user_logs_in_again() -> None:
    sasl = server(session_ms=5_000)
    assert log_in(sasl, now=100).session_ms == 5_000
    assert not sasl.is_over(105)
    assert sasl.is_over(105.1)
    assert log_in(sasl, now=106).error is ErrorCode.NONE
    assert not sasl.is_over(111)


def test_nobody_becomes_somebody_else_by_logging_in_again() -> None:
    sasl = server(session_ms=5_000)
    log_in(sasl)
    answer = log_in(sasl, "bob", now=1)
    assert answer.error is ErrorCode.SASL_AUTHENTICATION_FAILED
    assert answer.message == "Cannot change principals during re-authentication from User.alice: User.bob"


def test_nor_is_the_mechanism_changed_which_the_first_token_learns() -> None:
    sasl = server(session_ms=5_000)
    log_in(sasl)
    assert sasl.handshake("SCRAM-SHA-256", 1).error is ErrorCode.NONE
    assert (
        "is not supported for re-authentication of mechanism 'PLAIN'" in sasl.authenticate(b"n,,n=alice,r=x", 1).message
    )


def test_a_secret_shows_itself_to_nobody() -> None:
    secret = Secret("hunter2")
    assert f"{secret} {secret!r} {[secret]}" == "*** *** [***]"
    assert secret == Secret(secret.reveal()) != Secret("hunter3")


def test_passwords_are_not_kept() -> None:
    assert "alice-secret" not in str(vars(Users({"alice": "alice-secret"})))
    credential = ScramCredential.of_password("SCRAM-SHA-256", Secret("alice-secret"))
    assert repr(credential) == f"ScramCredential(iterations={ITERATIONS})"
    assert ScramCredential.of_password("SCRAM-SHA-256", Secret("alice-secret")) != credential  # another salt


def test_a_password_that_scram_has_no_form_for_is_refused_without_showing_it() -> None:
    with pytest.raises(ConfigError, match="a password can't be used") as refused:
        Users({"alice": "hunter2\u0000"})
    assert "hunter2" not in str(refused.value)


def test_the_client_checks_the_server_too() -> None:
    sasl, client = server(), ScramClient(["SCRAM-SHA-256"], "alice", "alice-secret")
    sasl.handshake("SCRAM-SHA-256", 1)
    client.set_server_first(sasl.authenticate(client.get_client_first().encode(), 0).token.decode())
    sasl.authenticate(client.get_client_final().encode(), 0)
    with pytest.raises(ScramException):
        client.set_server_final("v=" + "A" * 43 + "=")
