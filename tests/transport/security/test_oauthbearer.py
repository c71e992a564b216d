"""OAUTHBEARER: the message of RFC 7628 and kafka-python, what can't be sent, and brokers that refuse."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from kafka.net.sasl.oauth import AbstractTokenProvider, SaslMechanismOAuth

from kafka_nextgen.errors import AuthenticationError
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.transport.security.oauthbearer import OauthBearerClient, Token
from tests.support.chains import assert_nowhere_in_the_chain

REFUSAL = b'{"status":"invalid_token", "scope":"kafka"}'


class _Provider(AbstractTokenProvider):
    def __init__(self, text: str, extensions: Mapping[str, str]) -> None:
        self._text = text
        self._extensions = extensions

    def token(self) -> str:
        return self._text

    def extensions(self) -> Mapping[str, str]:
        return self._extensions


def client(text: str = "aaa.bbb.ccc", **extensions: str) -> OauthBearerClient:
    return OauthBearerClient(Token(Secret(text), None, extensions))


def test_the_example_of_rfc_7628_comes_out_but_for_its_identity_host_and_port() -> None:
    text = "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg=="
    assert client(text).initial_response() == b"n,,\x01auth=Bearer " + text.encode() + b"\x01\x01"


@pytest.mark.parametrize("text", ["a", "aaa.bbb.", "A-Z_0~9+/.=="])
@pytest.mark.parametrize(
    "extensions", [{}, {"logicalCluster": "lkc-1"}, {"a": "1 2\t\r\n", "B": "=,{}~!", "Auth": "x"}]
)
def test_it_is_kafka_pythons_message(text: str, extensions: Mapping[str, str]) -> None:
    peer = SaslMechanismOAuth(sasl_oauth_token_provider=_Provider(text, extensions))
    assert client(text, **extensions).initial_response() == peer.auth_bytes()
    ours = client(text, **extensions)
    peer.receive(REFUSAL)
    assert ours.evaluate_challenge(REFUSAL) == peer.auth_bytes() == b"\x01"


def test_a_broker_that_lets_in_has_nothing_to_say() -> None:
    ours = client()
    ours.initial_response()
    assert ours.evaluate_challenge(b"") is None
    assert ours.refusal == ""


@pytest.mark.parametrize(
    "text",
    ["s3cret\x01auth=Bearer other", "s3cret\n", "Bearer s3cret", "s3cret,a", "=s3cret", "s3=cret", "s3cr\u00e9t", ""],
)
def test_a_token_that_is_none_is_not_sent_and_not_shown(text: str) -> None:
    with pytest.raises(AuthenticationError, match="the token can't be sent: ") as caught:
        client(text).initial_response()
    if text:
        assert_nowhere_in_the_chain(text, caught.value)
    assert_nowhere_in_the_chain("s3cr", caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("auth", "Bearer other"),
        ("", "s3cret"),
        ("a1", "s3cret"),
        ("a\x01auth", "s3cret"),
        ("a=b", "s3cret"),
        ("a\n", "s3cret"),
        ("\u00e4", "s3cret"),
        ("a", ""),
        ("a", "s3cret\x01auth=Bearer other"),
        ("a", "s3cr\u00e9t"),
        ("a", "s3cret\x7f"),
        ("a", "s3cret\0"),
    ],
)
def test_an_extension_that_is_none_is_not_sent_and_its_value_not_shown(name: str, value: str) -> None:
    with pytest.raises(AuthenticationError, match=r"the extension .* can't be sent") as caught:
        client(fine="yes", **{name: value}).initial_response()
    assert_nowhere_in_the_chain("s3cr", caught.value)


@pytest.mark.parametrize("then", [b"", b"more"])
def test_a_broker_that_refused_can_not_let_in_after_all(then: bytes) -> None:
    ours = client()
    ours.initial_response()
    ours.evaluate_challenge(REFUSAL)
    assert ours.refusal == REFUSAL.decode()
    with pytest.raises(AuthenticationError, match="the broker refuses the token: ") as caught:
        ours.evaluate_challenge(then)
    assert REFUSAL.decode() in str(caught.value)


@pytest.mark.parametrize(("says", "shown"), [(b"\xff\x1b[2J", "\ufffd\\x1b[2J"), (b"x" * 100_000, "x" * 500)])
def test_a_refusal_may_be_any_bytes_and_is_shown_short_and_harmless(says: bytes, shown: str) -> None:
    ours = client()
    ours.initial_response()
    assert ours.evaluate_challenge(says) == b"\x01"
    with pytest.raises(AuthenticationError) as caught:
        ours.evaluate_challenge(b"")
    assert str(caught.value) == f"OAUTHBEARER: the broker refuses the token: {shown}"
