"""The keys about TLS and SASL: which go together, which are refused beside each other, and what is never shown."""

from __future__ import annotations

import pickle
import ssl

import pytest

from kafka_nextgen.config import KEYS, ConsumerConfig
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.properties.security_config import SaslMechanism
from kafka_nextgen.properties.value_types import SecurityProtocol
from kafka_nextgen.transport.security.tls import client_context
from tests.support.chains import assert_nowhere_in_the_chain

SERVERS = {"bootstrap.servers": "localhost:9092"}
SASL = {"security.protocol": "SASL_SSL"}
TLS = {"security.protocol": "SSL"}
OWN_NAME, NO_NAMES = "ssl.certificate.location", "ssl.endpoint.identification.algorithm"
USER = {"sasl.username": "alice", "sasl.password": "s3cret"}
OAUTH = {"sasl.mechanism": "OAUTHBEARER"}
OIDC = {
    **OAUTH,
    "sasl.oauthbearer.method": "oidc",
    "sasl.oauthbearer.client.id": "client",
    "sasl.oauthbearer.client.secret": "s3cret",
    "sasl.oauthbearer.token.endpoint.url": "https://provider.example.com/token",
}


def parsed(*parts: dict[str, object], **more: object) -> ConsumerConfig:
    return ConsumerConfig.parse({key: value for part in (SERVERS, *parts) for key, value in part.items()}, **more)


def refusal(*parts: dict[str, object]) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parsed(*parts)
    assert "s3cret" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("protocol", SecurityProtocol)
def test_a_protocol_may_be_in_any_case(protocol: SecurityProtocol) -> None:
    login = {"sasl.mechanism": "PLAIN", **USER} if protocol.uses_sasl else {}
    assert parsed({"security.protocol": protocol.value.lower()}, login).security_protocol is protocol


@pytest.mark.parametrize("key", ["sasl.password", "ssl.key.password", "sasl.oauthbearer.client.secret"])
def test_a_secret_that_can_not_be_sent_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ConfigError, match="lone surrogate") as caught:
        parsed({key: "s3cret\udce9"})
    assert caught.value.key == key
    assert_nowhere_in_the_chain("s3cret", caught.value)
    with pytest.raises(ValueError, match="lone surrogate") as of_secret:
        Secret("s3cret\udce9")
    assert_nowhere_in_the_chain("s3cret", of_secret.value)


@pytest.mark.parametrize("key", ["sasl.username", "client.id", "group.id", "ssl.ca.pem"])
def test_other_text_that_can_not_be_sent_is_refused(key: str) -> None:
    assert "lone surrogate" in str(refusal({key: "caf\udce9"}))


def test_the_name_of_a_file_need_not_be_utf_8() -> None:
    assert parsed(TLS, {"ssl.ca.location": "caf\udce9.pem"}).ssl_ca_location == "caf\udce9.pem"


@pytest.mark.parametrize(
    ("url", "wrong"),
    [
        ("http://provider.example.com", "does not begin with https://"),
        ("https:/provider.example.com/token", "host or port"),
        ("https://", "host or port"),
        ("https://:443/token", "host or port"),
        ("https://provider:port/token", "host or port"),
        ("https://provider:0/token", "host or port"),
        ("https://provider:99999/token", "host or port"),
        ("https://[::1/token", "host or port"),
        ("https://a..b/token", "host or port"),
        ("https://me:s3cret@provider/token", "a user or a password"),
        ("https://provider/to ken", "characters"),
        ("https://provider/token\r\nHost: s3cret", "characters"),
        ("https://provider/token#s3cret", "a fragment"),
        (7, "does not begin with https://"),
    ],
)
def test_a_token_endpoint_that_is_no_address_is_refused_and_not_shown(url: object, wrong: str) -> None:
    error = refusal(SASL, OIDC, {"sasl.oauthbearer.token.endpoint.url": url})
    assert error.key == "sasl.oauthbearer.token.endpoint.url"
    assert wrong in str(error)


@pytest.mark.parametrize(
    "url", ["https://provider.example.com/token", "HTTPS://provider:8443/a?b=c", "https://[::1]:8443/token"]
)
def test_an_address_of_a_token_endpoint_is_taken_as_it_is(url: str) -> None:
    config = parsed(SASL, OIDC, {"sasl.oauthbearer.token.endpoint.url": url})
    assert config.sasl_oauthbearer_token_endpoint_url == url


@pytest.mark.parametrize(
    ("written", "attribute"),
    [
        ("sasl.mechanisms", "sasl_mechanism"),
        ("ssl.truststore.location", "ssl_ca_location"),
        ("ssl.truststore.certificates", "ssl_ca_pem"),
        ("ssl.keystore.location", "ssl_certificate_location"),
    ],
)
def test_other_clients_names_are_taken(written: str, attribute: str) -> None:
    value = "PLAIN" if "sasl" in written else "something"
    config = parsed(SASL, USER, {"sasl.mechanism": "PLAIN"} if "sasl" not in written else {}, {written: value})
    assert getattr(config, attribute) in (value, SaslMechanism.PLAIN)


ALIAS_ERRORS: list[tuple[dict[str, object], str]] = [
    ({"ssl.keystore.location": "x"}, "ssl.keystore.location has no effect with security.protocol=PLAINTEXT"),
    ({"ssl_keystore_location": "x"}, "ssl_keystore_location has no effect with security.protocol=PLAINTEXT"),
    ({"ssl.truststore.location": "x"}, "ssl.truststore.location has no effect"),
    ({"sasl.mechanisms": "PLAIN"}, "sasl.mechanisms has no effect"),
    ({**SASL, "sasl.mechanisms": "PLAIN"}, "sasl.mechanisms=PLAIN needs sasl.username"),
    ({**TLS, "ssl.ca.location": "x", "ssl.truststore.certificates": "y"}, "ssl.truststore.certificates have the same"),
]


