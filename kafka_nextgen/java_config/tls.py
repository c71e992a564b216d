"""Translate Java's ``ssl.*`` keys to this library's keys.

The contents of a store decide how it is read, not ``ssl.truststore.type`` or ``ssl.keystore.type``. Java, too, opens a
PKCS12 file if the type is JKS, the default.

========  ==================================================================================================
contents  how it is read
========  ==================================================================================================
PEM       used as it is; ``ssl.key.password`` decrypts an encrypted key
PKCS12    with the ``cryptography`` package; if that is not installed, the error has an openssl command
JKS       not supported; the error has a keytool command that converts it
========  ==================================================================================================

PEM can also be given as text, in ``ssl.truststore.certificates``, ``ssl.keystore.certificate.chain`` and
``ssl.keystore.key``.
An empty ``ssl.endpoint.identification.algorithm`` is ``none``, as in Java.

``client_identity`` and ``trusted`` read the stores on the machine that runs the consumer.
"""

from __future__ import annotations

from typing import Final

from kafka_nextgen.java_config.keys import JavaKeys
from kafka_nextgen.java_config.stores import Identity, StoreFile, identity_in, trusted_in
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.properties.secret import Secret

__all__ = ["TlsStores", "client_identity", "read_stores", "tls_settings", "trusted"]

_PEM_ENTRY: Final = lazy_pattern(r"-----BEGIN ([A-Z ]+)-----([a-zA-Z0-9/+=\s]*)-----END \1-----")
_ALGORITHM: Final = "ssl.endpoint.identification.algorithm"
_CIPHERS: Final = "ssl.cipher.suites"
_LINE: Final = 64


@frozen
class TlsStores:
    """The stores in the configuration, in files or as PEM; None for one that is not configured."""

    trust: StoreFile | str | None = None
    identity: StoreFile | Identity | None = None
    key_password: Secret | None = None


def tls_settings(keys: JavaKeys) -> dict[str, object]:
    """Return this library's TLS settings that do not depend on a store.

    Arguments:
        keys: keys of Java's consumer.

    Raises ``ConfigError`` for cipher suites with Java's names.
    """
    settings: dict[str, object] = {}
    if _ALGORITHM in keys:
        settings[_ALGORITHM] = keys[_ALGORITHM].strip() or "none"
    ciphers = keys.get(_CIPHERS, "").strip()
    if ciphers.startswith(("TLS_", "SSL_")):
        raise keys.error(_CIPHERS, "must name ciphers as OpenSSL does: 'openssl ciphers -stdname' shows both names")
    return {**settings, _CIPHERS: ciphers} if ciphers else settings


def read_stores(keys: JavaKeys) -> TlsStores:
    """Return the stores in the configuration, by the rules of Java's ``DefaultSslEngineFactory``.

    Arguments:
        keys: keys of Java's consumer.

    Raises ``ConfigError`` for keys that can't be combined, or that need another key.
    """
    for store, content in (("truststore", "certificates"), ("keystore", "key")):
        text, location, password = f"ssl.{store}.{content}", f"ssl.{store}.location", f"ssl.{store}.password"
        if text in keys and location in keys:
            raise keys.error(text, f"can't be combined with {keys.name(location)}: remove one")
        if password in keys and location not in keys:
            raise keys.error(password, f"needs {keys.name(location)}, the location of its store")
    key_password = _secret(keys.get("ssl.key.password"))
    trust = _store_file(keys, "truststore") or _pem(keys, "ssl.truststore.certificates")
    identity = _identity(keys, key_password)
    return TlsStores(trust, _store_file(keys, "keystore") or identity, key_password)


def trusted(stores: TlsStores) -> dict[str, object]:
    """Return this library's settings for trust; empty for the system's certificate authorities.

    Raises ``ConfigError`` if a store can't be read.
    """
    if isinstance(stores.trust, StoreFile):
        return trusted_in(stores.trust)
    return {} if stores.trust is None else {"ssl.ca.pem": stores.trust}


def client_identity(stores: TlsStores) -> Identity | None:
    """Return the client's key and certificates, if any. Raises ``ConfigError`` if a store can't be read."""
    if isinstance(stores.identity, StoreFile):
        return identity_in(stores.identity, stores.key_password)
    return stores.identity


def _identity(keys: JavaKeys, key_password: Secret | None) -> Identity | None:
    missing = [key for key in ("ssl.keystore.key", "ssl.keystore.certificate.chain") if key not in keys]
    if len(missing) == 1:
        raise keys.error(missing[0], "is needed: a key and the chain of its certificates belong together")
    key, chain = _pem(keys, "ssl.keystore.key"), _pem(keys, "ssl.keystore.certificate.chain")
    return None if key is None else Identity(None, Secret(f"{key}{chain}"), key_password)


def _store_file(keys: JavaKeys, store: str) -> StoreFile | None:
    location = keys.get(f"ssl.{store}.location")
    if location is None:
        return None
    return StoreFile(keys.name(f"ssl.{store}"), location.strip(), _secret(keys.get(f"ssl.{store}.password")))


def _secret(value: str | None) -> Secret | None:
    return None if value is None else Secret(value)


def _pem(keys: JavaKeys, key: str) -> str | None:
    """Return PEM with the line breaks that OpenSSL needs: properties often have it in a single line."""
    if key not in keys:
        return None
    entries = _PEM_ENTRY.findall(keys[key])
    if not entries:
        raise keys.error(key, "contains no PEM block (-----BEGIN ...----- to -----END ...-----)")
    return "".join(_entry(label, "".join(body.split())) for label, body in entries)


def _entry(label: str, body: str) -> str:
    lines = [body[at : at + _LINE] for at in range(0, len(body), _LINE)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])
