"""Certificates that are renewed on disk are used by new connections, as soon as they are whole."""

from __future__ import annotations

import logging
import shutil
import ssl
from pathlib import Path

import pytest

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import OutageError, TlsError
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
    with pytest.raises(TlsError, match=r"is to return an ssl\.SSLContext, not str"):
        context_of(tls(ssl_context=lambda: "s3cret"))
