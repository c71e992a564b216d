"""The login of a configuration: the initial response of each mechanism, and what is refused."""

from __future__ import annotations

import sys

import pytest

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.transport.security.login import login_of
from kafka_nextgen.transport.security.settings import SaslLogin, security_of
from tests.support.scripted_gssapi import scripted_gssapi

SERVERS = {"bootstrap.servers": "localhost:9092", "security.protocol": "SASL_SSL"}
ALICE = {"sasl_username": "alice", "sasl_password": "s3cret"}
GSSAPI = {"sasl_mechanism": "GSSAPI", "sasl_kerberos_service_name": "kafka"}


def a_login(**more: object) -> SaslLogin:
    return login_of(ConsumerConfig.parse(SERVERS, **more))


@pytest.mark.parametrize(
    ("config", "first"),
    [
        ({"sasl_mechanism": "PLAIN", **ALICE}, b"\0alice\0s3cret"),
        ({"sasl_mechanism": "SCRAM-SHA-512", **ALICE}, b"n,,n=alice,r="),
        ({"sasl_mechanism": "OAUTHBEARER", "oauth_cb": lambda config: "abc"}, b"n,,\x01auth=Bearer abc\x01\x01"),
        (GSSAPI, b"ticket for kafka@broker"),
    ],
)
def test_each_mechanism_has_its_client(
    config: dict[str, object], first: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gssapi", scripted_gssapi())
    login = a_login(**config)
    assert login.mechanism == config["sasl_mechanism"]
    assert login.new_client("broker").initial_response().startswith(first)
    assert "s3cret" not in repr(login)


def test_without_a_mechanism_there_is_no_login() -> None:
    assert security_of(ConsumerConfig.parse({"bootstrap.servers": "localhost:9092"})).login is None


def test_a_renewed_login_shows_the_token_that_is_good_then() -> None:
    tokens = iter(["one", "two"])
    login = a_login(sasl_mechanism="OAUTHBEARER", oauth_cb=lambda config: next(tokens))
    assert [login.new_client("broker").initial_response() for _ in range(2)] == [
        b"n,,\x01auth=Bearer one\x01\x01",
        b"n,,\x01auth=Bearer two\x01\x01",
    ]


@pytest.mark.parametrize("key", ["sasl.username", "sasl.password"])
def test_plain_takes_no_nul_which_would_end_the_name(key: str) -> None:
    with pytest.raises(ConfigError, match="has a NUL, which") as caught:
        a_login(sasl_mechanism="PLAIN", **{**ALICE, key.replace(".", "_"): "b0b\0admin"})
    assert caught.value.key == key
    assert "b0b" not in str(caught.value)


@pytest.mark.parametrize("service", ["kafka/broker", "kafka@EXAMPLE.COM"])
def test_gssapi_takes_the_first_part_of_a_principal_only(service: str) -> None:
    with pytest.raises(ConfigError, match="only the first part of the brokers' principals") as caught:
        a_login(**{**GSSAPI, "sasl_kerberos_service_name": service})
    assert caught.value.key == "sasl.kerberos.service.name"


def test_gssapi_without_its_package_is_refused_when_a_client_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gssapi", None)
    with pytest.raises(ConfigError, match=r"needs the gssapi package, .*: pip install 'kafka-nextgen\[gssapi\]'"):
        a_login(**GSSAPI)


def test_gssapi_without_the_systems_kerberos_is_refused_in_the_words_of_its_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> object:
        raise OSError("Could not find KfW installation")

    monkeypatch.setattr("kafka_nextgen.transport.security.login.import_module", missing)
    with pytest.raises(ConfigError, match="Could not find KfW installation"):
        a_login(**GSSAPI)
