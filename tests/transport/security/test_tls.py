"""Which brokers are trusted, and the errors for those that are not."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import ConfigError, TlsError
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.requests.api_versions import BrokerVersions
from kafka_nextgen.testing.messages import api_versions
from kafka_nextgen.transport.connecting import open_connection
from kafka_nextgen.transport.security.settings import Security, security_of
from kafka_nextgen.wire import frames
from kafka_nextgen.wire.frames import decode_request
from tests.support.certificates import Certificates
from tests.transport.scripted import ALL_VERSIONS, settings
from tests.transport.security.tls_sides import context_of, server_side, tls


@asynccontextmanager
async def listening(context: ssl.SSLContext | None, talk: Callable[..., object] | None = None) -> AsyncIterator[int]:
    """Listen for clients and answer ApiVersions; return the port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            length = int.from_bytes(await reader.readexactly(4), "big")
            if talk is not None:
                writer.write(talk())
            else:
                request = decode_request(await reader.readexactly(length))
                answer = api_versions.to_response(BrokerVersions(ranges=ALL_VERSIONS))
                writer.write(frames.encode_response(request.api, answer, request.version, request.correlation_id))
            await reader.read()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def reach(port: int, security: Security, host: str = "127.0.0.1") -> None:
    connection = await open_connection(ServerAddress(host, port), settings(security=security))
    await connection.close()


async def refusal(port: int, security: Security, host: str = "127.0.0.1") -> str:
    with pytest.raises(TlsError) as caught:
        await reach(port, security, host)
    return str(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_trusted_broker_of_that_name_is_believed(certificates: Certificates, host: str) -> None:
    """Authorities may be given as text, too."""
    async with listening(server_side(certificates.broker)) as port:
        await reach(port, tls(ssl_ca_location=certificates.authority), host)
        await reach(port, tls(ssl_ca_pem=Path(certificates.authority).read_text()), host)


@pytest.mark.parametrize(
    ("certificate", "authority", "why"),
    [
        ("broker", "stranger", "ssl.ca.location must name the authority that issued it"),
        ("broker", None, "ssl.ca.location must name the authority that issued it"),
        ("elsewhere", "authority", "its certificate is for another host"),
        ("expired", "authority", "its certificate has expired"),
    ],
)
async def test_a_broker_that_is_not_to_be_believed_is_told_apart(
    certificates: Certificates, certificate: str, authority: str | None, why: str
) -> None:
    trusted = {} if authority is None else {"ssl_ca_location": getattr(certificates, authority)}
    async with listening(server_side(getattr(certificates, certificate))) as port:
        assert why in await refusal(port, tls(**trusted))


async def test_any_host_or_any_certificate_is_believed_only_if_that_is_switched_off_by_name(
    certificates: Certificates,
) -> None:
    off = {"ssl_endpoint_identification_algorithm": "none", "ssl_ca_location": certificates.authority}
    async with listening(server_side(certificates.elsewhere)) as port:
        await reach(port, tls(**off))
    async with listening(server_side(certificates.expired)) as port:
        assert "has expired" in await refusal(port, tls(**off))
        await reach(port, tls(enable_ssl_certificate_verification=False))


@pytest.mark.parametrize(
    "off", [{"ssl_endpoint_identification_algorithm": "none"}, {"enable_ssl_certificate_verification": "false"}]
)
def test_whatever_is_switched_off_is_a_warning(off: dict[str, object], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        tls(**off)
    assert len(caplog.records) == 1


def test_tls_older_than_1_2_is_not_spoken_but_a_context_that_is_ready_is_used_as_it_is() -> None:
    assert context_of(tls()).minimum_version is ssl.TLSVersion.TLSv1_2
    context = ssl.create_default_context()
    assert context_of(tls(ssl_context=context)) is context
    assert security_of(ConsumerConfig.parse(bootstrap_servers="localhost:9092")) == Security(), "without TLS"


@pytest.mark.parametrize("says", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0\0\0\6\0\0\0\0\0\0", b"220 mail\r\n"])
async def test_a_port_that_speaks_something_else_is_told_of(says: bytes, certificates: Certificates) -> None:
    async with listening(None, lambda: says) as port:
        why = await refusal(port, tls(ssl_ca_location=certificates.authority))
    assert "the server does not speak TLS" in why


async def test_a_handshake_that_takes_too_long_is_given_up(certificates: Certificates) -> None:
    async with listening(None, lambda: b"") as port:
        with pytest.raises(TimeoutError, match="timed out after"):
            await open_connection(
                ServerAddress("127.0.0.1", port),
                settings(security=tls(ssl_ca_location=certificates.authority), setup_timeout_s=10.0),
            )


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"ssl_ca_location": "{here}/nothing.pem"}, "ssl.ca.location"),
        ({"ssl_ca_location": "{here}/no.pem"}, "ssl.ca.location"),
        ({"ssl_ca_pem": "no certificate"}, "ssl.ca.pem"),
        ({"ssl_certificate_location": "{here}/nothing.pem"}, "ssl.certificate.location"),
        ({"ssl_certificate_location": "{here}/no.pem"}, "ssl.certificate.location"),
        ({"ssl_certificate_location": "{authority}"}, "ssl.certificate.location"),
        ({"ssl_certificate_location": "{authority}", "ssl_key_location": "{client}"}, "ssl.certificate.location"),
        ({"ssl_cipher_suites": "ROT13"}, "ssl.cipher.suites"),
    ],
)
def test_what_cannot_be_read_is_an_error_of_the_configuration(
    given: dict[str, str], key: str, certificates: Certificates, tmp_path: Path
) -> None:
    (tmp_path / "no.pem").write_text("hello")
    places = {"here": tmp_path, "authority": certificates.authority, "client": certificates.client}
    with pytest.raises(ConfigError) as caught:
        tls(**{name: value.format(**places) for name, value in given.items()})
    assert caught.value.key == key


def test_a_key_is_opened_by_its_password_and_by_no_other(certificates: Certificates, tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization as form

    pem = Path(certificates.client).read_bytes()
    begin = pem.index(b"-----BEGIN CERTIFICATE")
    key = form.load_pem_private_key(pem[:begin], None)
    locked = form.BestAvailableEncryption(b"0pen")
    (tmp_path / "key.pem").write_bytes(key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, locked))
    (tmp_path / "chain.pem").write_bytes(pem[begin:])
    own = {"ssl_certificate_location": str(tmp_path / "chain.pem"), "ssl_key_location": str(tmp_path / "key.pem")}
    assert context_of(tls(**own, ssl_key_password="0pen"))
    for password in ({}, {"ssl_key_password": "wr0ng"}):
        with pytest.raises(ConfigError, match=r"ssl\.key\.password decrypts if necessary") as caught:
            tls(**own, **password)
        assert "wr0ng" not in str(caught.value)


def test_a_login_in_the_clear_is_a_warning_if_it_shows_a_secret(caplog: pytest.LogCaptureFixture) -> None:
    user = {"bootstrap_servers": "localhost:9092", "sasl_username": "alice", "sasl_password": "s3cret"}
    with caplog.at_level(logging.WARNING):
        for protocol, mechanism in [("SASL_SSL", "PLAIN"), ("SASL_PLAINTEXT", "SCRAM-SHA-256")]:
            security_of(ConsumerConfig.parse(**user, security_protocol=protocol, sasl_mechanism=mechanism))
        assert caplog.records == []
        security_of(ConsumerConfig.parse(**user, security_protocol="SASL_PLAINTEXT", sasl_mechanism="PLAIN"))
    assert "use SASL_SSL" in caplog.text
    assert "s3cret" not in caplog.text
