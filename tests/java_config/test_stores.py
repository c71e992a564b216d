"""Trust stores and key stores: PEM in files and as text, PKCS12, and JKS, which is refused."""

from __future__ import annotations

import os
import ssl
import sys
import tempfile
from pathlib import Path

import pytest
import trustme
from attrs import frozen
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509 import load_pem_x509_certificate

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.java_config.stores import StoreFile, identity_in
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.spark.kafka_options import KafkaOptions, read_kafka_options
from kafka_nextgen.transport.security.tls import client_contexts

BASE = {"bootstrap.servers": "localhost:9092", "security.protocol": "SSL"}
PASSWORD = "s3cret"
NO_NAMES = {"ssl.endpoint.identification.algorithm": ""}


@frozen
class Issued:
    """Text in PEM, and a directory with it and with the same as PKCS12."""

    home: Path
    authority: str
    chain: str
    key: str
    encrypted_key: str

    def path(self, name: str) -> str:
        return str(self.home / name)


@pytest.fixture(scope="module")
def issued(tmp_path_factory: pytest.TempPathFactory) -> Issued:
    home, authority = tmp_path_factory.mktemp("stores"), trustme.CA()
    leaf = authority.issue_cert("localhost")
    key = s.load_pem_private_key(leaf.private_key_pem.bytes(), None)
    encrypted = s.BestAvailableEncryption(PASSWORD.encode())
    pem = (s.Encoding.PEM, s.PrivateFormat.PKCS8)
    plain_key = key.private_bytes(*pem, s.NoEncryption()).decode()
    encrypted_key = key.private_bytes(*pem, encrypted).decode()
    root = load_pem_x509_certificate(authority.cert_pem.bytes())
    chain = "".join(one.bytes().decode() for one in leaf.cert_chain_pems)
    certificate = load_pem_x509_certificate(leaf.cert_chain_pems[0].bytes())
    trust = pkcs12.serialize_java_truststore([pkcs12.PKCS12Certificate(root, b"root")], encrypted)
    identity = pkcs12.serialize_key_and_certificates(b"me", key, certificate, [root], encrypted)  # type: ignore[arg-type]
    files = {
        "ca.pem": authority.cert_pem.bytes(),
        "client.pem": (plain_key + chain).encode(),
        "encrypted.pem": (encrypted_key + chain).encode(),
        "trust.p12": trust,
        "client.p12": identity,
        "store.jks": b"\xfe\xed\xfe\xed\x00\x00\x00\x02",
        "odd": b"nothing of the kind",
    }
    for name, contents in files.items():
        (home / name).write_bytes(contents)
    return Issued(home, authority.cert_pem.bytes().decode(), chain, plain_key, encrypted_key)


def read(keys: dict[str, str]) -> KafkaOptions:
    return read_kafka_options({**BASE, **keys})


def context_of(config: ConsumerConfig) -> ssl.SSLContext:
    return client_contexts(config)()


def trust_of(config: ConsumerConfig) -> int:
    return len(context_of(config).get_ca_certs())


def location(issued: Issued, store: str, name: str, password: str | None = None) -> dict[str, str]:
    opened = {} if password is None else {f"ssl.{store}.password": password}
    return {f"ssl.{store}.location": issued.path(name), **opened}


def refused_stores(keys: dict[str, str]) -> str:
    with pytest.raises(ConfigError) as caught:
        read(keys).consumer_config()
    assert PASSWORD not in str(caught.value)
    assert str(caught.value.key).startswith("kafka.ssl.")
    return str(caught.value)


def test_certificates_in_pem_are_trusted(issued: Issued) -> None:
    in_a_file = location(issued, "truststore", "ca.pem")
    config = read({**in_a_file, "ssl.truststore.type": "PEM"}).consumer_config()
    assert config.ssl_ca_location == issued.path("ca.pem")
    assert trust_of(config) == 1


def test_certificates_may_be_text_in_one_line(issued: Issued) -> None:
    twice = issued.authority + issued.authority
    for text in (twice, twice.replace("\n", " "), twice.replace("\n", "")):
        config = read({"ssl.truststore.certificates": text}).consumer_config()
        assert config.ssl_ca_pem == twice.strip()
        assert trust_of(config) == 1


