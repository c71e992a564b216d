"""The options ``kafka.*``, which are keys of Java's consumer, translated to this library's ``ConsumerConfig``.

A job that moves here from Spark's built-in source keeps its ``kafka.*`` options. Each known key is taken over,
translated, ignored with a warning, or refused (``kafka_option_fates``). The other rules:

* An unknown key is an error if it is about security, or if it resembles a known key. Otherwise it is ignored with a
  warning, because Java's consumer ignores it as well.
* TLS or SASL keys with a ``security.protocol`` that does not use them are errors, because the user expects protection.
* Values that Java allows but this library does not are adapted.
* An empty value counts as absent, as in Java, except for ``ssl.endpoint.identification.algorithm``.

Reading options is pure, and ``KafkaOptions`` can be sent to another process. ``KafkaOptions.consumer_config`` reads the
stores, so it has to run where the consumer is created.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

from attrs import field

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.java_config.keys import JavaKeys
from kafka_nextgen.java_config.reconciling import reconciled
from kafka_nextgen.java_config.sasl import login_settings
from kafka_nextgen.java_config.stores import Identity, StoreFile
from kafka_nextgen.java_config.tls import TlsStores, client_identity, read_stores, tls_settings, trusted
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.other_clients.fates import same_value
from kafka_nextgen.other_clients.values import CONVERSIONS, without_listeners
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.properties.value_types import SecurityProtocol, one_of
from kafka_nextgen.spark.kafka_option_fates import (
    IGNORED,
    JAVA_KEYS,
    PREFIX,
    REFUSED,
    TAKEN_OVER,
    TRANSLATED,
    key_error,
)
from kafka_nextgen.text import misspelled, with_nearest

__all__ = ["KafkaOptions", "read_kafka_options"]

_SECURITY: Final = ("ssl.", "sasl.", "security.")
_ALGORITHM: Final = "ssl.endpoint.identification.algorithm"

#: TLS keys that many configurations without TLS have.
_NOTHING_TO_PROTECT: Final = frozenset({_ALGORITHM, "ssl.keystore.type", "ssl.truststore.type"})

#: Java's names of this library's keys, where they differ.
_JAVA_NAMES: Final = {
    "sasl.oauthbearer.client.id": "sasl.oauthbearer.client.credentials.client.id",
    "sasl.password": "sasl.jaas.config",
    "sasl.username": "sasl.jaas.config",
    "ssl.ca.location": "ssl.truststore.location",
    "ssl.ca.pem": "ssl.truststore.certificates",
    "ssl.certificate.location": "ssl.keystore.location",
}


@frozen
class KafkaOptions:
    """The ``kafka.*`` options of one query, checked without reading files.

    ``settings`` are pairs of this library's keys and values, sorted; ``stores`` are read later; ``warnings`` say which
    options have no effect, and why. Configurations with the same options are equal and have the same hash. Their
    ``repr`` shows no secrets.
    """

    settings: tuple[tuple[str, object], ...]
    stores: TlsStores = field(factory=TlsStores)
    warnings: tuple[str, ...] = field(default=(), eq=False)

    def consumer_config(self, **more: object) -> ConsumerConfig:
        """Return the configuration of a consumer on this machine.

        Arguments:
            more: more keys of ``ConsumerConfig`` in snake_case, which override these options.

        Raises ``ConfigError`` if a store can't be read.
        """
        trust, identity = trusted(self.stores), client_identity(self.stores)
        if (identity is not None and identity.text is not None) or self._converts(trust):
            return _with_context(self, more)
        certificate = {} if identity is None or identity.path is None else _certificate(identity.path, identity)
        return _parsed({**dict(self.settings), **trust, **certificate}, more)

    def _converts(self, trust: Mapping[str, object]) -> bool:
        """Return whether the trusted certificates are in a file that OpenSSL can't read."""
        return isinstance(self.stores.trust, StoreFile) and "ssl.ca.pem" in trust


def read_kafka_options(keys: Mapping[str, str]) -> KafkaOptions:
    """Read the options of Java's consumer.

    Arguments:
        keys: values by names in lower case without the prefix ``kafka.``.

    Raises ``ConfigError`` with the name of the option, prefix included.
    """
    given = {key: value for key, value in keys.items() if _is_used(key) and (value.strip() or key == _ALGORITHM)}
    used = JavaKeys(given, PREFIX)
    settings = _taken_over(used)
    protocol = _protocol(used.get("security.protocol", "PLAINTEXT"))
    tls, of_tls = _tls(used, protocol)
    login, of_login = _login(used, protocol)
    settings |= {**login, **tls, "allow.auto.create.topics": False}
    _parsed(settings, {})
    warnings = (*(_ignored(key) for key in keys if not _is_used(key)), *of_tls, *of_login)
    return KafkaOptions(tuple(sorted(settings.items())), read_stores(used), warnings)


