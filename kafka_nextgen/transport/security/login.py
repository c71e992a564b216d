"""Who logs in, and by which mechanism: a factory of exchanges, one for each login.

kafka-python's mechanisms get what they ask for by its own names of configuration. Its warnings about passwords in the
clear are left out: ours says it once for a client.
"""

from __future__ import annotations

import importlib
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.kafka_python import load_quietly
from kafka_nextgen.secret import Secret
from kafka_nextgen.security_config import OauthMethod, SaslMechanism, SecurityConfig
from kafka_nextgen.transport.security.exchanges import Exchange, Login, begun
from kafka_nextgen.transport.security.oidc import TokenEndpoint
from kafka_nextgen.transport.security.scram import ScramExchange
from kafka_nextgen.transport.security.tls import https_context
from kafka_nextgen.transport.security.tokens import Token, TokenSource, from_callback

if TYPE_CHECKING:
    from kafka.net.sasl import SASL_MECHANISMS
    from kafka.net.sasl.oauth import AbstractTokenProvider
else:
    SASL_MECHANISMS = load_quietly("kafka_nextgen.kafka_python.net.sasl").SASL_MECHANISMS
    AbstractTokenProvider = load_quietly("kafka_nextgen.kafka_python.net.sasl.oauth").AbstractTokenProvider

__all__ = ["login_of"]

#: What GSSAPI needs of the system; kafka-python imports it when a login begins.
_KERBEROS: Final = "sspi" if sys.platform == "win32" else "gssapi"


def login_of(config: SecurityConfig) -> Login | None:
    """How a client logs in, None if it does not. Raises ``ConfigError`` if what GSSAPI needs is not installed."""
    mechanism = config.sasl_mechanism
    if mechanism is None:
        return None
    return Login(mechanism.value, _FACTORIES[mechanism](config))


def _plain(config: SecurityConfig) -> Callable[[str], Exchange]:
    user, password = _credentials(config)
    peer = SASL_MECHANISMS["PLAIN"]
    return lambda host: begun("PLAIN", lambda: peer(sasl_plain_username=user, sasl_plain_password=password.reveal()))


def _scram(config: SecurityConfig) -> Callable[[str], Exchange]:
    user, password = _credentials(config)
    assert config.sasl_mechanism is not None
    mechanism = config.sasl_mechanism.value
    return lambda host: ScramExchange(mechanism, user, password, secrets.token_hex(16))


def _oauthbearer(config: SecurityConfig) -> Callable[[str], Exchange]:
    source, peer = TokenSource(_asking(config), time.time), SASL_MECHANISMS["OAUTHBEARER"]
    return lambda host: _with_token(peer, source.token())


def _with_token(peer: Callable[..., object], token: Token) -> Exchange:
    return begun("OAUTHBEARER", lambda: peer(sasl_oauth_token_provider=_Given(token)))


def _asking(config: SecurityConfig) -> Callable[[], Token]:
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
        https_context(config),
    )


class _Given(AbstractTokenProvider):
    """Hands kafka-python a token that is there already."""

    def __init__(self, token: Token) -> None:
        self._token = token

    def token(self) -> str:
        return self._token.text.reveal()

    def extensions(self) -> Mapping[str, str]:
        return self._token.extensions


def _gssapi(config: SecurityConfig) -> Callable[[str], Exchange]:
    try:
        importlib.import_module(_KERBEROS)
    except (ImportError, OSError) as error:
        missing = f"sasl.mechanism=GSSAPI needs the package {_KERBEROS}, which can't be imported: {error}"
        raise ConfigError(missing, "sasl.mechanism") from error
    service, peer = config.sasl_kerberos_service_name, SASL_MECHANISMS["GSSAPI"]
    return lambda host: begun("GSSAPI", lambda: peer(sasl_kerberos_service_name=service, host=host))


def _credentials(config: SecurityConfig) -> tuple[str, Secret]:
    assert config.sasl_username is not None
    assert config.sasl_password is not None
    return config.sasl_username, config.sasl_password


_FACTORIES: Final[Mapping[SaslMechanism, Callable[[SecurityConfig], Callable[[str], Exchange]]]] = {
    SaslMechanism.PLAIN: _plain,
    SaslMechanism.SCRAM_SHA_256: _scram,
    SaslMechanism.SCRAM_SHA_512: _scram,
    SaslMechanism.OAUTHBEARER: _oauthbearer,
    SaslMechanism.GSSAPI: _gssapi,
}
