"""Translate Java's ``sasl.*`` keys to this library's keys.

==============  =======================  =================================================================
mechanism       login module             its options
==============  =======================  =================================================================
PLAIN           PlainLoginModule         ``username``, ``password``: sasl.username, sasl.password
SCRAM-SHA-...   ScramLoginModule         the same; ``tokenauth`` (delegation tokens) is refused
GSSAPI          Krb5LoginModule          ``serviceName``: sasl.kerberos.service.name; to use a keytab, set
                                         ``KRB5_CLIENT_KTNAME`` in the environment
OAUTHBEARER     OAuthBearerLoginModule   ``clientId``, ``clientSecret``, ``scope``: for the OpenID provider
                                         at sasl.oauthbearer.token.endpoint.url
==============  =======================  =================================================================

Without ``sasl.mechanism`` Java uses GSSAPI. Kafka 4.1's keys for a client's id, its secret and the scope override the
options of the login module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from kafka_nextgen.java_config.jaas import KEY, LoginModule, parse_jaas
from kafka_nextgen.java_config.keys import JavaKeys
from kafka_nextgen.properties.secret import Secret

__all__ = ["check_classes", "login_settings"]

_OIDC_KEYS: Final = {
    "client.id": ("sasl.oauthbearer.client.credentials.client.id", "clientId"),
    "client.secret": ("sasl.oauthbearer.client.credentials.client.secret", "clientSecret"),
    "scope": ("sasl.oauthbearer.scope", "scope"),
}
_HANDLER: Final = "sasl.login.callback.handler.class"
_RETRIEVER: Final = "sasl.oauthbearer.jwt.retriever.class"
_ENDPOINT: Final = "sasl.oauthbearer.token.endpoint.url"
_SERVICE: Final = "sasl.kerberos.service.name"
_TRUST: Final = "ssl.truststore.location"

#: Kafka's own classes, which this library replaces.
_SAME_CLASSES: Final = {
    _HANDLER: ("OAuthBearerLoginCallbackHandler",),
    _RETRIEVER: ("ClientCredentialsJwtRetriever", "DefaultJwtRetriever"),
}

Settings = dict[str, object]


def login_settings(keys: JavaKeys) -> tuple[Settings, tuple[str, ...]]:
    """Return this library's authentication settings, and warnings.

    Arguments:
        keys: keys of Java's consumer; their ``security.protocol`` uses SASL.

    Raises ``ConfigError`` for keys that need Java, and for incomplete settings.
    """
    check_classes(keys)
    mechanism = keys.get("sasl.mechanism", "").strip().upper() or "GSSAPI"
    if mechanism not in _LOGINS:
        raise keys.error("sasl.mechanism", f"is {mechanism}, which is not supported: use one of {', '.join(_LOGINS)}")
    name, read_login = _LOGINS[mechanism]
    module = _module(keys, mechanism, name)
    warnings = _kerberos_warnings(keys, module) if mechanism == "GSSAPI" else ()
    return {"sasl.mechanism": mechanism, **read_login(keys, module)}, warnings


def check_classes(keys: JavaKeys) -> None:
    """Raise ``ConfigError`` for classes other than Kafka's own, which this library replaces."""
    for key, names in _SAME_CLASSES.items():
        given = keys.get(key, names[0]).strip()
        if given.rpartition(".")[2] not in names:
            raise keys.error(key, f"is {given}, a Java class, but Java is not used here; only {names[0]} is supported")


def _module(keys: JavaKeys, mechanism: str, name: str) -> LoginModule:
    text = keys.get(KEY)
    if text is None:
        return LoginModule(name, {})
    module = parse_jaas(text, keys.name(KEY))
    if module.name != name:
        raise keys.error(KEY, f"must name {name} with {keys.name('sasl.mechanism')}={mechanism}")
    return module


def _by_password(keys: JavaKeys, module: LoginModule) -> Settings:
    for option in ("username", "password"):
        if not module.text(option):
            raise keys.error(KEY, f'needs {option}: {module.name} required username="..." password="...";')
    if (module.text("tokenauth") or "").lower() == "true":
        raise keys.error(KEY, "has tokenauth=true, but delegation tokens are not supported: log in as a user")
    return {"sasl.username": module.text("username"), "sasl.password": module.options["password"]}


def _by_kerberos(keys: JavaKeys, module: LoginModule) -> Settings:
    by_key, by_option = keys.get(_SERVICE), module.text("serviceName")
    if by_key and by_option and by_key != by_option:
        raise keys.error(KEY, f"and {keys.name(_SERVICE)} name different services: set only one")
    service = by_key or by_option
    if not service:
        raise keys.error(_SERVICE, f"is needed with {keys.name('sasl.mechanism')}=GSSAPI")
    return {_SERVICE: service}


def _kerberos_warnings(keys: JavaKeys, module: LoginModule) -> tuple[str, ...]:
    if module.text("keyTab") is None and module.text("principal") is None:
        return ()
    return (
        f"{keys.name(KEY)}: keyTab and principal are not used; tickets are taken from the credential cache. To use a "
        "keytab, set KRB5_CLIENT_KTNAME to its path in the environment of every process that connects",
    )


def _by_token(keys: JavaKeys, module: LoginModule) -> Settings:
    if any(option.startswith("extension_") for option in module.options):
        raise keys.error(KEY, "has an option extension_..., but SASL extensions are not supported: remove it")
    settings: Settings = {"sasl.oauthbearer.method": "oidc", _ENDPOINT: _endpoint(keys)}
    for name, (key, option) in _OIDC_KEYS.items():
        value = keys.get(key) or module.text(option)
        if not value and name != "scope":
            with_oauth = f"{keys.name('sasl.mechanism')}=OAUTHBEARER"
            raise keys.error(key, f"is needed with {with_oauth} (or {option} in {keys.name(KEY)})")
        if value:
            settings[f"sasl.oauthbearer.{name}"] = Secret(value) if name == "client.secret" else value
    return {**settings, **_provider_trust(keys, module)}


def _endpoint(keys: JavaKeys) -> str:
    url = keys.get(_ENDPOINT, "").strip()
    if not url:
        needed = f"is needed with {keys.name('sasl.mechanism')}=OAUTHBEARER: tokens are requested there"
        raise keys.error(_ENDPOINT, needed)
    if not url.startswith("https://"):
        raise keys.error(_ENDPOINT, "must begin with https://, because a secret is sent there")
    return url


def _provider_trust(keys: JavaKeys, module: LoginModule) -> Settings:
    """TLS for the token endpoint: the system's certificate authorities, or those in a PEM file."""
    location = module.text(_TRUST)
    others = {option for option in module.options if option.startswith("ssl.")} - {_TRUST, "ssl.truststore.type"}
    if others or (location and (module.text("ssl.truststore.type") or "").upper() != "PEM"):
        raise keys.error(KEY, f"can have only {_TRUST} with ssl.truststore.type=PEM for the token endpoint")
    return {"https.ca.location": location} if location else {}


#: The login module of each mechanism, and the function that translates its options.
_LOGINS: Final[Mapping[str, tuple[str, Callable[[JavaKeys, LoginModule], Settings]]]] = {
    "PLAIN": ("PlainLoginModule", _by_password),
    "SCRAM-SHA-256": ("ScramLoginModule", _by_password),
    "SCRAM-SHA-512": ("ScramLoginModule", _by_password),
    "GSSAPI": ("Krb5LoginModule", _by_kerberos),
    "OAUTHBEARER": ("OAuthBearerLoginModule", _by_token),
}