def _is_used(key: str) -> bool:
    """Return whether a key has an effect. Raises ``ConfigError`` if it is refused."""
    if key in REFUSED:
        raise key_error(key, f"is not supported: {REFUSED[key]}")
    if key not in JAVA_KEYS:
        meant = misspelled(key, JAVA_KEYS)
        if meant or key.startswith(_SECURITY):
            unknown = with_nearest(PREFIX + key, meant and PREFIX + meant)
            raise ConfigError(f"there is no option {unknown}", PREFIX + key)
    return key in TAKEN_OVER or key in TRANSLATED


def _ignored(key: str) -> str:
    return f"the option kafka.{key} is ignored: {IGNORED.get(key, 'consumers do not have this key')}"


def _protocol(said: str) -> SecurityProtocol:
    try:
        return one_of(SecurityProtocol).read(said)
    except ValueError as error:
        raise key_error("security.protocol", str(error)) from None


def _login(keys: JavaKeys, protocol: SecurityProtocol) -> tuple[dict[str, object], tuple[str, ...]]:
    if protocol.uses_sasl:
        return login_settings(keys)
    _refuse_useless((key for key in keys if key.startswith("sasl.")), protocol, "SASL_PLAINTEXT or SASL_SSL")
    return {}, ()


def _tls(keys: JavaKeys, protocol: SecurityProtocol) -> tuple[dict[str, object], tuple[str, ...]]:
    if protocol.uses_tls:
        return tls_settings(keys), ()
    said = [key for key in keys if key.startswith("ssl.")]
    _refuse_useless((key for key in said if key not in _NOTHING_TO_PROTECT), protocol, "SSL or SASL_SSL")
    return {}, tuple(f"the option kafka.{key} is ignored: security.protocol does not use TLS" for key in said)


def _refuse_useless(keys: Iterable[str], protocol: SecurityProtocol, instead: str) -> None:
    for key in sorted(keys):
        raise key_error(
            key, f"has no effect with kafka.security.protocol={protocol.value}: set {instead}, or remove it"
        )


def _taken_over(keys: JavaKeys) -> dict[str, object]:
    """Return the settings with values adapted to this library's limits, where Java allows more."""
    conversions = {**CONVERSIONS, "bootstrap.servers": without_listeners}
    found = {key: conversions.get(key, same_value)(keys[key].strip()) for key in TAKEN_OVER & keys.keys()}
    return found | reconciled(found)


def _parsed(settings: Mapping[str, object], more: Mapping[str, object]) -> ConsumerConfig:
    try:
        return ConsumerConfig.parse({**settings, **{key.replace("_", "."): value for key, value in more.items()}})
    except ConfigError as error:
        raise _renamed(error) from None


def _renamed(error: ConfigError) -> ConfigError:
    key = _JAVA_NAMES.get(error.key or "", error.key or "")
    return ConfigError(f"the option kafka.{key} can't be used: {error}", PREFIX + key)


def _with_context(java: KafkaOptions, more: Mapping[str, object]) -> ConsumerConfig:
    """Return a configuration with SSL contexts, which are created again when a store changes."""
    from kafka_nextgen.transport.security.renewed_context import RenewedContext

    stores = (java.stores.trust, java.stores.identity)
    contexts = RenewedContext(
        lambda: _context(java, more), [each.path for each in stores if isinstance(each, StoreFile)]
    )
    others = {key: value for key, value in java.settings if not key.startswith("ssl.")}
    return _parsed({**others, "ssl.context": contexts}, more)


def _context(java: KafkaOptions, more: Mapping[str, object]) -> ssl.SSLContext:
    """Return an SSL context for the stores' current content. OpenSSL reads keys and certificates only from files."""
    from kafka_nextgen.transport.security.tls import client_context

    settings, identity = {**dict(java.settings), **trusted(java.stores)}, client_identity(java.stores)
    with ExitStack() as files:
        path = None if identity is None else identity.path
        if identity is not None and identity.text is not None:
            path = files.enter_context(_private_file(identity.text))
        certificate = {} if identity is None or path is None else _certificate(path, identity)
        config = _parsed({**settings, **certificate}, more)
        try:
            return client_context(config)
        except ConfigError as error:
            raise _unusable(error) from None


def _unusable(error: ConfigError) -> ConfigError:
    if error.key != "ssl.certificate.location":
        return _renamed(error)
    what = "kafka.ssl.keystore: the key and the certificates do not match, or kafka.ssl.key.password is wrong"
    return ConfigError(what, "kafka.ssl.keystore.location")


def _certificate(path: str, identity: Identity) -> dict[str, object]:
    password = {} if identity.key_password is None else {"ssl.key.password": identity.key_password}
    return {"ssl.certificate.location": path, **password}


@contextmanager
def _private_file(text: Secret) -> Iterator[str]:
    """Create a temporary file that only this user can read."""
    import tempfile  # imported here: it is slow to import, and most keys are in files already

    descriptor, path = tempfile.mkstemp(suffix=".pem")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text.reveal())
        yield path
    finally:
        os.unlink(path)
