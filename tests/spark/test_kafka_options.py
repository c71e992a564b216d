"""Options of Java's consumer, and the configuration that comes of them."""

from __future__ import annotations

import pickle

import pytest

from kafka_nextgen.config import KEYS
from kafka_nextgen.properties.security_config import EndpointIdentification
from kafka_nextgen.properties.value_types import INT32_MAX, IsolationLevel
from kafka_nextgen.spark.kafka_option_fates import IGNORED, JAVA_KEYS, REFUSED, TAKEN_OVER, TRANSLATED
from tests.spark.kafka_keys import PLAIN, config, read, refusal


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
    ("fetch.max.wait.ms", "900", "fetch_max_wait_ms", 900),
    ("fetch.min.bytes", "2", "fetch_min_bytes", 2),
    ("metadata.max.age.ms", "9000", "metadata_max_age_ms", 9000),
    ("socket.connection.setup.timeout.ms", "9000", "socket_connection_setup_timeout_ms", 9000),
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
    assert java.warnings == ("the option kafka.my.own.key is ignored: consumers do not have this key",)


@pytest.mark.parametrize("key", sorted(REFUSED))
def test_keys_that_would_change_what_is_read_are_refused(key: str) -> None:
    error = refusal({key: "s3cret"})
    assert str(error) == f"kafka.{key} is not supported: {REFUSED[key]}"
    assert error.key == f"kafka.{key}"


@pytest.mark.parametrize(
    ("parts", "key", "says"),
    [
        ({"fetch.max.byte": "1"}, "fetch.max.byte", "did you mean kafka.fetch.max.bytes"),
        ({"ssl.trustore.location": "x"}, "ssl.trustore.location", "did you mean kafka.ssl.truststore.location"),
        ({"sasl.username": "s3cret"}, "sasl.username", "there is no option kafka.sasl.username"),
        ({"ssl.engine.factory.class": "a.B"}, "ssl.engine.factory.class", "it names a Java class"),
        ({"sasl.login.class": "a.B"}, "sasl.login.class", "it names a Java class"),
        ({"sasl.client.callback.handler.class": "a.B"}, "sasl.client.callback.handler.class", "it names a Java class"),
        ({"request.timeout.ms": "soon"}, "request.timeout.ms", "must be a whole number"),
        ({"fetch.max.bytes": "2147483648"}, "fetch.max.bytes", "must be a whole number"),
        ({"bootstrap.servers": ""}, "bootstrap.servers", "is required"),
        ({"bootstrap.servers": "localhost"}, "bootstrap.servers", "must be host:port"),
        ({"isolation.level": "serial"}, "isolation.level", "must be read_uncommitted or read_committed"),
        ({"security.protocol": "TLS"}, "security.protocol", "must be PLAINTEXT or SSL"),
        ({"ssl.truststore.location": "x"}, "ssl.truststore.location", "has no effect with kafka.security.protocol"),
        ({"sasl.mechanism": "PLAIN"}, "sasl.mechanism", "set SASL_PLAINTEXT or SASL_SSL, or remove it"),
        ({"security.protocol": "SSL", "sasl.jaas.config": PLAIN}, "sasl.jaas.config", "protocol=SSL: set SASL_"),
        ({"security.protocol": "SASL_PLAINTEXT", "ssl.key.password": "s3cret"}, "ssl.key.password", "has no effect"),
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
    assert java.warnings == ((f"the option kafka.{key} is ignored: security.protocol does not use TLS",))


def test_a_configuration_can_be_a_key_and_can_be_sent() -> None:
    login = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": PLAIN}
    one = read(login, {"send.buffer.bytes": "1"})
    another = pickle.loads(pickle.dumps(one))
    assert one == another
    assert hash(one) == hash(another)
    assert one != read(login, {"sasl.jaas.config": PLAIN.replace("s3cret", "another")})
    assert another.consumer_config() == one.consumer_config()


def test_configurations_with_other_stores_are_others() -> None:
    """Else a task would read with the consumer, and as the user, of another query."""
    tls = {"security.protocol": "SSL", "ssl.keystore.location": "a.pem"}
    assert read(tls) == read(tls)
    for more in ({"ssl.keystore.location": "b.pem"}, {"ssl.key.password": "s3cret"}):
        assert read(tls, more) != read(tls)


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


CONTRADICTIONS: list[tuple[dict[str, str], str]] = [
    ({"ssl.truststore.certificates": "a", "ssl.truststore.location": "b"}, "can't be combined with"),
    ({"ssl.truststore.password": "s3cret"}, "needs kafka.ssl.truststore.location"),
    ({"ssl.keystore.password": "s3cret"}, "needs kafka.ssl.keystore.location"),
    ({"ssl.keystore.key": "s3cret"}, "certificate.chain is needed"),
    ({"ssl.keystore.certificate.chain": "a"}, "ssl.keystore.key is needed"),
    (
        {"ssl.keystore.key": "s3cret", "ssl.keystore.certificate.chain": "a", "ssl.keystore.location": "b"},
        "can't be combined with",
    ),
    ({"ssl.keystore.key": "s3cret", "ssl.keystore.certificate.chain": "a"}, "contains no PEM block"),
    ({"ssl.truststore.certificates": "ca.pem"}, "contains no PEM block"),
]


@pytest.mark.parametrize(("keys", "says"), CONTRADICTIONS)
def test_keys_that_contradict_each_other_are_refused_without_reading_a_file(keys: dict[str, str], says: str) -> None:
    error = refusal({"security.protocol": "SSL"}, keys)
    assert says in str(error)
