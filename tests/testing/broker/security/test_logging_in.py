"""Logging in on the wire: what each kind of client is told, how large a stranger's frames may be, and TLS."""

from __future__ import annotations

import gc
import logging
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import trustme
from cryptography.hazmat.primitives import serialization as s

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker import Broker
from kafka_nextgen.testing.broker.security.users import Users
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import ApiVersionsRequest, SaslAuthenticateRequest
from tests.support.certificates import Certificates
from tests.support.waiting import GUARD_S
from tests.testing.broker.client import Client
from tests.testing.broker.requests import coordinator_of, metadata
from tests.testing.broker.security.conftest import PASSWORDS
from tests.testing.broker.security.logging_in import authenticate, handshake, log_in, plain_token, send_bare
from tests.testing.broker.security.logins import CLIENTS, outcome

VERSIONS = ApiVersionsRequest(client_software_name="tests", client_software_version="1")


@pytest.fixture(scope="module")
def plain_only() -> Iterator[str]:
    config = {
        "listeners": "SASL_PLAINTEXT://:0",
        "sasl.enabled.mechanisms": "PLAIN",
        "connection.failed.authentication.delay.ms": 0,
    }
    with Cluster(config=config, users={"alice": "alice-secret"}) as cluster:
        yield cluster.bootstrap_servers


def test_each_kind_of_client_is_told_what_kafka_tells_it(plain_only: str) -> None:
    told = {what: outcome(plain_only, what) for what in CLIENTS}
    assert told == {what: expected for what, (_, expected) in CLIENTS.items()}


def test_a_strangers_frames_are_held_to_a_smaller_size(secured: Cluster) -> None:
    servers = secured.bootstrap_servers_of("SASL_PLAINTEXT")
    with Client(servers) as stranger:
        stranger.send_bytes((10_001).to_bytes(4, "big"))
        assert stranger.is_hung_up()
    with Client(servers) as known:
        log_in(known, "alice", PASSWORDS["alice"])
        assert [topic.name for topic in metadata(known, *["a" * 249] * 100).topics] == ["a" * 249]


