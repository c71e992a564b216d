"""Registries that answer what no registry does."""

from __future__ import annotations

import json
import pickle
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
import trustme

from kafka_nextgen.errors import RegistryError
from kafka_nextgen.testing import SchemaRegistry as StandIn
from kafka_nextgen.values import SchemaRegistry, references
from kafka_nextgen.values.registry.answers import seconds_to_wait

REFERENCE = {"name": "A", "subject": "a", "version": 1}


def refused(registry: StandIn, match: str) -> None:
    with pytest.raises(RegistryError, match=match):
        SchemaRegistry(registry.url, timeout_s=10.0).schema_by_id(1)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("<html>", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("", "is not JSON"),
        ("[]", "is not a schema"),
        ("{}", "is not a schema"),
        ('{"schema": 3}', "is not a schema"),
        ('{"schema": null}', "is not a schema"),
        ('{"schema": "s", "schemaType": 3}', "has an invalid type or invalid references"),
        ('{"schema": "s", "references": {"a": 1}}', "has an invalid type or invalid references"),
        ('{"schema": "s", "references": [1]}', "has an invalid type or invalid references"),
        (
            json.dumps({"schema": "s", "references": [{**REFERENCE, "version": "1"}]}),
            "has an invalid type or invalid references",
        ),
        (json.dumps({"schema": "s", "references": [{**REFERENCE, "version": True}]}), "has an invalid type or"),
        (json.dumps({"schema": "s", "references": [{"name": "A"}]}), "has an invalid type or invalid references"),
        (json.dumps({"schema": "s", "references": [{**REFERENCE, "subject": "\ud800"}]}), "has an invalid type or"),
    ],
)
def test_an_answer_that_is_no_schema_is_refused(registry: StandIn, body: str | bytes, complaint: str) -> None:
    registry.fail(200, body)
    refused(registry, f"the answer {complaint}")


def test_references_that_are_too_deep_are_refused(registry: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "_DEEPEST", 2)
    below: list[dict[str, object]] = []
    for name in "abcd":
        last = registry.register(name, f'{{"type": "fixed", "name": "{name}", "size": 1}}', references=below)
        below = [{"name": name, "subject": name, "version": 1}]
    with pytest.raises(RegistryError, match="subjects/a/versions/1: references are nested deeper than 2 levels"):
        SchemaRegistry(registry.url).schema_by_id(last)


def test_a_pause_that_no_one_waits_for_is_not_shortened(registry: StandIn) -> None:
    registry.fail(429, headers={"Retry-After": "9" * 20})
    refused(registry, "status 429")
    assert len(registry.requests) == 1


def test_an_answer_of_the_largest_size_is_read(registry: StandIn) -> None:
    body = '{"schema": "s"}'
    registry.fail(200, body)
    assert SchemaRegistry(registry.url, max_answer_bytes=len(body)).schema_by_id(1).text == "s"


def test_an_answer_whose_content_length_is_too_large_is_not_read() -> None:
    with serving(HEAD) as url, pytest.raises(RegistryError, match="larger than max_answer_bytes=999999 allows"):
        SchemaRegistry(url, max_answer_bytes=999_999).schema_by_id(1)


def test_a_request_whose_answer_is_too_large_is_not_repeated(registry: StandIn) -> None:
    registry.fail(200, b" " * 1001)
    with pytest.raises(RegistryError, match="schemas/ids/1: the answer is larger than max_answer_bytes=1000 allows"):
        SchemaRegistry(registry.url, max_answer_bytes=1000).schema_by_id(1)
    assert len(registry.requests) == 1


def test_an_endless_answer_without_a_length_is_cut_off_when_it_is_too_large() -> None:
    with serving(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 1000) as url, pytest.raises(RegistryError, match="=3000 allows"):
        SchemaRegistry(url, max_answer_bytes=3000).schema_by_id(1)


@pytest.mark.parametrize("more", [0, 1])
def test_a_body_without_a_length_may_have_the_largest_size_and_no_byte_more(more: int) -> None:
    body = b'{"schema": "s"}'
    with serving(b"HTTP/1.1 200 OK\r\n\r\n" + body) as url:
        client = SchemaRegistry(url, max_answer_bytes=len(body) - more)
        if more:
            with pytest.raises(RegistryError, match=f"larger than max_answer_bytes={len(body) - 1} allows"):
                client.schema_by_id(1)
        else:
            assert client.schema_by_id(1).text == "s"


def test_an_answer_of_more_than_two_mebibytes_is_refused_by_default(registry: StandIn) -> None:
    registry.fail(200, b" " * ((2 << 20) + 1))
    with pytest.raises(RegistryError, match="larger than max_answer_bytes=2097152 allows"):
        SchemaRegistry(registry.url).schema_by_id(1)


