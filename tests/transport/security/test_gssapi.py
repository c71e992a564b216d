"""GSSAPI: the tokens compared with kafka-python's, and brokers that cheat. Kerberos is scripted."""

from __future__ import annotations

import sys

import pytest
from kafka.net.sasl.gssapi import SaslMechanismGSSAPI

from kafka_nextgen.errors import AuthenticationError, OutageError
from kafka_nextgen.transport.security.gssapi import GssapiClient
from tests.support.scripted_gssapi import PROOF, WRAPPED, GSSError, scripted_gssapi

OFFER = WRAPPED + bytes([1, 1, 0, 0])  # Java's servers: no layer but a length


def client(**methods: object) -> GssapiClient:
    return GssapiClient(scripted_gssapi(**methods), "kafka", "broker.example.com")


def at_the_offer(**methods: object) -> GssapiClient:
    """A client after the broker proved its identity."""
    ours = client(**methods)
    ours.initial_response()
    ours.evaluate_challenge(PROOF)
    return ours


def test_it_shows_a_ticket_and_agrees_on_no_layer() -> None:
    ours = client()
    assert ours.initial_response() == b"ticket for kafka@broker.example.com"
    assert ours.evaluate_challenge(PROOF) == b""
    assert ours.evaluate_challenge(OFFER) == WRAPPED + bytes([1, 0, 0, 0])
    assert ours.evaluate_challenge(b"") is None


def test_kafka_python_says_the_same_but_for_a_length_and_an_identity_that_kafka_ignores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "gssapi", scripted_gssapi())
    peer = SaslMechanismGSSAPI(sasl_kerberos_service_name="kafka", host="broker.example.com")
    ours = client()
    assert ours.initial_response() == peer.auth_bytes()
    peer.receive(PROOF)
    assert ours.evaluate_challenge(PROOF) == peer.auth_bytes()
    peer.receive(OFFER)
    assert peer.auth_bytes() == OFFER + b"kafka@broker.example.com"
    assert ours.evaluate_challenge(OFFER) == WRAPPED + bytes([1, 0, 0, 0])


def test_of_several_layers_it_takes_none_and_a_broker_that_insists_on_one_is_refused() -> None:
    for layers in (1, 3, 5, 7, 255):
        assert at_the_offer().evaluate_challenge(WRAPPED + bytes([layers, 0, 16, 0])) == WRAPPED + bytes([1, 0, 0, 0])
    for layers in (0, 2, 4, 6, 254):
        with pytest.raises(AuthenticationError, match="requires a SASL security layer: use TLS"):
            at_the_offer().evaluate_challenge(WRAPPED + bytes([layers, 0, 16, 0]))
    for offer in (b"", b"\x01", b"\x01\0\0\0\0"):
        with pytest.raises(AuthenticationError, match=f"has {len(offer)} bytes, not 4"):
            at_the_offer().evaluate_challenge(WRAPPED + offer)


def test_a_broker_that_did_not_prove_who_it_is_is_refused() -> None:
    ours = at_the_offer()
    ours._context.actual_flags = set()
    with pytest.raises(AuthenticationError, match="did not prove that it has the service's key"):
        ours.evaluate_challenge(OFFER)


def test_a_broker_that_lets_in_too_early_or_goes_on_is_refused() -> None:
    ours = client()
    ours.initial_response()
    for early in (ours, at_the_offer()):  # before it proved anything, without an offer
        with pytest.raises(AuthenticationError, match="sent no token before the login was over"):
            early.evaluate_challenge(b"")
    ours = at_the_offer()
    ours.evaluate_challenge(OFFER)
    with pytest.raises(AuthenticationError, match="sent a token after the login was over"):
        ours.evaluate_challenge(OFFER)


def test_what_is_no_token_of_kerberos_is_the_brokers_fault() -> None:
    ours = client()
    ours.initial_response()
    with pytest.raises(AuthenticationError, match="the broker's token is not valid: Invalid token was supplied"):
        ours.evaluate_challenge(b"what is no token")
    with pytest.raises(AuthenticationError, match="the broker's token is not valid: A token had an invalid MIC"):
        at_the_offer().evaluate_challenge(b"what is not wrapped")


def complains(*_: object) -> bytes:
    raise GSSError("No Kerberos credentials available")


@pytest.mark.parametrize("method", ["step", "unwrap", "wrap", "complete"])
def test_what_else_kerberos_complains_of_is_weather_and_told_in_its_words(method: str) -> None:
    with pytest.raises(OutageError, match="failed on this side: No Kerberos credentials available") as caught:
        at_the_offer(**{method: property(complains) if method == "complete" else complains}).evaluate_challenge(OFFER)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