def test_nothing_a_stranger_sends_is_decoded(plain_only: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    with Client(plain_only) as stranger:
        stranger.send_bytes(b"\0\0\0\x0e" + apis.METADATA.key.to_bytes(2, "big") + b"\0\x0c" + b"\xff" * 10)
        assert stranger.is_hung_up()
    assert "the client sent Metadata on listener SASL_PLAINTEXT before authenticating" in caplog.text


@pytest.mark.parametrize("version", [0, 1], ids=["bare tokens", "SaslAuthenticate"])
def test_a_password_is_hashed_beside_the_event_loop(
    plain_only: str, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()
    monkeypatch.setattr(Users, "is_password_of", lambda *_: may_end.wait(GUARD_S))
    token = plain_token("alice", "alice-secret")
    with Client(plain_only) as slow, Client(plain_only) as other:
        try:
            handshake(slow, "PLAIN", version)
            if version:
                slow.send(SaslAuthenticateRequest(auth_bytes=token), 2)
            else:
                send_bare(slow, token)
            assert other.ask(apis.API_VERSIONS, VERSIONS).error_code == ErrorCode.NONE
        finally:
            may_end.set()
        if version:
            assert slow.receive(apis.SASL_AUTHENTICATE, 2).error_code == ErrorCode.NONE
        else:
            assert slow.receive_frame() == b""


def test_passwords_are_in_no_log(plain_only: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with Client(plain_only) as client:
        handshake(client, "PLAIN")
        authenticate(client, plain_token("alice", "hunter2"))
        assert client.is_hung_up()
    with Client(plain_only) as client:
        log_in(client, "alice", "alice-secret")
    assert "could not authenticate" in caplog.text
    assert "hunter2" not in caplog.text
    assert "alice-secret" not in caplog.text


def test_every_listener_tells_its_own_addresses(secured: Cluster) -> None:
    def told(listener: str) -> list[str]:
        with Client(secured.bootstrap_servers_of(listener)) as client:
            if listener.startswith("SASL"):
                log_in(client, "alice", PASSWORDS["alice"])
            told = (*metadata(client, "x").brokers, coordinator_of(client, "billing"))
            return [f"{each.host}:{each.port}" for each in told]

    for listener in ("PLAINTEXT", "SASL_PLAINTEXT"):
        assert told(listener) == [secured.bootstrap_servers_of(listener)] * 2
    assert secured.bootstrap_servers == secured.bootstrap_servers_of("PLAINTEXT")


def tls_client(servers: str, certificates: Certificates, own: str | None = None) -> Client:
    client = Client(servers)
    context = ssl.create_default_context(cafile=certificates.authority)
    if own is not None:
        context.load_cert_chain(own)
    client._socket = context.wrap_socket(client._socket, server_hostname="127.0.0.1")
    return client


def tls_config(certificates: Certificates, client_auth: str) -> dict[str, object]:
    return {
        "listeners": "SSL://:0",
        "ssl.keystore.location": certificates.broker,
        "ssl.truststore.location": certificates.authority,
        "ssl.client.auth": client_auth,
    }


def test_a_client_is_who_its_certificate_says_and_nobody_without_one(certificates: Certificates) -> None:
    config = {**tls_config(certificates, "requested"), "super.users": "User:CN=billing,OU=tests,O=Example\\, Inc."}
    with Cluster(config=config, rules=[]) as cluster:
        cluster.create_topic("orders")
        with tls_client(cluster.bootstrap_servers, certificates, certificates.client) as client:
            assert metadata(client, "orders").topics[0].error_code == ErrorCode.NONE
        with tls_client(cluster.bootstrap_servers, certificates) as stranger:
            assert metadata(stranger, "orders").topics[0].error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED


def test_a_certificate_can_be_required(certificates: Certificates) -> None:
    with Cluster(config=tls_config(certificates, "required")) as cluster:
        with tls_client(cluster.bootstrap_servers, certificates, certificates.client) as client:
            assert client.ask(apis.API_VERSIONS, VERSIONS).error_code == ErrorCode.NONE
        stranger = tls_client(cluster.bootstrap_servers, certificates)  # with TLS 1.3 it learns of it later
        with stranger, pytest.raises((ssl.SSLError, ConnectionError)):
            stranger.ask(apis.API_VERSIONS, VERSIONS)


def test_who_does_not_speak_tls_gets_nothing_on_such_a_listener(secured: Cluster) -> None:
    with Client(secured.bootstrap_servers_of("SSL")) as client:
        client.send(VERSIONS, 3)
        assert len(all_that_comes(client._socket)) < 10, "an alert of TLS, at most"


def all_that_comes(connected: socket.socket) -> bytes:
    """Return what the broker sends until it hangs up."""
    data = b""
    with suppress(ConnectionError):
        while more := connected.recv(1024):
            data += more
    return data


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_tls_older_than_1_2_is_not_spoken(secured: Cluster, certificates: Certificates) -> None:
    context = ssl.create_default_context(cafile=certificates.authority)
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    host, port = secured.bootstrap_servers_of("SSL").split(":")
    with socket.create_connection((host, int(port))) as connected, pytest.raises((ssl.SSLError, ConnectionError)):
        context.wrap_socket(connected, server_hostname=host)


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        ({"listeners": "localhost:9092"}, "is not NAME://HOST:PORT"),
        ({"listeners": "INSIDE://:9092"}, "add INSIDE:PROTOCOL to listener.security.protocol.map"),
        ({"listeners": "PLAINTEXT://:1,PLAINTEXT://:2"}, "the name PLAINTEXT appears twice"),
        ({"listeners": "PLAINTEXT://:1,SSL://:1"}, "the port 1 appears twice"),
        ({"listener.security.protocol.map": "INSIDE:TLS"}, "is not NAME:PROTOCOL"),
        ({"listeners": "SSL://:0"}, "needs ssl.keystore.location"),
        ({"listeners": "SSL://:0", "ssl.keystore.location": "/nowhere.pem"}, "/nowhere.pem is not a PEM file"),
        ({"sasl.enabled.mechanisms": "GSSAPI"}, "must be one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512"),
        ({"super.users": "root"}, "'root' is not a principal"),
        ({"authorizer.class.name": "mine"}, "must be empty or one of org.apache.kafka"),
        ({"ssl.keystore.type": "JKS"}, "must be one of PEM"),
    ],
)
def test_what_cannot_be_is_refused_by_name(config: dict[str, object], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        Broker(config)


def test_an_encrypted_key_needs_its_password(tmp_path: Path) -> None:
    issued = trustme.CA().issue_cert("localhost")
    key = s.load_pem_private_key(issued.private_key_pem.bytes(), None)
    encrypted = key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.BestAvailableEncryption(b"opens it"))
    keystore = tmp_path / "broker.pem"
    keystore.write_bytes(encrypted + b"".join(pem.bytes() for pem in issued.cert_chain_pems))
    config = {"listeners": "SSL://:0", "ssl.keystore.location": str(keystore)}
    Broker({**config, "ssl.key.password": "opens it"})
    for wrong in ("", "opens nothing"):
        with pytest.raises(ConfigError, match=r"ssl\.key\.password") as refused:
            Broker({**config, "ssl.key.password": wrong})
        assert not wrong or wrong not in str(refused.value)


def test_a_tls_connection_that_breaks_off_is_one_connection_less_and_no_error(
    secured: Cluster, certificates: Certificates, caplog: pytest.LogCaptureFixture
) -> None:
    with tls_client(secured.bootstrap_servers_of("SSL"), certificates) as client:
        assert client.ask(apis.API_VERSIONS, VERSIONS).error_code == ErrorCode.NONE
        plain = socket.socket(fileno=client._socket.detach())  # whatever follows is no TLS
    with plain:
        plain.setblocking(True)
        plain.sendall(b"\x17\x03\x03\x00\x20" + b"\x00" * 32)
        all_that_comes(plain)
    with tls_client(secured.bootstrap_servers_of("SSL"), certificates) as client:
        assert client.ask(apis.API_VERSIONS, VERSIONS).error_code == ErrorCode.NONE
    gc.collect()
    assert "never retrieved" not in caplog.text
