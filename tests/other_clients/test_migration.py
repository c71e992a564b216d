"""The configurations of other clients, as they exist, become this library's."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from kafka_nextgen.config import ConsumerConfig, OffsetReset
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.other_clients.values import token_callback
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.properties.security_config import EndpointIdentification
from kafka_nextgen.properties.value_types import INT32_MAX

SERVERS = {"bootstrap.servers": "localhost:9092"}
CONFLUENT_CLOUD = """
# Required connection configs for Kafka producer, consumer, and admin
bootstrap.servers=pkc-1.eu-west-1.aws.confluent.cloud:9092
security.protocol=SASL_SSL
sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\
    username='KEY' \\
    password='s3cret';
sasl.mechanism=PLAIN
client.dns.lookup=use_all_dns_ips
ssl.endpoint.identification.algorithm=
session.timeout.ms=45000
acks=all
schema.registry.url=https://psrc-1.eu-west-1.aws.confluent.cloud
basic.auth.credentials.source=USER_INFO
basic.auth.user.info=KEY:s3cret
key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
value.deserializer : org.apache.kafka.common.serialization.LongDeserializer
"""


def migrated(properties: dict[str, object]) -> ConsumerConfig:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ConsumerConfig.from_properties({**SERVERS, **properties}, migrate=True)


def refusal(properties: dict[str, object]) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        migrated(properties)
    assert "s3cret" not in str(caught.value)
    return caught.value


def test_the_file_that_confluent_cloud_hands_out_is_read(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text(CONFLUENT_CLOUD, encoding="utf-8")
    with pytest.warns(UserWarning, match="is ignored: ") as told:
        config = ConsumerConfig.from_properties(file, migrate=True)
    assert (config.sasl_username, config.sasl_password) == ("KEY", Secret("s3cret"))
    assert config.ssl_endpoint_identification_algorithm is EndpointIdentification.NONE
    assert config.key_deserializer is not None
    assert config.key_deserializer("é".encode()) == "é"
    assert config.value_deserializer is not None
    assert config.value_deserializer(b"\0\0\0\0\0\0\1\2") == 258
    assert [str(one.message).split()[0] for one in told] == [
        "session.timeout.ms",
        "client.dns.lookup",
        "acks",
        "schema.registry.url",
        "basic.auth.credentials.source",
        "basic.auth.user.info",
    ]
    assert "s3cret" not in repr(config) + "".join(str(one.message) for one in told)


def test_old_names_of_librdkafka_are_read() -> None:
    config = migrated(
        {
            "bootstrap.servers": None,
            "metadata.broker.list": "a,b:1",
            "auto.offset.reset": "smallest",
            "fetch.wait.max.ms": "100",
            "fetch.message.max.bytes": "5",
            "queued.max.messages.kbytes": 8,
            "connections.max.idle.ms": 0,
            "enable.auto.offset.store": True,
        }
    )
    assert [str(server) for server in config.bootstrap_servers] == ["a:9092", "b:1"]
    assert config.auto_offset_reset is OffsetReset.EARLIEST
    assert (config.fetch_max_wait_ms, config.max_partition_fetch_bytes, config.fetch_buffer_bytes) == (100, 5, 8192)
    assert config.connections_max_idle_ms == INT32_MAX


def test_arguments_of_kafka_python_are_read() -> None:
    login = {"sasl_mechanism": "PLAIN", "sasl_plain_username": "alice", "sasl_plain_password": "s3cret"}
    config = migrated(
        {"security_protocol": "SASL_SSL", "ssl_check_hostname": False, "ssl_cafile": "ca.pem", "api_version": (4, 3)}
        | login
    )
    assert (config.sasl_username, config.sasl_password, config.ssl_ca_location) == ("alice", Secret("s3cret"), "ca.pem")
    assert config.ssl_endpoint_identification_algorithm is EndpointIdentification.NONE


def test_all_problems_are_in_one_error() -> None:
    error = refusal(
        {
            "stats_cb": print,
            "topics": "orders",
            "grup.id": "billing",
            "request.timeout.ms": "soon",
            "ssl.providers": "s3cret",
        }
    )
    assert str(error).startswith("5 problems: ")
    for said in ("metrics()", "call subscribe(topics)", "did you mean group.id", "not 'soon'", "ssl_context"):
        assert said in str(error)


@pytest.mark.parametrize(
    ("properties", "says"),
    [
        ({"auto.commit.interval.ms": "0"}, "no commits in librdkafka"),
        ({"value.deserializer": "io.confluent.kafka.serializers.KafkaAvroDeserializer"}, "not a Kafka deserializer"),
        ({"metadata.broker.list": "a:1"}, "set bootstrap.servers to different values"),
        ({"client.dns.lookup": "resolve_canonical_bootstrap_servers_only"}, "is not supported"),
        ({"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": "s3cret"}, "can't be read"),
        ({"sasl.jaas.config": "s3cret"}, "has no effect with security.protocol=PLAINTEXT"),
        ({"security.protocol": "SSL", "ssl.keystore.key": "s3cret"}, "write it to a PEM file"),
    ],
)
def test_what_cannot_be_kept_is_refused(properties: dict[str, object], says: str) -> None:
    assert says in str(refusal(properties))


def test_an_unknown_key_is_dropped_as_in_java_unless_it_may_be_a_typing_error() -> None:
    with pytest.warns(UserWarning, match=r"my\.topic is ignored: no client has such a key"):
        ConsumerConfig.from_properties({**SERVERS, "my.topic": "orders"}, migrate=True)
    assert "did you mean fetch.max.bytes" in str(refusal({"fetch.max.byte": "1"}))


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("metadata.broker.list", "librdkafka: called bootstrap.servers here"),
        ("ssl_crlfile", "certificate revocation is not checked"),
        ("key.serializer", "producers: it has no effect here"),
        (
            "enable.partition.eof",
            "no effect here if it is 0, otherwise it is refused, because poll() returns only records: ",
        ),
        ("ssl.password", "unknown"),
    ],
)
def test_without_migration_an_error_tells_the_key_and_the_way(written: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ConsumerConfig.parse({**SERVERS, written: "1"})
    expected = "called ssl.key.password here" if says == "unknown" else says
    assert expected in str(caught.value)
    assert "migrate=True" in str(caught.value)


def test_without_migration_a_value_of_another_client_is_refused_with_the_way() -> None:
    with pytest.raises(ConfigError, match="migrate=True"):
        ConsumerConfig.parse({**SERVERS, "auto.offset.reset": "smallest"})


@pytest.mark.parametrize(
    ("properties", "says"),
    [
        ({"ssl.quantum.shield": "on"}, "there is no configuration key ssl.quantum.shield"),
        (
            {"ssl.truststore.location": "ca.pem"},
            "ssl.truststore.location has no effect with",
        ),
        ({"sasl.jaas.config": "s3cret"}, "sasl.jaas.config has no effect with"),
        ({"security.protocol": "ssl", "ssl.truststore.location": "none.pem"}, "none.pem can't be read"),
    ],
)
def test_what_protects_is_never_dropped(properties: dict[str, object], says: str) -> None:
    assert says in str(refusal(properties))


@pytest.mark.parametrize(
    ("properties", "attribute", "value"),
    [
        ({"auto.offset.reset": "largest"}, "auto_offset_reset", OffsetReset.LATEST),
        ({"auto.offset.reset": "end"}, "auto_offset_reset", OffsetReset.LATEST),
        ({"auto.offset.reset": "beginning"}, "auto_offset_reset", OffsetReset.EARLIEST),
        ({"reconnect.backoff.max.ms": str(2**62)}, "reconnect_backoff_max_ms", INT32_MAX),
        ({"metadata.max.age.ms": str(2**62)}, "metadata_max_age_ms", INT32_MAX),
    ],
)
def test_values_of_other_clients_are_converted(properties: dict[str, object], attribute: str, value: object) -> None:
    assert getattr(migrated(properties), attribute) == value


def test_a_server_without_a_port_has_kafka_s_also_by_ipv6() -> None:
    config = migrated({"bootstrap.servers": "SASL_SSL://a,[::1],[::2]:9"})
    assert [(each.host, each.port) for each in config.bootstrap_servers] == [("a", 9092), ("::1", 9092), ("::2", 9)]


def test_a_token_provider_of_aiokafka_is_awaited() -> None:
    class Provider:
        async def token(self) -> str:
            return "t0ken"

    assert token_callback(Provider())("") == "t0ken"  # type: ignore[operator]


def test_a_deserializer_object_of_kafka_python_is_kept() -> None:
    class Upper:
        def deserialize(self, topic: str, data: bytes) -> str:
            return data.decode().upper()

    upper = Upper()
    assert migrated({"value_deserializer": upper}).value_deserializer is upper


def test_the_class_of_a_login_that_is_not_used_is_dropped_with_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"jwt\.retriever\.class is ignored: security\.protocol does not use SASL"):
        ConsumerConfig.from_properties({**SERVERS, "sasl.oauthbearer.jwt.retriever.class": "a.B"}, migrate=True)
