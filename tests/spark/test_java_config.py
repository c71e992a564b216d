"""Options of Java's consumer, and the configuration that comes of them."""

from __future__ import annotations

import pickle

import pytest

from kafka_nextgen.config import KEYS, ConsumerConfig
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.properties import INT32_MAX, IsolationLevel
from kafka_nextgen.secret import Secret
from kafka_nextgen.security_config import EndpointIdentification, OauthMethod, SaslMechanism
from kafka_nextgen.spark.java_config import JavaConfig, read_java_config
from kafka_nextgen.spark.java_keys import IGNORED, JAVA_KEYS, REFUSED, TAKEN_OVER, TRANSLATED

SERVERS = {"bootstrap.servers": "localhost:9092"}
PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="s3cret";'
SCRAM = PLAIN.replace("plain.Plain", "scram.Scram")
KERBEROS = "com.sun.security.auth.module.Krb5LoginModule required useTicketCache=true serviceName=kafka;"
OAUTH = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
SASL = {"security.protocol": "SASL_SSL"}
URL = "sasl.oauthbearer.token.endpoint.url"
OIDC = {**SASL, "sasl.mechanism": "OAUTHBEARER", URL: "https://provider.example.com/token"}
CLIENT = f'{OAUTH} clientId="reader" clientSecret="s3cret" scope="kafka";'


def read(*parts: dict[str, str]) -> JavaConfig:
    return read_java_config({key: value for part in (SERVERS, *parts) for key, value in part.items()})


def config(*parts: dict[str, str]) -> ConsumerConfig:
    return read(*parts).consumer_config()


def refusal(*parts: dict[str, str]) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read(*parts)
    assert "s3cret" not in str(caught.value)
    return caught.value


def test_each_key_is_in_one_table() -> None:
    tables = (TAKEN_OVER, TRANSLATED, IGNORED, REFUSED)
    assert sum(len(table) for table in tables) == len(JAVA_KEYS)
    assert KEYS.keys() >= TAKEN_OVER


TAKEN = [
    ("client.id", " job ", "client_id", "job"),
    ("client.rack", "", "client_rack", None),
    ("isolation.level", "read_committed", "isolation_level", IsolationLevel.READ_COMMITTED),
    ("request.timeout.ms", "5000", "request_timeout_ms", 5000),
    ("default.api.timeout.ms", "5000", "default_api_timeout_ms", 5000),
    ("max.partition.fetch.bytes", "8388608", "max_partition_fetch_bytes", 8388608),
    ("check.crcs", "FALSE", "check_crcs", False),
    ("fetch.max.bytes", "1048576", "fetch_max_bytes", 1048576),
    # Where Java has another limit.
    ("fetch.max.bytes", "209715200", "receive_message_max_bytes", 209715200 + 512),
    ("fetch.max.bytes", str(INT32_MAX), "fetch_max_bytes", INT32_MAX - 512),
    ("fetch.max.bytes", str(INT32_MAX), "receive_message_max_bytes", INT32_MAX),
    ("retry.backoff.ms", "5000", "retry_backoff_ms", 1000),
    ("retry.backoff.ms", "5000", "retry_backoff_max_ms", 1000),
    ("retry.backoff.ms", "500", "retry_backoff_ms", 500),
    ("reconnect.backoff.ms", "5000", "reconnect_backoff_max_ms", 5000),
    ("reconnect.backoff.ms", "500", "reconnect_backoff_max_ms", 500),
    ("connections.max.idle.ms", "-1", "connections_max_idle_ms", INT32_MAX),
]


@pytest.mark.parametrize(("key", "value", "attribute", "read_as"), TAKEN)
def test_keys_are_taken_over(key: str, value: str, attribute: str, read_as: object) -> None:
    java = read({key: value})
    assert getattr(java.consumer_config(), attribute) == read_as
    assert java.warnings == ()


def test_a_longest_pause_below_the_first_is_a_constant_pause() -> None:
    for family in ("retry", "reconnect"):
        made = config({f"{family}.backoff.ms": "5000", f"{family}.backoff.max.ms": "2000"})
        assert getattr(made, f"{family}_backoff_ms") == getattr(made, f"{family}_backoff_max_ms") == 2000


