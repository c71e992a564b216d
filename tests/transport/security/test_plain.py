"""PLAIN: the token compared with kafka-python's, and brokers that go on."""

from __future__ import annotations

import pytest
from kafka.net.sasl.plain import SaslMechanismPlain

from kafka_nextgen.errors import AuthenticationError
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.testing.broker.security.mechanisms import PlainExchange as Server
from kafka_nextgen.testing.broker.security.users import Users
from kafka_nextgen.transport.security.plain import PlainClient
from tests.support.chains import assert_nowhere_in_the_chain

NAMES = ["alice", "billing,eu=1", "J\u00fcrgen", " \x01\U0001f511"]


@pytest.mark.parametrize("user", NAMES)
def test_it_is_kafka_pythons_token_but_for_the_identity_which_is_left_to_the_broker(user: str) -> None:
    peer = SaslMechanismPlain(sasl_plain_username=user, sasl_plain_password="s3cret,\u00e4")
    assert user.encode() + PlainClient(user, Secret("s3cret,\u00e4")).initial_response() == peer.auth_bytes()


@pytest.mark.parametrize("user", NAMES)
def test_a_broker_derives_the_user_from_it(user: str) -> None:
    server, ours = Server(Users({user: "s3cret"})), PlainClient(user, Secret("s3cret"))
    assert ours.evaluate_challenge(server.answer(ours.initial_response())) is None
    assert server.user == user


def test_a_broker_that_goes_on_hears_nothing_more() -> None:
    client = PlainClient("alice", Secret("s3cret"))
    client.initial_response()
    with pytest.raises(AuthenticationError, match="sent a token after the login was over") as caught:
        client.evaluate_challenge(b"and your other password?")
    assert_nowhere_in_the_chain("s3cret", caught.value)
