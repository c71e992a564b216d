"""SCRAM: the example of RFC 7677, another implementation's server, and servers that cheat."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scramp import ScramMechanism

from kafka_nextgen.errors import AuthenticationError
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.transport.security.scram import MAX_ITERATIONS, SCRAM_HASHES, ScramClient

NONCE = "rOprNGfwEbeRWgbNEkqO"
THEIRS = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
SALT = "W22ZaJ0SNY7soEsUEjb6gQ=="
SIGNATURE = "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
FIRST = f"r={NONCE}{THEIRS},s={SALT},i=4096"


def client() -> ScramClient:
    begun = ScramClient("SCRAM-SHA-256", "user", Secret("pencil"), NONCE)
    begun.initial_response()
    return begun


def test_the_example_of_rfc_7677_comes_out() -> None:
    ours = ScramClient("SCRAM-SHA-256", "user", Secret("pencil"), NONCE)
    assert ours.initial_response() == f"n,,n=user,r={NONCE}".encode()
    proof = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    assert ours.evaluate_challenge(FIRST.encode()) == f"c=biws,r={NONCE}{THEIRS},p={proof}".encode()
    assert ours.evaluate_challenge(f"v={SIGNATURE}".encode()) is None


@pytest.mark.parametrize("mechanism", SCRAM_HASHES)
@pytest.mark.parametrize("user", ["alice", "a,b=c", "=2C", "J\u00fcrgen"])
def test_the_server_of_scramp_believes_us_and_we_it(mechanism: str, user: str) -> None:
    theirs = ScramMechanism(mechanism)
    known = theirs.make_auth_info("pass,word=", iteration_count=4096)
    server = theirs.make_server(lambda name: known if name == user else None)
    ours = ScramClient(mechanism, user, Secret("pass,word="), NONCE)
    server.set_client_first(ours.initial_response().decode())
    final = ours.evaluate_challenge(server.get_server_first().encode())
    assert final is not None
    server.set_client_final(final.decode())
    assert ours.evaluate_challenge(server.get_server_final().encode()) is None


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ("", "nonce"),
        ("hello", "nonce"),
        (f"r={NONCE},s={SALT},i=4096", "nonce does not continue ours"),
        (f"r=another{NONCE},s={SALT},i=4096", "nonce does not continue ours"),
        (f"r={NONCE}{THEIRS},s={SALT},i=4095", "asks for 4095 iterations"),
        (f"r={NONCE}{THEIRS},s={SALT},i=1", "asks for 1 iterations"),
        (f"r={NONCE}{THEIRS},s={SALT},i={MAX_ITERATIONS + 1}", "asks for 1000001 iterations"),
        (f"r={NONCE}{THEIRS},s={SALT},i=1000000000", "not a number, or too many"),
        (f"r={NONCE}{THEIRS},s={SALT},i={'9' * 100_000}", "not a number, or too many"),
        (f"r={NONCE}{THEIRS},s={SALT},i=-4096", "not a number, or too many"),
        (f"r={NONCE}{THEIRS},s={SALT},i=\u0664096", "not a number, or too many"),
        (f"r={NONCE}{THEIRS},s={SALT}", "not a number, or too many"),
        (f"r={NONCE}{THEIRS},s=,i=4096", "base 64"),
        (f"r={NONCE}{THEIRS},s=!,i=4096", "base 64"),
        (f"r={NONCE}{THEIRS},s={SALT},s={SALT},i=4096", "is not SCRAM"),
        (f"m=what,r={NONCE}{THEIRS},s={SALT},i=4096", "is not SCRAM"),
        ("e=other-error", "ends the login with an error: 'other-error'"),
    ],
)
def test_a_server_that_cheats_at_the_beginning_gets_no_proof(says: str, why: str) -> None:
    with pytest.raises(AuthenticationError, match=why):
        client().evaluate_challenge(says.encode())


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ("", "base 64"),
        ("v=", "base 64"),
        ("v=AAAA", "does not prove that it knows this user's password"),
        (f"v={SIGNATURE[:-4]}AAA=", "does not prove that it knows this user's password"),
        (f"v={SIGNATURE},v={SIGNATURE}", "is not SCRAM"),
        ("e=invalid-proof", "ends the login with an error: 'invalid-proof'"),
    ],
)
def test_a_server_that_does_not_know_the_password_is_not_believed(says: str, why: str) -> None:
    begun = client()
    begun.evaluate_challenge(FIRST.encode())
    with pytest.raises(AuthenticationError, match=why):
        begun.evaluate_challenge(says.encode())


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(AuthenticationError, match="not UTF-8"):
        client().evaluate_challenge(b"\xff\xfe")


@given(st.binary(max_size=200), st.text(max_size=50))
def test_nothing_but_the_right_answers_gets_through(token: bytes, text: str) -> None:
    for said in (token, text.encode("utf-8", "replace"), f"{FIRST},{text}".encode("utf-8", "replace")[: len(token)]):
        with pytest.raises(AuthenticationError):
            client().evaluate_challenge(said)


def test_a_password_is_taken_as_it_is_and_kafka_does_that_too() -> None:
    first = [ScramClient("SCRAM-SHA-256", "user", Secret(word), NONCE) for word in ("\ufb01", "fi", "\U0001f511")]
    assert len({each.evaluate_challenge(FIRST.encode()) for each in first}) == 3