@pytest.mark.parametrize("written", ["a:1,b:2", "PLAINTEXT://a:1 , SASL_SSL://b:2"])
def test_servers_may_be_given_with_their_listeners(written: str) -> None:
    servers = config({"bootstrap.servers": written}).bootstrap_servers
    assert [str(server) for server in servers] == ["a:1", "b:2"]


def test_no_topic_is_ever_created_and_no_group_joined() -> None:
    made = config()
    assert (made.allow_auto_create_topics, made.group_id, made.enable_auto_commit) == (False, None, False)


def test_the_source_adds_keys_of_its_own() -> None:
    made = read({"client.id": "job"}).consumer_config(group_id="billing", client_id="driver", enable_auto_commit=False)
    assert (made.group_id, made.client_id, made.enable_auto_commit) == ("billing", "driver", False)


@pytest.mark.parametrize("key", sorted(IGNORED))
def test_keys_without_a_meaning_cause_a_warning(key: str) -> None:
    java = read({key: "nonsense"})
    assert java.warnings == (f"the option kafka.{key} is ignored: {IGNORED[key]}",)
    assert java == read()


def test_an_unknown_key_causes_a_warning_as_in_java() -> None:
    java = read({"my.own.key": "s3cret"})
    assert java.warnings == ("the option kafka.my.own.key is ignored: there is no such key of a consumer",)


@pytest.mark.parametrize("key", sorted(REFUSED))
def test_keys_that_would_change_what_is_read_are_refused(key: str) -> None:
    error = refusal({key: "s3cret"})
    assert str(error) == f"kafka.{key} is not supported: {REFUSED[key]}"
    assert error.key == f"kafka.{key}"


@pytest.mark.parametrize(
    ("parts", "key", "says"),
    [
        ({"fetch.max.byte": "1"}, "fetch.max.byte", "the nearest is kafka.fetch.max.bytes"),
        ({"ssl.trustore.location": "x"}, "ssl.trustore.location", "the nearest is kafka.ssl.truststore.location"),
        ({"sasl.username": "s3cret"}, "sasl.username", "there is no option kafka.sasl.username"),
        ({"request.timeout.ms": "soon"}, "request.timeout.ms", "must be a whole number"),
        ({"fetch.max.bytes": "2147483648"}, "fetch.max.bytes", "must be a whole number"),
        ({"bootstrap.servers": ""}, "bootstrap.servers", "is required"),
        ({"bootstrap.servers": "localhost"}, "bootstrap.servers", "must be host:port"),
        ({"isolation.level": "serial"}, "isolation.level", "must be read_uncommitted or read_committed"),
        ({"security.protocol": "TLS"}, "security.protocol", "must be PLAINTEXT or SSL"),
        ({"ssl.truststore.location": "x"}, "ssl.truststore.location", "is of no use with kafka.security.protocol"),
        ({"sasl.mechanism": "PLAIN"}, "sasl.mechanism", "set SASL_PLAINTEXT or SASL_SSL, or remove it"),
        ({"security.protocol": "SSL", "sasl.jaas.config": PLAIN}, "sasl.jaas.config", "protocol=SSL: set SASL_"),
        ({"security.protocol": "SASL_PLAINTEXT", "ssl.key.password": "s3cret"}, "ssl.key.password", "is of no use"),
    ],
)
def test_mistakes_are_told_by_the_name_of_the_option(parts: dict[str, str], key: str, says: str) -> None:
    error = refusal(parts)
    assert says in str(error)
    assert error.key == f"kafka.{key}"


@pytest.mark.parametrize("key", ["ssl.endpoint.identification.algorithm", "ssl.truststore.type"])
def test_keys_that_protect_nothing_may_stay_without_tls(key: str) -> None:
    value = "" if "algorithm" in key else "PEM"
    java = read({key: value})
    assert java.consumer_config() == config()
    assert java.warnings == ((f"the option kafka.{key} is ignored: security.protocol has no TLS",))