@pytest.mark.parametrize(("properties", "says"), ALIAS_ERRORS)
def test_an_error_names_a_key_as_it_was_set(properties: dict[str, object], says: str) -> None:
    error = refusal(properties)
    assert says in str(error)
    assert error.key in {*properties, "sasl.username"}


@pytest.mark.parametrize("key", ["ssl.keystore.location", "ssl.truststore.location", "ssl.truststore.certificates"])
def test_an_error_about_a_file_names_the_key_as_it_was_set(key: str) -> None:
    with pytest.raises(ConfigError, match=f"^{key}: ") as told:
        client_context(parsed(TLS, {key: "/nowhere.pem"}))
    assert told.value.key == key


def test_how_a_key_was_named_makes_no_other_configuration() -> None:
    alias, own = (parsed(TLS, {key: "x"}) for key in ("ssl.keystore.location", OWN_NAME))
    assert alias == own
    assert hash(alias) == hash(own)
    assert repr(alias) == repr(own)
    assert pickle.loads(pickle.dumps(alias)).written_name(OWN_NAME) == "ssl.keystore.location"


@pytest.mark.parametrize(
    ("parts", "key", "says"),
    [
        (({"ssl.ca.location": "x"},), "ssl.ca.location", "has no effect with security.protocol=PLAINTEXT: set SSL or"),
        ((USER,), "sasl.username", "has no effect with security.protocol=PLAINTEXT: set SASL_PLAINTEXT or SASL_SSL"),
        ((TLS, {"sasl.mechanism": "PLAIN"}, USER), "sasl.mechanism", "has no effect"),
        (({"security.protocol": "SASL_PLAINTEXT", "ssl.key.password": "s3cret"},), "ssl.key.password", "has no effect"),
        (({"enable.ssl.certificate.verification": "false"},), "enable.ssl.certificate.verification", "has no effect"),
        ((SASL,), "sasl.mechanism", "needs sasl.mechanism: PLAIN, SCRAM-SHA-256"),
        ((SASL, {"sasl.mechanism": "PLAIN"}), "sasl.username", "sasl.mechanism=PLAIN needs sasl.username"),
        ((SASL, {"sasl.mechanism": "PLAIN", "sasl.username": "a"}), "sasl.password", "needs sasl.password"),
        ((SASL, {"sasl.mechanism": "GSSAPI"}), "sasl.kerberos.service.name", "needs sasl.kerberos.service.name"),
        ((SASL, OAUTH), "oauth.cb", "needs oauth.cb"),
        ((SASL, OAUTH, USER, {"oauth.cb": str}), "sasl.password", "and sasl.oauthbearer.method=default: remove it"),
        ((SASL, OIDC, {"oauth.cb": str}), "oauth.cb", "and sasl.oauthbearer.method=oidc: remove it"),
        ((SASL, {"sasl.mechanism": "SCRAM-SHA-1"}), "sasl.mechanism", "must be PLAIN or SCRAM-SHA-256"),
        ((TLS, {"ssl.ca.location": "x", "ssl.ca.pem": "y"}), "ssl.ca.pem", "have the same meaning"),
        ((TLS, {"ssl.key.location": "x"}), "ssl.key.location", "needs ssl.certificate.location"),
        ((TLS, {"ssl.key.password": "s3cret"}), "ssl.key.password", "needs ssl.certificate.location"),
        ((TLS, {"ssl.context": ssl.create_default_context(), "ssl.ca.location": "x"}), "ssl.ca.location", "combined"),
        ((TLS, {NO_NAMES: ""}), NO_NAMES, "must be https or none"),
    ],
)
def test_keys_that_contradict_each_other_are_refused(parts: tuple[dict[str, object], ...], key: str, says: str) -> None:
    error = refusal(*parts)
    assert (error.key, says in str(error)) == (key, True), str(error)


@pytest.mark.parametrize(
    ("key", "value"),
    [("ssl.context", "default"), ("oauth.cb", "module:function"), ("sasl.password", ""), ("sasl.password", 7)],
)
def test_values_of_the_wrong_sort_are_refused(key: str, value: object) -> None:
    assert refusal(SASL, {key: value}).key == key


def test_a_secret_is_nowhere_to_be_seen() -> None:
    for config in (
        parsed(SASL, USER, {"sasl.mechanism": "PLAIN"}),
        parsed(SASL, OIDC),
        parsed(TLS, {"ssl.keystore.location": "x", "ssl.key.password": "s3cret"}),
    ):
        assert "s3cret" not in repr(config) + str(config)
        assert "***" in repr(config)


def test_a_secret_may_come_wrapped() -> None:
    config = parsed(SASL, USER, {"sasl.mechanism": "PLAIN"}, sasl_password=Secret("s3cret"))
    assert config.sasl_password == Secret("s3cret")


def test_a_secret_given_twice_and_differently_is_refused_without_showing_either() -> None:
    with pytest.raises(ConfigError, match="given twice") as caught:
        ConsumerConfig.parse({**SERVERS, **SASL, **USER}, sasl_password="s3cret2")
    assert "s3cret" not in str(caught.value)


def test_every_key_of_security_is_known_as_one() -> None:
    marked = {name for name, key in KEYS.items() if key.is_security}
    assert {"security.protocol", "ssl.ca.location", "sasl.password", "oauth.cb", "https.ca.location"} <= marked
    assert not {"group.id", "bootstrap.servers"} & marked
