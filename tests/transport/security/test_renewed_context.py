"""Certificates that are renewed on disk are used by new connections, as soon as they are whole."""

from __future__ import annotations

import logging
import shutil
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import ConfigError, OutageError, TlsError
from kafka_nextgen.transport.security.renewed_context import RenewedContext
from kafka_nextgen.transport.security.tls import https_contexts
from tests.support.certificates import Certificates
from tests.transport.security.tls_sides import context_of, tls


@pytest.fixture
def files(certificates: Certificates, tmp_path: Path) -> dict[str, str]:
    """Copies of an authority and of a certificate with its key."""
    return {
        "ssl_ca_location": shutil.copy(certificates.authority, str(tmp_path / "authority.pem")),
        "ssl_certificate_location": shutil.copy(certificates.client, str(tmp_path / "client.pem")),
    }


def test_files_that_did_not_change_are_not_read_again(files: dict[str, str]) -> None:
    security = tls(**files)
    assert context_of(security) is context_of(security)


def test_an_authority_that_is_added_is_trusted(files: dict[str, str], certificates: Certificates) -> None:
    security = tls(**files)
    assert len(context_of(security).get_ca_certs()) == 1
    with Path(files["ssl_ca_location"]).open("ab") as file:
        file.write(Path(certificates.stranger).read_bytes())
    assert len(context_of(security).get_ca_certs()) == 2


def test_a_key_in_a_file_of_its_own_is_renewed(files: dict[str, str], tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    shutil.copy(files["ssl_certificate_location"], key)
    security = tls(**files, ssl_key_location=str(key))
    first = context_of(security)
    key.write_bytes(key.read_bytes() + b"\n")
    assert context_of(security) is not first


def test_the_authority_of_the_token_endpoint_is_renewed(certificates: Certificates, tmp_path: Path) -> None:
    authority = tmp_path / "authority.pem"
    shutil.copy(certificates.authority, authority)
    contexts = https_contexts(
        ConsumerConfig.parse(
            bootstrap_servers="localhost:9092",
            security_protocol="SASL_SSL",
            sasl_mechanism="OAUTHBEARER",
            sasl_oauthbearer_method="oidc",
            sasl_oauthbearer_token_endpoint_url="https://localhost/token",
            sasl_oauthbearer_client_id="client",
            sasl_oauthbearer_client_secret="secret",
            https_ca_location=str(authority),
        )
    )
    first = contexts()
    assert contexts() is first
    with authority.open("ab") as file:
        file.write(Path(certificates.stranger).read_bytes())
    assert len(contexts().get_ca_certs()) == 2


def test_a_certificate_that_a_link_leads_to_is_renewed_when_the_link_changes(
    files: dict[str, str], certificates: Certificates, tmp_path: Path
) -> None:
    link = tmp_path / "current"
    link.symlink_to(files["ssl_certificate_location"])
    security = tls(**{**files, "ssl_certificate_location": str(link)})
    first = context_of(security)
    link.unlink()
    link.symlink_to(certificates.broker)
    assert context_of(security) is not first


def test_a_file_that_is_half_written_changes_nothing_is_logged_once_and_read_again(
    files: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    security = tls(**files)
    first = context_of(security)
    certificate = Path(files["ssl_certificate_location"])
    whole = certificate.read_bytes()
    with caplog.at_level(logging.WARNING):
        for half in (whole[: len(whole) // 2], b""):
            certificate.write_bytes(half)
            assert context_of(security) is first
            assert context_of(security) is first
        certificate.unlink()
        assert context_of(security) is first
    assert len(caplog.records) <= 3  # once for each of the reasons
    certificate.write_bytes(whole)
    assert context_of(security) is not first


def making(*answers: ssl.SSLContext | ConfigError) -> Callable[[], ssl.SSLContext]:
    """What reads the files, and each time gives or raises the next of these."""
    left = iter(answers)

    def make() -> ssl.SSLContext:
        answer = next(left)
        if isinstance(answer, ConfigError):
            raise answer
        return answer

    return make


def test_files_that_can_not_be_read_at_first_are_read_again_though_they_stay_the_same(tmp_path: Path) -> None:
    """As where a renewed key gets its owner last, which changes neither its time nor its size."""
    key = tmp_path / "key.pem"
    key.write_text("old")
    old, new = (ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) for _ in range(2))
    contexts = RenewedContext(making(old, ConfigError("permission denied"), new), [str(key)])
    key.write_text("renewed")
    assert [contexts() for _ in range(3)] == [old, new, new]


def test_a_failure_after_a_recovery_is_logged_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    key = tmp_path / "key.pem"
    key.write_text("")
    old, new = (ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) for _ in range(2))
    half = ConfigError("half written")
    contexts = RenewedContext(making(old, half, half, new, half), [str(key)])
    with caplog.at_level(logging.WARNING):
        key.write_text("renewed")
        for _ in range(3):
            contexts()
        key.write_text("renewed again")
        assert contexts() is new
    assert len(caplog.records) == 2


def test_a_change_while_the_files_are_read_is_noticed(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.write_text("old")
    made = []

    def make() -> ssl.SSLContext:
        if not made:
            key.write_text("renewed")
        made.append(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        return made[-1]

    contexts = RenewedContext(make, [str(key)])
    assert contexts() is made[1]


def test_an_authority_that_the_system_adds_is_trusted(
    certificates: Certificates, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = Path(shutil.copy(certificates.authority, tmp_path / "system.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(system))
    security = tls()
    assert len(context_of(security).get_ca_certs()) == 1
    system.write_bytes(system.read_bytes() + Path(certificates.stranger).read_bytes())
    assert len(context_of(security).get_ca_certs()) == 2


def test_an_authority_in_a_directory_is_noticed(certificates: Certificates, tmp_path: Path) -> None:
    security = tls(ssl_ca_location=str(tmp_path))
    first = context_of(security)
    shutil.copy(certificates.authority, tmp_path / "0a1b2c3d.0")
    assert context_of(security) is not first


def test_a_callable_gives_the_context_of_each_connection() -> None:
    contexts = [ssl.create_default_context() for _ in range(2)]
    security = tls(ssl_context=iter(contexts).__next__)
    assert [context_of(security) for _ in range(2)] == contexts


def test_a_callable_without_a_context_is_told_without_what_it_said() -> None:
    def fails() -> ssl.SSLContext:
        raise ValueError("s3cret")

    with pytest.raises(OutageError, match=r"ssl\.context raised ValueError") as caught:
        context_of(tls(ssl_context=fails))
    assert "s3cret" not in str(caught.value)
    assert caught.value.__context__ is None
    with pytest.raises(TlsError, match=r"must return an ssl\.SSLContext, not str"):
        context_of(tls(ssl_context=lambda: "s3cret"))