@pytest.mark.parametrize(
    ("written", "expected"),
    [("", EndpointIdentification.NONE), ("https", EndpointIdentification.HTTPS), (" ", EndpointIdentification.NONE)],
)
def test_an_empty_endpoint_algorithm_checks_no_names(written: str, expected: EndpointIdentification) -> None:
    made = config({"security.protocol": "SSL", "ssl.endpoint.identification.algorithm": written})
    assert made.ssl_endpoint_identification_algorithm is expected


def test_names_are_checked_without_an_endpoint_algorithm() -> None:
    assert config({"security.protocol": "SSL"}).ssl_endpoint_identification_algorithm is EndpointIdentification.HTTPS


def test_cipher_suites_have_the_names_of_openssl() -> None:
    ciphers = {"security.protocol": "SSL", "ssl.cipher.suites": "ECDHE-RSA-AES256-GCM-SHA384"}
    assert config(ciphers).ssl_cipher_suites == "ECDHE-RSA-AES256-GCM-SHA384"
    error = refusal({"security.protocol": "SSL", "ssl.cipher.suites": "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"})
    assert "openssl ciphers -stdname" in str(error)


@pytest.mark.parametrize(
    ("mechanism", "jaas", "expected"),
    [
        ("PLAIN", PLAIN, SaslMechanism.PLAIN),
        ("plain", PLAIN, SaslMechanism.PLAIN),
        ("SCRAM-SHA-256", SCRAM, SaslMechanism.SCRAM_SHA_256),
        ("SCRAM-SHA-512", SCRAM.replace(";", " tokenauth=false;"), SaslMechanism.SCRAM_SHA_512),
    ],
)
def test_a_user_logs_in_by_a_password(mechanism: str, jaas: str, expected: SaslMechanism) -> None:
    java = read(SASL, {"sasl.mechanism": mechanism, "sasl.jaas.config": jaas})
    made = java.consumer_config()
    assert (made.sasl_mechanism, made.sasl_username, made.sasl_password) == (expected, "alice", Secret("s3cret"))
    assert "s3cret" not in repr(java) + repr(made)


@pytest.mark.parametrize("mechanism", [{}, {"sasl.mechanism": "GSSAPI"}])
def test_kerberos_is_the_default_and_may_name_its_service_in_either_place(mechanism: dict[str, str]) -> None:
    for way in ({"sasl.jaas.config": KERBEROS}, {"sasl.kerberos.service.name": "kafka"}):
        made = config(SASL, mechanism, way)
        assert (made.sasl_mechanism, made.sasl_kerberos_service_name) == (SaslMechanism.GSSAPI, "kafka")


def test_a_key_table_is_named_by_the_environment() -> None:
    java = read(SASL, {"sasl.jaas.config": KERBEROS.replace(";", ' keyTab="/etc/s3cret.keytab" principal="a@B";')})
    assert len(java.warnings) == 1
    assert "KRB5_CLIENT_KTNAME" in java.warnings[0]
    assert "s3cret" not in java.warnings[0]


@pytest.mark.parametrize(
    "way",
    [
        {"sasl.jaas.config": CLIENT},
        {
            "sasl.jaas.config": f'{OAUTH} clientId="another" clientSecret="other";',
            "sasl.oauthbearer.client.credentials.client.id": "reader",
            "sasl.oauthbearer.client.credentials.client.secret": "s3cret",
            "sasl.oauthbearer.scope": "kafka",
            "sasl.oauthbearer.jwt.retriever.class": "org.apache.kafka.a.ClientCredentialsJwtRetriever",
        },
    ],
)
def test_tokens_come_from_a_provider(way: dict[str, str]) -> None:
    handler = {"sasl.login.callback.handler.class": "org.apache.kafka.a.secured.OAuthBearerLoginCallbackHandler"}
    java = read(OIDC, way, handler)
    made = java.consumer_config()
    assert made.sasl_oauthbearer_method is OauthMethod.OIDC
    assert (made.sasl_oauthbearer_client_id, made.sasl_oauthbearer_scope) == ("reader", "kafka")
    assert made.sasl_oauthbearer_client_secret == Secret("s3cret")
    assert made.sasl_oauthbearer_token_endpoint_url == OIDC[URL]
    assert "s3cret" not in repr(java) + repr(made)