def test_stores_that_are_renewed_are_read_again_unless_they_are_damaged(issued: Issued) -> None:
    trust, keys = (
        location(issued, *store, PASSWORD) for store in (("truststore", "trust.p12"), ("keystore", "client.p12"))
    )
    contexts = client_contexts(read({**trust, **keys}).consumer_config())
    first = contexts()
    assert contexts() is first
    store = Path(issued.path("trust.p12"))
    whole = store.read_bytes()
    store.write_bytes(whole[:100])
    assert contexts() is first
    store.write_bytes(whole)
    assert contexts().get_ca_certs() == first.get_ca_certs()


@pytest.mark.parametrize("kind", [{}, {"ssl.truststore.type": "JKS"}, {"ssl.truststore.type": "PKCS12"}])
def test_certificates_in_pkcs12_are_trusted(issued: Issued, kind: dict[str, str]) -> None:
    config = read({**location(issued, "truststore", "trust.p12", PASSWORD), **kind}).consumer_config()
    assert context_of(config).get_ca_certs(binary_form=True) == [ssl.PEM_cert_to_DER_cert(issued.authority)]


def test_all_certificates_in_pkcs12_are_trusted(tmp_path: Path) -> None:
    authorities = [load_pem_x509_certificate(trustme.CA().cert_pem.bytes()) for _ in range(2)]
    trust = [pkcs12.PKCS12Certificate(one, b"%d" % number) for number, one in enumerate(authorities)]
    path = tmp_path / "trust.p12"
    path.write_bytes(pkcs12.serialize_java_truststore(trust, s.BestAvailableEncryption(PASSWORD.encode())))
    keys = {"ssl.truststore.location": str(path), "ssl.truststore.password": PASSWORD}
    assert trust_of(read(keys).consumer_config()) == 2


def test_a_key_in_a_pem_file_is_used_as_it_is(issued: Issued) -> None:
    config = read(location(issued, "keystore", "client.pem")).consumer_config()
    assert config.ssl_certificate_location == issued.path("client.pem")
    opened = {**location(issued, "keystore", "encrypted.pem"), "ssl.key.password": PASSWORD}
    assert read(opened).consumer_config().ssl_key_password == Secret(PASSWORD)


def handshake(client: ssl.SSLContext, issued: Issued) -> dict[str, object]:
    """What a broker that demands a certificate of its client gets to see."""
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cadata=issued.authority)
    server.load_cert_chain(issued.path("client.pem"))
    server.verify_mode = ssl.CERT_REQUIRED
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(back, there, server_hostname="localhost")
    theirs = server.wrap_bio(there, back, server_side=True)
    for side in (ours, theirs) * 4:
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
    return dict(theirs.getpeercert() or {})


