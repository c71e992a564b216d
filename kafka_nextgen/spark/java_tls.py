"""Translate Java's ``ssl.*`` keys to this library's keys.

The contents of a store decide how it is read, not ``ssl.truststore.type`` or ``ssl.keystore.type``. Java too opens a
PKCS12 file as JKS, the default type.

========  ==================================================================================================
contents  how it is read
========  ==================================================================================================
PEM       used as it is; the key may be encrypted, ``ssl.key.password`` opens it
PKCS12    with the package ``cryptography``; an error with an openssl command if that is not installed
JKS       not at all; the error has a keytool command that converts it
========  ==================================================================================================

PEM may also be given as text, in ``ssl.truststore.certificates``, ``ssl.keystore.certificate.chain`` and
``ssl.keystore.key``.
An empty ``ssl.endpoint.identification.algorithm`` is ``none``, as in Java.

``client_identity`` and ``trusted`` read the stores on the machine that runs the consumer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from kafka_nextgen.secret import Secret
from kafka_nextgen.spark.java_keys import wrong
from kafka_nextgen.spark.java_stores import Identity, StoreFile, identity_in, trusted_in

__all__ = ["TlsStores", "client_identity", "read_stores", "tls_settings", "trusted"]

_PEM_ENTRY: Final = re.compile(r"-----BEGIN ([A-Z ]+)-----([a-zA-Z0-9/+=\s]*)-----END \1-----")
_ALGORITHM: Final = "ssl.endpoint.identification.algorithm"
_CIPHERS: Final = "ssl.cipher.suites"
_LINE: Final = 64


@frozen
class TlsStores:
    """The stores in the configuration; None for others."""

    truststore: StoreFile | None = None
    certificates: str | None = None
    keystore: StoreFile | None = None
    certificate_chain: str | None = None
    key: Secret | None = None
    key_password: Secret | None = None


def tls_settings(keys: Mapping[str, str]) -> dict[str, object]:
    """Return this library's settings for TLS that need no store.

    Arguments:
        keys: keys of Java's consumer without ``kafka.``.

    Raises ``ConfigError`` for cipher suites with Java's names.
    """
    settings: dict[str, object] = {}
    if _ALGORITHM in keys:
        settings[_ALGORITHM] = keys[_ALGORITHM].strip() or "none"
    ciphers = keys.get(_CIPHERS, "").strip()
    if ciphers.startswith(("TLS_", "SSL_")):
        raise wrong(_CIPHERS, "is to name ciphers as OpenSSL does: 'openssl ciphers -stdname' shows both names")
    return {**settings, _CIPHERS: ciphers} if ciphers else settings


def read_stores(keys: Mapping[str, str]) -> TlsStores:
    """Return the stores in the configuration, by the rules of Java's ``DefaultSslEngineFactory``.

    Arguments:
        keys: keys of Java's consumer without ``kafka.``.

    Raises ``ConfigError`` for keys that exclude each other, or that need another key.
    """
    _check_truststore(keys)
    _check_keystore(keys)
    return TlsStores(
        _store_file(keys, "truststore"),
        _pem(keys, "ssl.truststore.certificates"),
        _store_file(keys, "keystore"),
        _pem(keys, "ssl.keystore.certificate.chain"),
        _secret(_pem(keys, "ssl.keystore.key")),
        _secret(keys.get("ssl.key.password")),
    )


def trusted(stores: TlsStores) -> dict[str, object]:
    """Return this library's settings for trust; empty to trust the system's authorities. Raises ``ConfigError``."""
    if stores.certificates is not None:
        return {"ssl.ca.pem": stores.certificates}
    return {} if stores.truststore is None else trusted_in(stores.truststore)


def client_identity(stores: TlsStores) -> Identity | None:
    """Return the client's key and certificates, if any. Raises ``ConfigError`` if a store can't be read."""
    if stores.key is not None and stores.certificate_chain is not None:
        return Identity(None, Secret(f"{stores.key.reveal()}{stores.certificate_chain}"), stores.key_password)
    return None if stores.keystore is None else identity_in(stores.keystore, stores.key_password)


def _check_truststore(keys: Mapping[str, str]) -> None:
    has_text, has_file = "ssl.truststore.certificates" in keys, "ssl.truststore.location" in keys
    if has_text and has_file:
        raise wrong("ssl.truststore.certificates", "can't be given beside kafka.ssl.truststore.location: remove one")
    if not has_file and "ssl.truststore.password" in keys:
        raise wrong("ssl.truststore.password", "needs kafka.ssl.truststore.location, the store that it opens")


def _check_keystore(keys: Mapping[str, str]) -> None:
    has_key, has_chain = "ssl.keystore.key" in keys, "ssl.keystore.certificate.chain" in keys
    if has_key is not has_chain:
        missing = "ssl.keystore.certificate.chain" if has_key else "ssl.keystore.key"
        raise wrong(missing, "is needed: a key and the chain of its certificates belong together")
    if has_key and "ssl.keystore.location" in keys:
        raise wrong("ssl.keystore.key", "can't be given beside kafka.ssl.keystore.location: remove one")
    if "ssl.keystore.location" not in keys and "ssl.keystore.password" in keys:
        raise wrong("ssl.keystore.password", "needs kafka.ssl.keystore.location, the store that it opens")


def _store_file(keys: Mapping[str, str], store: str) -> StoreFile | None:
    location = keys.get(f"ssl.{store}.location")
    if location is None:
        return None
    return StoreFile(f"kafka.ssl.{store}", location.strip(), _secret(keys.get(f"ssl.{store}.password")))


def _secret(value: str | None) -> Secret | None:
    return None if value is None else Secret(value)


def _pem(keys: Mapping[str, str], key: str) -> str | None:
    """Return PEM with the line breaks that OpenSSL needs: properties often have it in a single line."""
    if key not in keys:
        return None
    entries = _PEM_ENTRY.findall(keys[key])
    if not entries:
        raise wrong(key, "has nothing in PEM, which is between -----BEGIN ...----- and -----END ...-----")
    return "".join(_entry(label, "".join(body.split())) for label, body in entries)


def _entry(label: str, body: str) -> str:
    lines = [body[at : at + _LINE] for at in range(0, len(body), _LINE)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])
