"""Translate the options of Java's consumer, with Spark's prefix ``kafka.``, to this library's ``ConsumerConfig``.

A job that moves here from Spark's built-in source keeps its ``kafka.*`` options. Each known key is taken over,
translated, ignored with a warning, or refused (``java_keys``). The other rules:

* An unknown key is an error if it is about security, or if it resembles a known key. Otherwise it is ignored with a
  warning, because Java's consumer ignores it as well.
* Keys of TLS or SASL with a ``security.protocol`` without it are errors, because the user expects protection.
* Values that Java allows and this library does not are adapted (``_reconciled``).
* An empty value counts as absent, as in Java, except for ``ssl.endpoint.identification.algorithm``.

Reading options is pure, and a ``JavaConfig`` can be sent to another process. ``JavaConfig.consumer_config`` reads the
stores, so it has to run where the consumer is created.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from attrs import field, frozen

from kafka_nextgen.config import FRAME_OVERHEAD_BYTES, MIB, ConsumerConfig
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.properties import INT32_MAX, SecurityProtocol, one_of
from kafka_nextgen.secret import Secret
from kafka_nextgen.spark.java_keys import IGNORED, JAVA_KEYS, PREFIX, REFUSED, TAKEN_OVER, TRANSLATED, key_error
from kafka_nextgen.spark.java_sasl import login_settings
from kafka_nextgen.spark.java_stores import Identity
from kafka_nextgen.spark.java_tls import TlsStores, client_identity, read_stores, tls_settings, trusted
from kafka_nextgen.text import nearest, with_nearest

__all__ = ["JavaConfig", "read_java_config"]

_SECURITY: Final = ("ssl.", "sasl.", "security.")
_ALGORITHM: Final = "ssl.endpoint.identification.algorithm"
_LISTENER: Final = re.compile(r"[A-Za-z_]+://")
_DEFAULT_FRAME_BYTES: Final = 100 * MIB
_DEFAULT_LONGEST_PAUSE_MS: Final = "1000"
_RECONNECT: Final = "reconnect.backoff.ms"
_SIMILAR: Final = 0.85

#: Keys of TLS that many configurations without TLS have.
_NOTHING_TO_PROTECT: Final = frozenset({_ALGORITHM, "ssl.keystore.type", "ssl.truststore.type"})

_PAUSES: Final = (("retry.backoff.ms", "retry.backoff.max.ms"), (_RECONNECT, "reconnect.backoff.max.ms"))

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
class JavaConfig:
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
        settings = {**dict(self.settings), **trusted(self.stores)}
        identity = client_identity(self.stores)
        if identity is None:
            return _parsed(settings, more)
        if identity.path is not None:
            return _parsed({**settings, **_certificate(identity.path, identity)}, more)
        return _with_context(settings, identity, more)


def read_java_config(keys: Mapping[str, str]) -> JavaConfig:
    """Read the options of Java's consumer.

    Arguments:
        keys: values by names in lower case without the prefix ``kafka.``.

    Raises ``ConfigError`` with the name of the option, prefix included.
    """
    used = {key: value for key, value in keys.items() if _is_used(key) and (value.strip() or key == _ALGORITHM)}
    settings = _reconciled({key: used[key].strip() for key in TAKEN_OVER & used.keys()})
    protocol = _protocol(used.get("security.protocol", "PLAINTEXT"))
    tls, of_tls = _tls(used, protocol)
    login, of_login = _login(used, protocol)
    settings |= {**login, **tls, "allow.auto.create.topics": False}
    _parsed(settings, {})
    warnings = (*(_ignored(key) for key in keys if not _is_used(key)), *of_tls, *of_login)
    return JavaConfig(tuple(sorted(settings.items())), read_stores(used), warnings)


def _is_used(key: str) -> bool:
    """Return whether a key has an effect. Raises ``ConfigError`` if it is refused."""
    if key in REFUSED:
        raise key_error(key, f"is not supported: {REFUSED[key]}")
    if key not in JAVA_KEYS:
        meant = nearest(key, JAVA_KEYS, _SIMILAR)
        if meant or key.startswith(_SECURITY):
            unknown = with_nearest(PREFIX + key, meant and PREFIX + meant)
            raise ConfigError(f"there is no option {unknown}", PREFIX + key)
    return key in TAKEN_OVER or key in TRANSLATED


def _ignored(key: str) -> str:
    return f"the option kafka.{key} is ignored: {IGNORED.get(key, 'there is no such key of a consumer')}"


def _protocol(said: str) -> SecurityProtocol:
    try:
        return one_of(SecurityProtocol).read(said)
    except ValueError as error:
        raise key_error("security.protocol", str(error)) from None


def _login(keys: Mapping[str, str], protocol: SecurityProtocol) -> tuple[dict[str, object], tuple[str, ...]]:
    if protocol.uses_sasl:
        return login_settings(keys)
    _refuse_useless((key for key in keys if key.startswith("sasl.")), protocol, "SASL_PLAINTEXT or SASL_SSL")
    return {}, ()


def _tls(keys: Mapping[str, str], protocol: SecurityProtocol) -> tuple[dict[str, object], tuple[str, ...]]:
    if protocol.uses_tls:
        return tls_settings(keys), ()
    said = [key for key in keys if key.startswith("ssl.")]
    _refuse_useless((key for key in said if key not in _NOTHING_TO_PROTECT), protocol, "SSL or SASL_SSL")
    return {}, tuple(f"the option kafka.{key} is ignored: security.protocol has no TLS" for key in said)


def _refuse_useless(keys: Iterable[str], protocol: SecurityProtocol, instead: str) -> None:
    for key in sorted(keys):
        raise key_error(key, f"is of no use with kafka.security.protocol={protocol.value}: set {instead}, or remove it")


def _reconciled(settings: dict[str, str]) -> dict[str, object]:
    """Return settings with values that this library allows, where Java allows more."""
    found: dict[str, object] = dict(settings)
    if "bootstrap.servers" in settings:
        written = settings["bootstrap.servers"].split(",")
        found["bootstrap.servers"] = ",".join(_LISTENER.sub("", server.strip()) for server in written)
    if settings.get("connections.max.idle.ms") == "-1":  # Java never closes idle connections then
        found["connections.max.idle.ms"] = INT32_MAX
    return found | _fetch_sizes(settings) | _pauses(settings)


def _fetch_sizes(settings: Mapping[str, str]) -> dict[str, object]:
    """A response has to fit into a frame, whose size is a 32-bit number."""
    size = _number(settings.get("fetch.max.bytes"))
    if size is None or size + FRAME_OVERHEAD_BYTES <= _DEFAULT_FRAME_BYTES or size > INT32_MAX:
        return {}
    size = min(size, INT32_MAX - FRAME_OVERHEAD_BYTES)
    return {"fetch.max.bytes": size, "receive.message.max.bytes": size + FRAME_OVERHEAD_BYTES}


def _pauses(settings: Mapping[str, str]) -> dict[str, object]:
    """Java uses a constant pause if the longest pause is below the first (KIP-580).

    The pause before reconnecting is also constant if no longest one is given
    (``CommonClientConfigs.postProcessReconnectBackoffConfigs``).
    """
    found: dict[str, object] = {}
    for first, longest in _PAUSES:
        begin, end = _number(settings.get(first)), _number(settings.get(longest, _DEFAULT_LONGEST_PAUSE_MS))
        if begin is not None and first == _RECONNECT and longest not in settings:
            found[longest] = begin
        elif begin is not None and end is not None and begin > end:
            found[first] = end
    return found


def _number(said: str | None) -> int | None:
    return int(said) if said is not None and said.isascii() and said.isdecimal() else None


def _parsed(settings: Mapping[str, object], more: Mapping[str, object]) -> ConsumerConfig:
    try:
        return ConsumerConfig.parse({**settings, **{key.replace("_", "."): value for key, value in more.items()}})
    except ConfigError as error:
        raise _renamed(error) from None


def _renamed(error: ConfigError) -> ConfigError:
    key = _JAVA_NAMES.get(error.key or "", error.key or "")
    return ConfigError(f"the option kafka.{key} can't be used: {error}", PREFIX + key)


def _with_context(settings: Mapping[str, object], identity: Identity, more: Mapping[str, object]) -> ConsumerConfig:
    """Return a configuration with an SSL context: OpenSSL reads keys and certificates only from files."""
    from kafka_nextgen.transport.security.tls import client_context

    assert identity.text is not None
    with _private_file(identity.text) as path:
        config = _parsed({**settings, **_certificate(path, identity)}, more)
        try:
            context = client_context(config)
        except ConfigError as error:
            raise _unusable(error) from None
    others = {key: value for key, value in settings.items() if not key.startswith("ssl.")}
    return _parsed({**others, "ssl.context": context}, more)


def _unusable(error: ConfigError) -> ConfigError:
    if error.key != "ssl.certificate.location":
        return _renamed(error)
    what = "kafka.ssl.keystore: the key and the certificates do not belong together, or kafka.ssl.key.password is wrong"
    return ConfigError(what, "kafka.ssl.keystore.location")


def _certificate(path: str, identity: Identity) -> dict[str, object]:
    password = {} if identity.key_password is None else {"ssl.key.password": identity.key_password}
    return {"ssl.certificate.location": path, **password}


@contextmanager
def _private_file(text: Secret) -> Iterator[str]:
    """Create a temporary file that only this user can read."""
    import tempfile  # imports much, and most keys are in files already

    descriptor, path = tempfile.mkstemp(suffix=".pem")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text.reveal())
        yield path
    finally:
        os.unlink(path)