def test_a_token_endpoint_may_have_authorities_of_its_own() -> None:
    trust = ' ssl.truststore.type=PEM ssl.truststore.location="ca.pem";'
    assert config(OIDC, {"sasl.jaas.config": CLIENT.replace(";", trust)}).https_ca_location == "ca.pem"


@pytest.mark.parametrize(
    ("parts", "key", "says"),
    [
        ({"sasl.mechanism": "AWS_MSK_IAM"}, "sasl.mechanism", "is AWS_MSK_IAM; there are PLAIN"),
        ({"sasl.mechanism": "PLAIN"}, "sasl.jaas.config", "needs username: PlainLoginModule required"),
        (
            {"sasl.mechanism": "PLAIN", "sasl.jaas.config": PLAIN.replace('"s3cret"', '""')},
            "sasl.jaas.config",
            "needs password",
        ),
        (
            {"sasl.mechanism": "PLAIN", "sasl.jaas.config": SCRAM},
            "sasl.jaas.config",
            "is to name PlainLoginModule with kafka.sasl.mechanism=PLAIN",
        ),
        ({"sasl.jaas.config": PLAIN}, "sasl.jaas.config", "is to name Krb5LoginModule"),
        ({"sasl.jaas.config": PLAIN[:-1]}, "sasl.jaas.config", "does not end with a semicolon"),
        (
            {"sasl.mechanism": "SCRAM-SHA-256", "sasl.jaas.config": SCRAM.replace(";", " tokenauth=true;")},
            "sasl.jaas.config",
            "delegation tokens",
        ),
        ({}, "sasl.kerberos.service.name", "is needed with kafka.sasl.mechanism=GSSAPI"),
        (
            {"sasl.jaas.config": KERBEROS, "sasl.kerberos.service.name": "other"},
            "sasl.jaas.config",
            "name different services",
        ),
        ({**OIDC, URL: "", "sasl.jaas.config": CLIENT}, URL, "tokens are asked for there"),
        ({**OIDC, URL: "http://s3cret@x", "sasl.jaas.config": CLIENT}, URL, "has to begin with https://"),
        (OIDC, "sasl.oauthbearer.client.credentials.client.id", "or clientId in kafka.sasl.jaas.config"),
        (
            {**OIDC, "sasl.jaas.config": f"{OAUTH} clientId=a;"},
            "sasl.oauthbearer.client.credentials.client.secret",
            "or clientSecret in kafka.sasl.jaas.config",
        ),
        ({**OIDC, "sasl.jaas.config": CLIENT.replace(";", " extension_a=s3cret;")}, "sasl.jaas.config", "extensions"),
        (
            {**OIDC, "sasl.jaas.config": CLIENT.replace(";", " ssl.truststore.location=a.jks;")},
            "sasl.jaas.config",
            "only ssl.truststore.location with ssl.truststore.type=PEM",
        ),
        (
            {**OIDC, "sasl.jaas.config": CLIENT.replace(";", " ssl.truststore.password=s3cret;")},
            "sasl.jaas.config",
            "only ssl.truststore.location with ssl.truststore.type=PEM",
        ),
        (
            {**OIDC, "sasl.login.callback.handler.class": "software.amazon.msk.auth.iam.IAMHandler"},
            "sasl.login.callback.handler.class",
            "no Java runs here",
        ),
        (
            {**OIDC, "sasl.oauthbearer.jwt.retriever.class": "a.FileJwtRetriever"},
            "sasl.oauthbearer.jwt.retriever.class",
            "only ClientCredentialsJwtRetriever is known",
        ),
    ],
)
def test_logins_that_cannot_be_made_are_refused(parts: dict[str, str], key: str, says: str) -> None:
    error = refusal(SASL, parts)
    assert says in str(error)
    assert error.key == f"kafka.{key}"


def test_a_configuration_can_be_a_key_and_can_be_sent() -> None:
    parts = (OIDC, {"sasl.jaas.config": CLIENT, "send.buffer.bytes": "1"})
    one, another = read(*parts), pickle.loads(pickle.dumps(read(*parts)))
    assert one == another
    assert hash(one) == hash(another)
    assert one != read(OIDC, {"sasl.jaas.config": CLIENT.replace("s3cret", "another")})
    assert another.consumer_config() == one.consumer_config()