def test_the_default_limit_is_above_the_schemas_that_registries_store_and_a_pickle_keeps_the_limit(
    registry: StandIn,
) -> None:
    """Confluent's registry writes up to 1 MiB to Kafka by default; some users have raised that to 1.7 MB."""
    large = json.dumps({"schema": "x" * 1_800_000, "references": []})
    registry.fail(200, large)
    assert len(SchemaRegistry(registry.url).schema_by_id(1).text) == 1_800_000
    small = pickle.loads(pickle.dumps(SchemaRegistry(registry.url, max_answer_bytes=1000)))
    with pytest.raises(RegistryError, match="max_answer_bytes=1000"):
        small.schema_by_id(1)


@pytest.mark.parametrize("said", [None, "", "soon", "-1", "1.5", "nan", "inf", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_a_pause_that_is_not_in_seconds_is_none(said: str | None) -> None:
    assert seconds_to_wait(said) == 0.0


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(registry: StandIn, status: int) -> None:
    with StandIn() as other:
        registry.fail(status, headers={"Location": f"{other.url}/schemas/ids/1"})
        refused(registry, f"the registry redirects with status {status}, which is not followed")
        assert other.requests == []


@pytest.mark.parametrize("status", [201, 204, 206])
def test_success_without_a_schema_is_none(registry: StandIn, status: int) -> None:
    registry.fail(status)
    refused(registry, f"status {status}")


@contextmanager
def serving(answer: bytes, drips: bytes = b"") -> Iterator[str]:
    """A server of anything: it sends ``answer``, then ``drips`` again and again."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        ends = threading.Event()

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection, suppress(OSError):
                        connection.recv(65536)
                        connection.sendall(answer)
                        while drips and not ends.wait(0.01):
                            connection.sendall(drips)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        ends.set()
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\n", HEAD], ids=["status", "headers", "body"])
def test_a_registry_that_sends_a_byte_at_a_time_is_cut_off(answer: bytes) -> None:
    with serving(answer, b"X") as url, pytest.raises(RegistryError, match=r"took too long|no answer within"):
        SchemaRegistry(url, timeout_s=0.3).schema_by_id(1)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (b"", "RemoteDisconnected|Connection reset"),
        (b"NO HTTP\r\n\r\n", "BadStatusLine"),
        (HEAD + b"{}", "in the middle of its answer|IncompleteRead"),
        (b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(1000)) + b"\r\n", "HTTPException"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000, "LineTooLong"),
    ],
)
@pytest.mark.usefixtures("tries_once")
def test_what_is_no_http_is_an_outage(answer: bytes, complaint: str) -> None:
    with serving(answer) as url, pytest.raises(RegistryError, match=complaint):
        SchemaRegistry(url).schema_by_id(1)


# ---- TLS


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def server_side(authority: trustme.CA, host: str = "localhost") -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(context)
    return context


def test_a_certificate_of_a_trusted_authority_is_accepted(authority: trustme.CA) -> None:
    pem = authority.cert_pem.bytes().decode()
    context = ssl.create_default_context(cadata=pem)
    with StandIn(tls=server_side(authority)) as registry:
        registry.register("orders-value", '"int"')
        for tls in ({"ssl.ca.pem": pem}, {"ssl_ca_pem": pem}, context):
            assert SchemaRegistry(registry.url, tls=tls).schema_by_id(1).text == '"int"'


@pytest.mark.parametrize("host", ["localhost", "elsewhere"])
def test_any_other_certificate_is_refused(authority: trustme.CA, host: str) -> None:
    trusted = authority if host == "elsewhere" else trustme.CA()
    with StandIn(tls=server_side(authority, host)) as registry:
        asking = SchemaRegistry(registry.url, tls={"ssl.ca.pem": trusted.cert_pem.bytes().decode()}, token="t")
        with pytest.raises(RegistryError, match="its certificate is not trusted"):
            asking.schema_by_id(1)
        assert registry.requests == []


def test_a_client_shows_its_certificate(authority: trustme.CA) -> None:
    server, mine = server_side(authority), authority.issue_cert("client@localhost")
    server.verify_mode = ssl.CERT_REQUIRED
    authority.configure_trust(server)
    with StandIn(tls=server) as registry, mine.private_key_and_cert_chain_pem.tempfile() as path:
        registry.register("orders-value", '"int"')
        tls = {"ssl.ca.pem": authority.cert_pem.bytes().decode(), "ssl.certificate.location": path}
        assert SchemaRegistry(registry.url, tls=tls).schema_by_id(1).text == '"int"'
