"""kafka-python's mechanisms, as logins of ours; GSSAPI with a stand-in for Kerberos, which has no server here."""

from __future__ import annotations

import sys
import types

import pytest
from attrs import define, field

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import AuthenticationError, ConfigError, TransportError
from kafka_nextgen.transport.security.exchanges import Login, MechanismExchange
from kafka_nextgen.transport.security.login import login_of
from tests.support.chains import assert_nowhere_in_the_chain

SERVERS = {"bootstrap.servers": "localhost:9092", "security.protocol": "SASL_SSL"}


def a_login(**more: object) -> Login:
    login = login_of(ConsumerConfig.parse(SERVERS, **more))
    assert login is not None
    return login


def test_plain_shows_name_and_password_once() -> None:
    login = a_login(sasl_mechanism="PLAIN", sasl_username="alice", sasl_password="secret")
    exchange = login.begin("broker")
    assert exchange.first() == b"alice\0alice\0secret"
    assert exchange.reply(b"") is None
    assert "secret" not in repr(login)


def test_plain_has_nothing_more_to_say() -> None:
    exchange = a_login(sasl_mechanism="PLAIN", sasl_username="alice", sasl_password="secret").begin("broker")
    exchange.first()
    with pytest.raises(AuthenticationError, match="the broker ended the login as it may not"):
        exchange.reply(b"and your other password?")


def test_oauthbearer_shows_a_token_and_its_extensions() -> None:
    given = ("token", 2e9, "alice", {"logicalCluster": "lkc-1"})
    exchange = a_login(sasl_mechanism="OAUTHBEARER", oauth_cb=lambda config: given).begin("broker")
    assert exchange.first() == b"n,,\x01auth=Bearer token\x01logicalCluster=lkc-1\x01\x01"
    assert exchange.reply(b"") is None


def test_oauthbearer_has_the_broker_say_why_it_refuses() -> None:
    exchange = a_login(sasl_mechanism="OAUTHBEARER", oauth_cb=lambda config: "token").begin("broker")
    exchange.first()
    assert exchange.reply(b'{"status":"invalid_token"}') == b"\x01"


def test_what_a_broker_must_not_say_is_not_repeated() -> None:
    exchange = a_login(sasl_mechanism="OAUTHBEARER", oauth_cb=lambda config: "token").begin("broker")
    exchange.first()
    with pytest.raises(AuthenticationError, match=r"has no place in a login \(UnicodeDecodeError\)"):
        exchange.reply(b"\xff")


def test_a_mechanism_that_fails_on_this_side_does_not_blame_the_broker_nor_show_what_failed() -> None:
    def auth_bytes() -> bytes:
        raise ValueError("alice's s3cret can't be sent")

    exchange = MechanismExchange("PLAIN", types.SimpleNamespace(auth_bytes=auth_bytes))
    with pytest.raises(AuthenticationError, match=r"this client can't make a token .* \(ValueError\)") as caught:
        exchange.first()
    assert_nowhere_in_the_chain("s3cret", caught.value)


@define
class Context:
    """A security context as the package gssapi has them: two rounds, then wrapped messages settle the layers."""

    name: object
    usage: str
    complete: bool = False
    heard: list[bytes | None] = field(factory=list)

    def step(self, token: bytes | None) -> bytes | None:
        self.heard.append(token)
        self.complete = token is not None
        return b"ticket" if token is None else None

    def unwrap(self, token: bytes) -> types.SimpleNamespace:
        if not token.startswith(b"wrapped:"):
            raise RuntimeError("no credentials were supplied")
        return types.SimpleNamespace(message=token.removeprefix(b"wrapped:"))

    def wrap(self, message: bytes, encrypt: bool) -> types.SimpleNamespace:
        return types.SimpleNamespace(message=b"wrapped:" + message)


class Name:
    def __init__(self, text: str, name_type: object) -> None:
        self.text = text

    def canonicalize(self, mechanism: object) -> Name:
        return self


@pytest.fixture
def kerberos(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("gssapi")
    kinds = {"NameType": types.SimpleNamespace(hostbased_service=1), "MechType": types.SimpleNamespace(kerberos=2)}
    vars(module).update(kinds, Name=Name, SecurityContext=Context)
    monkeypatch.setitem(sys.modules, "gssapi", module)


GSSAPI = {"sasl_mechanism": "GSSAPI", "sasl_kerberos_service_name": "kafka"}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Kerberos is another package there")


def test_gssapi_shows_a_ticket_and_settles_for_no_layer(kerberos: None) -> None:
    exchange = a_login(**GSSAPI).begin("broker.example.com")
    assert exchange.first() == b"ticket"
    assert exchange.reply(b"theirs") == b""
    offered = b"wrapped:\x07\x00\x10\x00"
    assert exchange.reply(offered) == b"wrapped:\x01\x00\x10\x00kafka@broker.example.com"
    assert exchange.reply(b"") is None


def test_what_kerberos_complains_of_is_weather(kerberos: None) -> None:
    exchange = a_login(**GSSAPI).begin("broker.example.com")
    exchange.first()
    exchange.reply(b"theirs")
    with pytest.raises(TransportError, match="no credentials were supplied") as caught:
        exchange.reply(b"what is not wrapped")
    assert not isinstance(caught.value, AuthenticationError)


def test_gssapi_without_its_package_is_refused_when_a_client_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gssapi", None)
    with pytest.raises(ConfigError, match="needs the package gssapi"):
        a_login(**GSSAPI)
