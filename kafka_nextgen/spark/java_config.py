"""Options of Java's consumer, as Spark takes them with the prefix ``kafka.``, for this library's ``ConsumerConfig``.

A job that moves here from Spark's built-in source keeps its ``kafka.*`` options. ``java_keys`` says of each key whether
it is taken over, translated, ignored with a warning, or refused. The rest of the rules:

* A key that is in none of those tables is an error if it is about security, or if it looks like a misspelt one.
  Otherwise it is ignored with a warning: Java's consumer ignores it as well.
* Keys of TLS and SASL beside a ``security.protocol`` without TLS or SASL are errors: they are meant to protect.
* Limits that Java does not have are moved out of the way (``_reconciled``).
* An empty text is as good as none, as in Java, but for an empty ``ssl.endpoint.identification.algorithm``.

Reading options is pure. ``JavaConfig.consumer_config`` reads the stores, and has to run where the consumer is made: a
``JavaConfig`` goes from process to process, a ``ConsumerConfig`` with a key in it does not.
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
from kafka_nextgen.spark.java_keys import IGNORED, JAVA_KEYS, PREFIX, REFUSED, TAKEN_OVER, TRANSLATED, wrong
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

#: Keys of TLS that protect nothing, and stay in many configurations without TLS.
_NOTHING_TO_PROTECT: Final = frozenset({_ALGORITHM, "ssl.keystore.type", "ssl.truststore.type"})

_PAUSES: Final = (("retry.backoff.ms", "retry.backoff.max.ms"), (_RECONNECT, "reconnect.backoff.max.ms"))

#: This library's names of what Java names otherwise.
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
    """The ``kafka.*`` options of one query, checked as far as that needs no file.

    ``settings`` are pairs of this library's keys and values, sorted; ``stores`` are read later; ``warnings`` say which
    options have no effect, and why. Two configurations with the same options are equal and have the same hash, so one
    can be the key of a cache of consumers. No secret is shown.
    """

    settings: tuple[tuple[str, object], ...]
    stores: TlsStores = field(factory=TlsStores)
    warnings: tuple[str, ...] = field(default=(), eq=False)

    def consumer_config(self, **more: object) -> ConsumerConfig:
        """The configuration of a consumer on this machine.

        Arguments:
            more: further keys of ``ConsumerConfig`` in snake_case, which come before these options.

        Raises ``ConfigError`` if a store can't be read.
        """
        settings = {**dict(self.settings), **trusted(self.stores)}
        identity = client_identity(self.stores)
        if identity is None:
            return _parsed(settings, more)
        if identity.path is not None:
            return _parsed({**settings, **_shown(identity.path, identity)}, more)
        return _with_context(settings, identity, more)


def read_java_config(keys: Mapping[str, str]) -> JavaConfig:
    """Read the options of Java's consumer.

    Arguments:
        keys: names in lower case without the prefix ``kafka.``, and their values as written.

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
    """Whether a key has a meaning here; raises ``ConfigError`` if it is refused."""
    if key in REFUSED:
        raise wrong(key, f"is not supported: {REFUSED[key]}")
    if key not in JAVA_KEYS:
        _refuse_misspelt(key)
    return key in TAKEN_OVER or key in TRANSLATED


def _refuse_misspelt(key: str) -> None:
    meant = nearest(key, JAVA_KEYS, _SIMILAR)
    if meant or key.startswith(_SECURITY):
        raise ConfigError(f"there is no option {with_nearest(PREFIX + key, meant and PREFIX + meant)}", PREFIX + key)


def _ignored(key: str) -> str:
    return f"the option kafka.{key} is ignored: {IGNORED.get(key, 'there is no such key of a consumer')}"


def _protocol(said: str) -> SecurityProtocol:
    try:
        return one_of(SecurityProtocol).read(said)
    except ValueError as error:
        raise wrong("security.protocol", str(error)) from None


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
        raise wrong(key, f"is of no use with kafka.security.protocol={protocol.value}: set {instead}, or remove it")


def _reconciled(settings: dict[str, str]) -> dict[str, object]:
    """The same settings, where they keep to limits of Java but not to those of this library."""
    found: dict[str, object] = dict(settings)
    if "bootstrap.servers" in settings:
        written = settings["bootstrap.servers"].split(",")
        found["bootstrap.servers"] = ",".join(_LISTENER.sub("", server.strip()) for server in written)
    if settings.get("connections.max.idle.ms") == "-1":  # never, for Java
        found["connections.max.idle.ms"] = INT32_MAX
    return found | _fetch_sizes(settings) | _pauses(settings)


def _fetch_sizes(settings: Mapping[str, str]) -> dict[str, object]:
    """An answer has to fit in a frame, and a frame in the wire's limit."""
    size = _number(settings.get("fetch.max.bytes"))
    if size is None or size + FRAME_OVERHEAD_BYTES <= _DEFAULT_FRAME_BYTES or size > INT32_MAX:
        return {}
    size = min(size, INT32_MAX - FRAME_OVERHEAD_BYTES)
    return {"fetch.max.bytes": size, "receive.message.max.bytes": size + FRAME_OVERHEAD_BYTES}


def _pauses(settings: Mapping[str, str]) -> dict[str, object]:
    """Java takes a longest pause that is below the first as a constant pause (KIP-580).

    A first pause before reconnecting is constant as well if no longest one is given
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
    """An error about a key of this library, by the name of the option that it comes from."""
    key = _JAVA_NAMES.get(error.key or "", error.key or "")
    return ConfigError(f"the option kafka.{key} can't be used: {error}", PREFIX + key)


def _with_context(settings: Mapping[str, object], identity: Identity, more: Mapping[str, object]) -> ConsumerConfig:
    """A configuration with a ready context: OpenSSL reads a key and its certificates from files only."""
    from kafka_nextgen.transport.security.tls import client_context

    assert identity.text is not None
    with _private_file(identity.text) as path:
        config = _parsed({**settings, **_shown(path, identity)}, more)
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


def _shown(path: str, identity: Identity) -> dict[str, object]:
    password = {} if identity.key_password is None else {"ssl.key.password": identity.key_password}
    return {"ssl.certificate.location": path, **password}


@contextmanager
def _private_file(text: Secret) -> Iterator[str]:
    """A file that only this user can read, for as long as it takes."""
    import tempfile  # loads much, and few keys are not in files already

    descriptor, path = tempfile.mkstemp(suffix=".pem")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text.reveal())
        yield path
    finally:
        os.unlink(path)
