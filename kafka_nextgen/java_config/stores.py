"""Read trust stores and key stores: PEM and PKCS12. For JKS, the error shows a command that converts the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.secret import Secret

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
    from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12KeyAndCertificates
    from cryptography.x509 import Certificate

__all__ = ["Identity", "StoreFile", "identity_in", "trusted_in"]

_JKS: Final = (b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce")
_DER_SEQUENCE: Final = b"\x30"
_PEM: Final = b"-----BEGIN "


@frozen
class StoreFile:
    """The file of a store; ``keys`` is the prefix of its keys, such as ``kafka.ssl.truststore``."""

    keys: str
    path: str
    password: Secret | None

    @property
    def key_password(self) -> str:
        """The name of the configuration key for the password of an encrypted private key."""
        return f"{self.keys.rpartition('.')[0]}.key.password"


@frozen
class Identity:
    """A client's key and certificates, in a PEM file or as PEM text, and the key's password."""

    path: str | None
    text: Secret | None
    key_password: Secret | None


def trusted_in(store: StoreFile) -> dict[str, object]:
    """Return the settings that trust the certificates in a store. Raises ``ConfigError`` if it can't be read."""
    contents = _read(store)
    if _PEM in contents:
        return {"ssl.ca.location": _without_password(store)}
    found = _pkcs12(store, contents).additional_certs
    if not found:
        raise _wrong(store, "has no certificate to trust")
    return {"ssl.ca.pem": "".join(_pem(one.certificate).decode() for one in found)}


def identity_in(store: StoreFile, key_password: Secret | None) -> Identity:
    """Return the key in a store with its certificates. Raises ``ConfigError`` if it can't be read.

    The key of a PKCS12 store is encrypted with the store's password.
    """
    contents = _read(store)
    if _PEM in contents:
        return Identity(_without_password(store), None, key_password)
    if not store.password:
        raise ConfigError(f"{store.keys}.password is needed to decrypt {store.path}", f"{store.keys}.password")
    found = _pkcs12(store, contents)
    if found.key is None or found.cert is None:
        raise _wrong(store, "has no key together with its certificate")
    chain = b"".join(_pem(one.certificate) for one in (found.cert, *found.additional_certs))
    return Identity(None, Secret((_encrypted(found.key, store.password) + chain).decode()), store.password)


def _read(store: StoreFile) -> bytes:
    try:
        with open(store.path, "rb") as file:
            contents = file.read()
    except OSError as error:
        raise _wrong(store, f"can't be read: {error.strerror or type(error).__name__}") from None
    if contents.startswith(_JKS):
        raise _wrong(store, f"is a JKS store, which only Java can read. Convert it to PKCS12: {_keytool(store)}")
    if _PEM not in contents and not contents.startswith(_DER_SEQUENCE):
        raise _wrong(store, "is neither PEM nor PKCS12")
    return contents


def _without_password(store: StoreFile) -> str:
    if store.password is not None:
        key = f"{store.keys}.password"
        raise ConfigError(f"{key} can't be set for a PEM store: use {store.key_password} for an encrypted key", key)
    return store.path


def _pkcs12(store: StoreFile, contents: bytes) -> PKCS12KeyAndCertificates:
    try:
        from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12
    except ImportError:
        raise _wrong(store, f"is PKCS12: install the cryptography package, or convert it: {_openssl(store)}") from None
    password = store.password.reveal().encode() if store.password is not None else None
    try:
        return load_pkcs12(contents, password)
    except Exception as error:  # its text may show the password
        reason = f"{store.keys}.password is wrong or missing, or the store is damaged ({type(error).__name__})"
        raise _wrong(store, f"can't be read as PKCS12: {reason}") from None


def _encrypted(key: PrivateKeyTypes, password: Secret) -> bytes:
    from cryptography.hazmat.primitives import serialization as s

    encryption = s.BestAvailableEncryption(password.reveal().encode())
    return key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, encryption)


def _pem(certificate: Certificate) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM)


def _keytool(store: StoreFile) -> str:
    paths = f"-srckeystore {store.path} -destkeystore {store.path}.p12"
    return f"keytool -importkeystore {paths} -deststoretype PKCS12, then set {store.keys}.location={store.path}.p12"


def _openssl(store: StoreFile) -> str:
    what = "-nokeys " if store.keys.endswith("truststore") else ""
    then = f"{store.keys}.location={store.path}.pem without {store.keys}.password"
    opened = "" if what else f", with {store.key_password}"
    return f"openssl pkcs12 -in {store.path} {what}-out {store.path}.pem, then set {then}{opened}"


def _wrong(store: StoreFile, what: str) -> ConfigError:
    return ConfigError(f"{store.keys}.location: {store.path} {what}", f"{store.keys}.location")
