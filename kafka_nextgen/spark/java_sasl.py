"""Translate Java's ``sasl.*`` keys to this library's keys.

==============  =======================  =================================================================
mechanism       login module             its options
==============  =======================  =================================================================
PLAIN           PlainLoginModule         ``username``, ``password``: sasl.username, sasl.password
SCRAM-SHA-...   ScramLoginModule         the same; ``tokenauth`` (delegation tokens) is refused
GSSAPI          Krb5LoginModule          ``serviceName``: sasl.kerberos.service.name; a key table is set
                                         with ``KRB5_CLIENT_KTNAME`` in the environment
OAUTHBEARER     OAuthBearerLoginModule   ``clientId``, ``clientSecret``, ``scope``: for the OpenID provider
                                         at sasl.oauthbearer.token.endpoint.url
==============  =======================  =================================================================

Without ``sasl.mechanism`` Java uses GSSAPI. Kafka 4.1's keys for a client's id, its secret and the scope override the
options of the login module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.secret import Secret
from kafka_nextgen.spark.java_jaas import KEY, LoginModule, parse_jaas
from kafka_nextgen.spark.java_keys import key_error

__all__ = ["login_settings"]

_OIDC_KEYS: Final = {
    "client.id": ("sasl.oauthbearer.client.credentials.client.id", "clientId"),
    "client.secret": ("sasl.oauthbearer.client.credentials.client.secret", "clientSecret"),
    "scope": ("sasl.oauthbearer.scope", "scope"),
}
_HANDLER: Final = "sasl.login.callback.handler.class"
_RETRIEVER: Final = "sasl.oauthbearer.jwt.retriever.class"
_ENDPOINT: Final = "sasl.oauthbearer.token.endpoint.url"
_TRUST: Final = "ssl.truststore.location"

#: Kafka's own classes, which do the same as this library.
_SAME_CLASSES: Final = {
    _HANDLER: ("OAuthBearerLoginCallbackHandler",),
    _RETRIEVER: ("ClientCredentialsJwtRetriever", "DefaultJwtRetriever"),
}

Settings = dict[str, object]


def login_settings(keys: Mapping[str, str]) -> tuple[Settings, tuple[str, ...]]:
    """Return this library's settings for a login, and warnings.

    Arguments:
        keys: keys of Java's consumer without ``kafka.``; their ``security.protocol`` has SASL.

    Raises ``ConfigError`` for keys that need Java, or are incomplete.
    """
    for key, names in _SAME_CLASSES.items():
        given = keys.get(key, names[0]).strip()
        if given.rpartition(".")[2] not in names:
            raise key_error(key, f"names {given}, a Java class, and no Java runs here; only {names[0]} is known")
    mechanism = keys.get("sasl.mechanism", "").strip().upper() or "GSSAPI"
    if mechanism not in _LOGINS:
        raise key_error("sasl.mechanism", f"is {mechanism}; there are {', '.join(_LOGINS)}")
    name, read_login = _LOGINS[mechanism]
    module = _module(keys, mechanism, name)
    warnings = _kerberos_warnings(module) if mechanism == "GSSAPI" else ()
    return {"sasl.mechanism": mechanism, **read_login(keys, module)}, warnings


def _module(keys: Mapping[str, str], mechanism: str, name: str) -> LoginModule:
    text = keys.get("sasl.jaas.config")
    if text is None:
        return LoginModule(name, {})
    module = parse_jaas(text)
    if module.name != name:
        raise ConfigError(f"{KEY} must name {name} with kafka.sasl.mechanism={mechanism}", KEY)
    return module


def _by_password(_keys: Mapping[str, str], module: LoginModule) -> Settings:
    for option in ("username", "password"):
        if not module.text(option):
            raise ConfigError(f'{KEY} needs {option}: {module.name} required username="..." password="...";', KEY)
    if (module.text("tokenauth") or "").lower() == "true":
        raise ConfigError(f"{KEY} has tokenauth=true, but delegation tokens can't be used: log in as a user", KEY)
    return {"sasl.username": module.text("username"), "sasl.password": module.options["password"]}


def _by_kerberos(keys: Mapping[str, str], module: LoginModule) -> Settings:
    by_key, by_option = keys.get("sasl.kerberos.service.name"), module.text("serviceName")
    if by_key and by_option and by_key != by_option:
        raise ConfigError(f"{KEY} and kafka.sasl.kerberos.service.name name different services: give one", KEY)
    service = by_key or by_option
    if not service:
        raise key_error("sasl.kerberos.service.name", "is needed with kafka.sasl.mechanism=GSSAPI")
    return {"sasl.kerberos.service.name": service}


def _kerberos_warnings(module: LoginModule) -> tuple[str, ...]:
    if module.text("keyTab") is None and module.text("principal") is None:
        return ()
    return (
        f"{KEY}: keyTab and principal are not used; tickets are taken from the cache of credentials, or set "
        "KRB5_CLIENT_KTNAME to the key table in the environment of the driver and the executors",
    )


def _by_token(keys: Mapping[str, str], module: LoginModule) -> Settings:
    extensions = sorted(option for option in module.options if option.startswith("extension_"))
    if extensions:
        raise ConfigError(f"{KEY} has an option extension_..., and extensions can't be sent: remove it", KEY)
    settings: Settings = {"sasl.oauthbearer.method": "oidc", _ENDPOINT: _endpoint(keys)}
    for name, (key, option) in _OIDC_KEYS.items():
        value = keys.get(key) or module.text(option)
        if not value and name != "scope":
            raise key_error(key, f"is needed with kafka.sasl.mechanism=OAUTHBEARER (or {option} in {KEY})")
        if value:
            settings[f"sasl.oauthbearer.{name}"] = Secret(value) if name == "client.secret" else value
    return {**settings, **_provider_trust(module)}


def _endpoint(keys: Mapping[str, str]) -> str:
    url = keys.get(_ENDPOINT, "").strip()
    if not url:
        raise key_error(_ENDPOINT, "is needed with kafka.sasl.mechanism=OAUTHBEARER: tokens are asked for there")
    if not url.startswith("https://"):
        raise key_error(_ENDPOINT, "has to begin with https://: a secret is sent there")
    return url


def _provider_trust(module: LoginModule) -> Settings:
    """TLS for the token endpoint: the system's certificate authorities, or those in a PEM file."""
    location = module.text(_TRUST)
    others = {option for option in module.options if option.startswith("ssl.")} - {_TRUST, "ssl.truststore.type"}
    if others or (location and (module.text("ssl.truststore.type") or "").upper() != "PEM"):
        raise ConfigError(f"{KEY}: for the token endpoint only {_TRUST} with ssl.truststore.type=PEM can be given", KEY)
    return {"https.ca.location": location} if location else {}


#: The login module of each mechanism, and the function that translates its options.
_LOGINS: Final[Mapping[str, tuple[str, Callable[[Mapping[str, str], LoginModule], Settings]]]] = {
    "PLAIN": ("PlainLoginModule", _by_password),
    "SCRAM-SHA-256": ("ScramLoginModule", _by_password),
    "SCRAM-SHA-512": ("ScramLoginModule", _by_password),
    "GSSAPI": ("Krb5LoginModule", _by_kerberos),
    "OAUTHBEARER": ("OAuthBearerLoginModule", _by_token),
}
