"""TLS contexts: the trusted authorities, this client's certificate, and how brokers are verified.

The oldest version is TLS 1.2. A broker's certificate must be issued by a trusted authority, for the host name of the
connection. ``ssl.endpoint.identification.algorithm=none`` drops the second check,
``enable.ssl.certificate.verification=false`` both. Files are read again when they change.
"""

from __future__ import annotations

import os
import ssl
from functools import partial

from kafka_nextgen.errors import ConfigError, TlsError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties.secret import call_privately
from kafka_nextgen.properties.security_config import ContextCallback, EndpointIdentification, SecurityConfig
from kafka_nextgen.transport.security.in_turn import in_turn
from kafka_nextgen.transport.security.renewed_context import RenewedContext, system_authorities

__all__ = ["client_context", "client_contexts", "https_contexts"]

logger = logger_of(__name__)


def client_contexts(config: SecurityConfig) -> ContextCallback | None:
    """A function that returns the context for a new broker connection; None without TLS. Warns of disabled checks.

    Raises ``ConfigError`` for unreadable files.
    """
    if not config.security_protocol.uses_tls:
        return None
    if config.ssl_context is not None:
        return in_turn(partial(_context_of, config.ssl_context), "ssl.context")
    _warn_of_disabled_checks(config)
    trusted = (config.ssl_ca_location,) if config.ssl_ca_location or config.ssl_ca_pem else system_authorities()
    files = *trusted, config.ssl_certificate_location, config.ssl_key_location
    return in_turn(RenewedContext(lambda: client_context(config), files), "reading the certificates")


def client_context(config: SecurityConfig) -> ssl.SSLContext:
    """A context created from the current contents of the files. Raises ``ConfigError`` if one can't be read."""
    context = _strict_context()
    key = config.written_name("ssl.ca.location" if config.ssl_ca_pem is None else "ssl.ca.pem")
    _load_trusted_certificates(context, key, config.ssl_ca_location, config.ssl_ca_pem)
    _load_client_certificate(context, config)
    _choose_ciphers(context, config.ssl_cipher_suites)
    _relax(context, config)
    return context


def https_contexts(config: SecurityConfig) -> ContextCallback:
    """A function that returns the context for token requests, with all checks. Raises ``ConfigError``."""

    def make() -> ssl.SSLContext:
        context = _strict_context()
        _load_trusted_certificates(context, "https.ca.location", config.https_ca_location, None)
        return context

    return RenewedContext(make, (config.https_ca_location,) if config.https_ca_location else system_authorities())


def _context_of(given: ssl.SSLContext | ContextCallback) -> ssl.SSLContext:
    """The context of ``ssl.context``."""
    context: object = given if isinstance(given, ssl.SSLContext) else call_privately(given, "ssl.context")
    if isinstance(context, ssl.SSLContext):
        return context
    raise TlsError(f"ssl.context must return an ssl.SSLContext, not {type(context).__name__}")


def _strict_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # checks certificates and host names
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _load_trusted_certificates(context: ssl.SSLContext, key: str, location: str | None, pem: str | None) -> None:
    if location is None and pem is None:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
        return
    try:
        if location is not None and os.path.isdir(location):
            context.load_verify_locations(capath=location)
        else:
            context.load_verify_locations(cafile=location, cadata=pem)
    except (OSError, ValueError) as error:
        where = "it has" if location is None else f"{location} has"
        raise ConfigError(f"{key}: {where} no PEM certificates: {_reason(error)}", key) from error


def _load_client_certificate(context: ssl.SSLContext, config: SecurityConfig) -> None:
    certificate, key, password = config.ssl_certificate_location, config.ssl_key_location, config.ssl_key_password
    if certificate is None:
        return
    # Without a callback OpenSSL would ask for the password on the terminal.
    passphrase = password.reveal() if password is not None else ""
    try:
        context.load_cert_chain(certificate, key, password=lambda: passphrase)
    except (OSError, ValueError) as error:
        where = certificate if key is None else f"{certificate} with {key}"
        name = config.written_name("ssl.certificate.location")
        raise ConfigError(
            f"{name}: {where} is not a PEM certificate with its key, which ssl.key.password decrypts if necessary: "
            f"{_reason(error)}",
            name,
        ) from None  # the error may contain the password


def _choose_ciphers(context: ssl.SSLContext, names: str | None) -> None:
    if names is None:
        return
    try:
        context.set_ciphers(names.replace(",", ":"))
    except ssl.SSLError as error:
        raise ConfigError(f"ssl.cipher.suites: OpenSSL supports none of {names}", "ssl.cipher.suites") from error


def _relax(context: ssl.SSLContext, config: SecurityConfig) -> None:
    if not config.enable_ssl_certificate_verification:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif config.ssl_endpoint_identification_algorithm is EndpointIdentification.NONE:
        context.check_hostname = False


def _warn_of_disabled_checks(config: SecurityConfig) -> None:
    if not config.enable_ssl_certificate_verification:
        logger.warning(
            "enable.ssl.certificate.verification=false: brokers are not verified, so anyone can impersonate one"
        )
    elif config.ssl_endpoint_identification_algorithm is EndpointIdentification.NONE:
        logger.warning("ssl.endpoint.identification.algorithm=none: any trusted certificate is accepted for any broker")


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
