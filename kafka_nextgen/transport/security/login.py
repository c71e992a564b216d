"""The SASL login that a configuration specifies."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Final

from kafka_nextgen import clocks
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.properties.security_config import OauthMethod, SaslMechanism, SecurityConfig
from kafka_nextgen.transport.security.gssapi import GssapiClient, check_service
from kafka_nextgen.transport.security.in_turn import in_turn
from kafka_nextgen.transport.security.oauthbearer import OauthBearerClient, Token, TokenCache, from_callback
from kafka_nextgen.transport.security.oidc import TokenEndpoint
from kafka_nextgen.transport.security.plain import PlainClient, check_password, check_user
from kafka_nextgen.transport.security.scram import ScramClient
from kafka_nextgen.transport.security.settings import SaslLogin
from kafka_nextgen.transport.security.tls import https_contexts

__all__ = ["login_of"]


def login_of(config: SecurityConfig) -> SaslLogin:
    """The login for ``sasl.mechanism``, which must be set.

    Raises ``ConfigError`` for credentials that the mechanism can't send, or if the package for GSSAPI is missing.
    """
    assert config.sasl_mechanism is not None
    return _FACTORIES[config.sasl_mechanism](config)


def _name(config: SecurityConfig) -> str:
    assert config.sasl_mechanism is not None
    return config.sasl_mechanism.value


def _plain(config: SecurityConfig) -> SaslLogin:
    user, password = _credentials(config)
    check_user(user)
    if isinstance(config.sasl_password, Secret):
        check_password(config.sasl_password)
    return SaslLogin(_name(config), lambda host: PlainClient(user, password()))


def _scram(config: SecurityConfig) -> SaslLogin:
    user, password = _credentials(config)
    name = _name(config)
    return SaslLogin(name, lambda host: ScramClient(name, user, password(), secrets.token_hex(16)))


def _oauthbearer(config: SecurityConfig) -> SaslLogin:
    source = TokenCache(_token_provider(config), clocks.time)
    return SaslLogin(_name(config), lambda host: OauthBearerClient(source.token()), source.forget)


def _token_provider(config: SecurityConfig) -> Callable[[], Token]:
    if config.sasl_oauthbearer_method is OauthMethod.DEFAULT:
        assert config.oauth_cb is not None
        return from_callback(config.oauth_cb, config.sasl_oauthbearer_config or "")
    assert config.sasl_oauthbearer_token_endpoint_url is not None
    assert config.sasl_oauthbearer_client_id is not None
    assert config.sasl_oauthbearer_client_secret is not None
    return TokenEndpoint(
        config.sasl_oauthbearer_token_endpoint_url,
        config.sasl_oauthbearer_client_id,
        config.sasl_oauthbearer_client_secret,
        config.sasl_oauthbearer_scope,
        https_contexts(config),
    )


def _gssapi(config: SecurityConfig) -> SaslLogin:
    service = config.sasl_kerberos_service_name
    assert service is not None
    check_service(service)
    package = _package_gssapi(config)
    return SaslLogin(_name(config), lambda host: GssapiClient(package, service, host))


def _package_gssapi(config: SecurityConfig) -> ModuleType:
    try:
        return import_module("gssapi")
    except (ImportError, OSError) as error:  # OSError: the package is installed, the system's Kerberos is not
        key = config.written_name("sasl.mechanism")
        missing = (
            f"{key}=GSSAPI needs the gssapi package, which can't be imported ({error}): "
            "pip install 'kafka-nextgen[gssapi]'"
        )
        raise ConfigError(missing, key) from error


def _credentials(config: SecurityConfig) -> tuple[str, Callable[[], Secret]]:
    """The user's name, and a function that returns the current password."""
    user, password = config.sasl_username, config.sasl_password
    assert user is not None
    assert password is not None
    return user, (lambda: password) if isinstance(password, Secret) else in_turn(password.secret, "sasl.password")


_FACTORIES: Final[Mapping[SaslMechanism, Callable[[SecurityConfig], SaslLogin]]] = {
    SaslMechanism.PLAIN: _plain,
    SaslMechanism.SCRAM_SHA_256: _scram,
    SaslMechanism.SCRAM_SHA_512: _scram,
    SaslMechanism.OAUTHBEARER: _oauthbearer,
    SaslMechanism.GSSAPI: _gssapi,
}
