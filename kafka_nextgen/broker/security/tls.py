"""TLS on a listener: Python's ``ssl``, configured by Kafka's names, TLS 1.2 or newer only.

``ssl.keystore.location`` is a PEM file with the private key and its chain of certificates (KIP-651),
``ssl.key.password`` opens the key. ``ssl.client.auth`` asks clients for a certificate; those are checked against the
authorities in ``ssl.truststore.location``, also PEM. As in Kafka, clients that authenticate by SASL are not asked.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.secret import Secret

__all__ = ["CLIENT_AUTH", "TlsFiles", "server_context"]

#: What ``ssl.client.auth`` may be. ``requested`` takes clients without a certificate, not those with a bad one.
CLIENT_AUTH: Final[Mapping[str, ssl.VerifyMode]] = {
    "none": ssl.CERT_NONE,
    "requested": ssl.CERT_OPTIONAL,
    "required": ssl.CERT_REQUIRED,
}


@frozen
class TlsFiles:
    """Where the keys are."""

    keystore: str
    key_password: Secret | None = None
    truststore: str = ""


def server_context(files: TlsFiles, client_auth: str = "none") -> ssl.SSLContext:
    """Make the context of a listener from PEM files. Raises ``ConfigError`` for what can't be read."""
    if not files.keystore:
        raise ConfigError("a listener with TLS needs ssl.keystore.location, a PEM file", "ssl.keystore.location")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    _load_keys(context, files)
    context.verify_mode = CLIENT_AUTH[client_auth]
    if context.verify_mode is not ssl.CERT_NONE:
        _load_authorities(context, files.truststore)
    return context


def _load_keys(context: ssl.SSLContext, files: TlsFiles) -> None:
    # Without a password of ours, OpenSSL would ask for one on the terminal.
    password = files.key_password.reveal() if files.key_password else ""
    try:
        context.load_cert_chain(files.keystore, password=lambda: password)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"ssl.keystore.location: {files.keystore} is no PEM file with a private key and its certificate that "
            f"ssl.key.password opens: {error}",
            "ssl.keystore.location",
        ) from None


def _load_authorities(context: ssl.SSLContext, truststore: str) -> None:
    if not truststore:
        raise ConfigError(
            "ssl.client.auth needs ssl.truststore.location, a PEM file with the authorities that clients' "
            "certificates are from",
            "ssl.truststore.location",
        )
    try:
        context.load_verify_locations(truststore)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"ssl.truststore.location: {truststore} is no PEM file with certificates: {error}",
            "ssl.truststore.location",
        ) from error