def test_a_key_in_pkcs12_is_shown_to_brokers(issued: Issued, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = issued.home / "temporary"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    stores = {
        **location(issued, "keystore", "client.p12", PASSWORD),
        **location(issued, "truststore", "trust.p12", PASSWORD),
    }
    java = read({**stores, "ssl.keystore.type": "PKCS12"})
    config = java.consumer_config(group_id="billing")
    assert config.group_id == "billing"
    assert handshake(context_of(config), issued)["subjectAltName"] == (("DNS", "localhost"),)
    assert os.listdir(directory) == []
    assert PASSWORD not in repr(java) + repr(config)


def test_a_key_in_pkcs12_stays_encrypted_until_openssl_reads_it(issued: Issued) -> None:
    store = StoreFile("kafka.ssl.keystore", issued.path("client.p12"), Secret(PASSWORD))
    identity = identity_in(store, None)
    assert identity.text is not None
    assert "ENCRYPTED PRIVATE KEY" in identity.text.reveal()
    assert identity.key_password == Secret(PASSWORD)
    assert identity.text.reveal().count("BEGIN CERTIFICATE") == 2, "brokers may need what is between it and a root"


@pytest.mark.parametrize(("is_encrypted", "between"), [(False, "\n"), (True, " ")])
def test_a_key_may_be_text(issued: Issued, is_encrypted: bool, between: str) -> None:
    key = issued.encrypted_key if is_encrypted else issued.key
    texts = {"ssl.keystore.key": key, "ssl.keystore.certificate.chain": issued.chain}
    opened = {"ssl.key.password": PASSWORD} if is_encrypted else {}
    flat = {name: text.replace("\n", between) for name, text in texts.items()}
    java = read({**flat, **opened, "ssl.truststore.certificates": issued.authority})
    assert handshake(context_of(java.consumer_config()), issued)["subjectAltName"] == (("DNS", "localhost"),)
    assert key.splitlines()[1] not in repr(java)


def test_a_context_checks_names_unless_it_is_told_not_to(issued: Issued) -> None:
    keystore = location(issued, "keystore", "client.p12", PASSWORD)
    strict, lax = (context_of(read({**keystore, **more}).consumer_config()) for more in ({}, NO_NAMES))
    assert strict.check_hostname
    assert not lax.check_hostname
    assert lax.verify_mode is ssl.CERT_REQUIRED


@pytest.mark.parametrize("store", ["truststore", "keystore"])
def test_jks_is_refused_with_the_command_that_converts_it(issued: Issued, store: str) -> None:
    says = refused_stores(location(issued, store, "store.jks", PASSWORD))
    path = issued.path("store.jks")
    assert f"keytool -importkeystore -srckeystore {path} -destkeystore {path}.p12 -deststoretype PKCS12" in says


@pytest.mark.parametrize(("store", "option"), [("truststore", "-nokeys -out"), ("keystore", "-out")])
def test_pkcs12_without_its_package_is_refused_with_the_command_that_converts_it(
    issued: Issued, store: str, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.serialization.pkcs12", None)
    path = issued.path("trust.p12")
    says = refused_stores(location(issued, store, "trust.p12", PASSWORD))
    assert f"install the cryptography package, or convert it: openssl pkcs12 -in {path} {option} {path}.pem" in says


@pytest.mark.parametrize(
    ("store", "name", "password", "says"),
    [
        ("truststore", "absent", None, "can't be read: No such file"),
        ("truststore", "odd", None, "is neither PEM nor PKCS12"),
        ("truststore", "ca.pem", PASSWORD, "truststore.password can't be set for a PEM store"),
        ("truststore", "trust.p12", "wrong", "truststore.password is wrong or missing"),
        ("truststore", "trust.p12", None, "truststore.password is wrong or missing"),
        ("keystore", "client.p12", "wrong", "keystore.password is wrong or missing"),
        ("keystore", "client.p12", None, "keystore.password is needed"),
        ("keystore", "client.pem", PASSWORD, "keystore.password can't be set for a PEM store"),
        ("keystore", "trust.p12", PASSWORD, "has no key together with its certificate"),
        ("keystore", "", None, "can't be read"),
    ],
)
def test_stores_that_cannot_be_used_are_refused(
    issued: Issued, store: str, name: str, password: str | None, says: str
) -> None:
    assert says in refused_stores(location(issued, store, name, password))


def test_a_truststore_without_certificates_is_refused(issued: Issued, tmp_path: Path) -> None:
    key = s.load_pem_private_key(issued.key.encode(), None)
    encrypted = s.BestAvailableEncryption(PASSWORD.encode())
    path = tmp_path / "empty.p12"
    path.write_bytes(pkcs12.serialize_key_and_certificates(None, key, None, None, encrypted))  # type: ignore[arg-type]
    keys = {"ssl.truststore.location": str(path), "ssl.truststore.password": PASSWORD}
    assert "has no certificate to trust" in refused_stores(keys)


def test_a_key_that_does_not_open_is_refused(issued: Issued, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    texts = {"ssl.keystore.key": issued.encrypted_key, "ssl.keystore.certificate.chain": issued.chain}
    says = refused_stores({**texts, "ssl.key.password": f"{PASSWORD}-wrong"})
    assert "kafka.ssl.key.password is wrong" in says
    assert os.listdir(tmp_path) == []


def test_a_mistake_is_told_by_the_name_that_java_has(issued: Issued) -> None:
    broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"
    store = location(issued, "keystore", "client.p12", PASSWORD)
    says = refused_stores({**store, "ssl.truststore.certificates": broken})
    assert "the option kafka.ssl.truststore.certificates can't be used" in says
    assert "OpenSSL supports none of" in refused_stores({**store, "ssl.cipher.suites": "NO-SUCH-CIPHER"})
