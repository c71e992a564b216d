"""Translate the configuration of another client: Java's, librdkafka's (confluent-kafka), kafka-python's or aiokafka's.

A key is looked up in this library's keys, then in the tables of other clients. An unknown key is a problem if it is
about security or resembles a known key, since it may be a typo; otherwise it is dropped, as Java does. All
problems are collected. Warnings and problems show no value that may be secret.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Final

from attrs import Factory

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.java_config.jaas import KEY as JAAS
from kafka_nextgen.java_config.keys import JavaKeys
from kafka_nextgen.java_config.reconciling import reconciled
from kafka_nextgen.java_config.sasl import check_classes, login_settings
from kafka_nextgen.java_config.tls import client_identity, read_stores, tls_settings, trusted
from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.other_clients.advice import meant_key, unknown_keys
from kafka_nextgen.other_clients.fates import Dropped, Mapped, Refused, same_value
from kafka_nextgen.other_clients.java_keys import LOGIN_KEYS, STORE_KEYS
from kafka_nextgen.other_clients.tables import fate_of
from kafka_nextgen.other_clients.values import CONVERSIONS
from kafka_nextgen.properties.secret import Secret

__all__ = ["Setting", "Translation", "translate"]

_ALGORITHM: Final = "ssl.endpoint.identification.algorithm"
_CIPHERS: Final = "ssl.cipher.suites"
_CLASSES: Final = ("sasl.login.callback.handler.class", "sasl.oauthbearer.jwt.retriever.class")
_SECURITY: Final = ("ssl.", "sasl.", "security.")
_SERVICE: Final = "sasl.kerberos.service.name"
#: Keys that do not show that the user expects TLS.
_NOTHING_TO_PROTECT: Final = frozenset({_ALGORITHM, "ssl.keystore.type", "ssl.truststore.type"})
#: Keys given as PEM text, which are refused.
_TEXTS: Final = frozenset({"ssl.keystore.certificate.chain", "ssl.keystore.key"})
_BY_OWN_KEYS: Final = ("oauth.cb", "sasl.oauthbearer.method")


@frozen
class Setting:
    """A value for a key of this library, and the key that was ``written``."""

    written: str
    value: object


@define
class Translation:
    """The result: settings by this library's keys, warnings, and problems that prevent its use."""

    settings: dict[str, Setting] = Factory(dict)
    warnings: list[str] = Factory(list)
    problems: list[ConfigError] = Factory(list)

    def attempt(self, step: Callable[[], None]) -> None:
        """Run a step, and keep its error as a problem."""
        try:
            step()
        except ConfigError as error:
            self.problems.append(error)

    def put(self, key: str, written: str, value: object) -> None:
        """Set a key. Raises ``ConfigError`` if another key has set it to another value."""
        first = self.settings.get(key)
        if first is not None and first.value != value:
            raise ConfigError(f"{written} and {first.written} set {key} to different values: remove one", written)
        self.settings.setdefault(key, Setting(written, value))


def translate(properties: Mapping[str, object], known: Collection[str], ignored: Mapping[str, str]) -> Translation:
    """Translate a configuration.

    Arguments:
        properties: keys of any client, with dots or underscores, and text or Python objects. None, and text that is
            blank, count as absent.
        known: this library's keys.
        ignored: the keys among them that are dropped here, with the reasons.
    """
    found = Translation()
    given = _given(properties, found)
    for key in [key for key in given if key in ignored]:
        found.warnings.append(f"{given.pop(key).written} is ignored: {ignored[key]}")
    for key, setting in given.items():
        found.attempt(partial(_take, found, key, setting, known))
    protocol = str(given["security.protocol"].value).strip().upper() if "security.protocol" in given else ""
    if "SASL" in protocol:
        found.attempt(lambda: _log_in(found, given))
    if "SSL" in protocol:
        found.attempt(lambda: _trust(found, given))
    _drop_what_protects_nothing(found, given, protocol)
    _reconcile(found)
    return found


def dotted(written: object) -> str:
    """A key with dots."""
    return str(written).replace("_", ".")


def _given(properties: Mapping[str, object], found: Translation) -> dict[str, Setting]:
    seen: dict[str, Setting] = {}
    for written, value in properties.items():
        key = dotted(written)
        is_absent = value is None or (isinstance(value, str) and not value.strip() and key != _ALGORITHM)
        if is_absent:
            continue
        first = seen.setdefault(key, Setting(str(written), value))
        if first.value != value:
            why = f"{written} is given twice with different values, as {first.written} and as {written}"
            found.problems.append(ConfigError(why, str(written)))
    return seen


def _take(found: Translation, key: str, setting: Setting, known: Collection[str]) -> None:
    """Handle one key. Raises ``ConfigError`` if it is refused."""
    if key in LOGIN_KEYS or isinstance(STORE_KEYS.get(key), Mapped | Dropped):
        return  # these keys are translated together later
    fate = Mapped(key) if key in known else fate_of(key)
    written = setting.written
    if isinstance(fate, Mapped):
        _put_converted(found, fate, setting)
    elif isinstance(fate, Dropped):
        if not fate.accepts(setting.value):
            raise ConfigError(f"{written}={setting.value} is not supported: {_reason(fate)}", written)
        found.warnings.append(f"{written} is ignored: {fate.why}")
    elif isinstance(fate, Refused):
        raise ConfigError(f"{written} is not supported: {fate.why}", written)
    else:
        _take_unknown(found, key, written, known)


def _reason(fate: Dropped) -> str:
    return fate.otherwise.removeprefix("refused, because ").removeprefix("refused: ")


def _put_converted(found: Translation, fate: Mapped, setting: Setting) -> None:
    convert = CONVERSIONS.get(fate.key, same_value)
    try:
        value = convert(fate.convert(setting.value))
    except ValueError as error:
        raise ConfigError(f"{setting.written} {error}", setting.written) from None
    if value is not None:
        found.put(fate.key, setting.written, value)


def _take_unknown(found: Translation, key: str, written: str, known: Collection[str]) -> None:
    if key.startswith(_SECURITY) or meant_key(written, known):
        raise ConfigError(unknown_keys([written], known), written)
    found.warnings.append(f"{written} is ignored: no client has such a key")


def _log_in(found: Translation, given: Mapping[str, Setting]) -> None:
    """Translate the authentication settings of Java's client. Settings by this library's own keys are kept
    unchanged."""
    # GSSAPI is the default of Java and librdkafka.
    said = found.settings.setdefault("sasl.mechanism", Setting("sasl.mechanism", "GSSAPI"))
    mechanism = str(said.value).strip().upper()
    if mechanism != "GSSAPI" and _SERVICE in found.settings:
        written = found.settings.pop(_SERVICE).written
        found.warnings.append(f"{written} is ignored: it is not used with {mechanism}")
    java = _java_keys({**given, "sasl.mechanism": Setting(said.written, mechanism)})
    check_classes(java)
    if JAAS not in given and (mechanism != "OAUTHBEARER" or any(key in given for key in _BY_OWN_KEYS)):
        _take_together(found, given, LOGIN_KEYS)
        return
    settings, warnings = login_settings(java)
    found.warnings.extend(warnings)
    written = given[JAAS].written if JAAS in given else "sasl.mechanism"
    for key, value in settings.items():
        if key not in given:
            found.put(key, written, value)


def _java_keys(given: Mapping[str, Setting]) -> JavaKeys:
    values: dict[str, str] = {}
    for key, setting in given.items():
        value = setting.value.reveal() if isinstance(setting.value, Secret) else setting.value
        if isinstance(value, str):
            values[key] = value
    return JavaKeys(values, written={key: setting.written for key, setting in given.items()})


def _take_together(found: Translation, given: Mapping[str, Setting], table: Mapping[str, object]) -> None:
    for key in table:
        fate = table[key]
        if key in given and isinstance(fate, Mapped):
            _put_converted(found, fate, given[key])


def _trust(found: Translation, given: Mapping[str, Setting]) -> None:
    """Translate the trust stores and key stores of Java's client."""
    java = _java_keys(given)
    for key, value in tls_settings(java).items():
        found.settings[key] = Setting(given[key].written, value)
    stores = read_stores(JavaKeys({k: v for k, v in java.items() if k not in _TEXTS}, java.prefix, java.written))
    for key, value in trusted(stores).items():
        found.put(key, _first(given, "ssl.truststore.location", "ssl.truststore.certificates"), value)
    identity = client_identity(stores)
    if identity is not None and identity.path is not None:
        found.put("ssl.certificate.location", "ssl.keystore.location", identity.path)
    elif identity is not None:
        location = given["ssl.keystore.location"]
        path = location.value
        convert = f"openssl pkcs12 -in {path} -out {path}.pem, then set ssl.certificate.location={path}.pem"
        raise ConfigError(f"{location.written} is PKCS12, and only a key in PEM is read: {convert}", location.written)


def _first(given: Mapping[str, Setting], *keys: str) -> str:
    return next((given[key].written for key in keys if key in given), keys[0])


def _drop_what_protects_nothing(found: Translation, given: Mapping[str, Setting], protocol: str) -> None:
    """Without TLS or SASL their keys are problems, because the user expects protection."""
    for key, setting in given.items():
        if "SSL" not in protocol and key in _NOTHING_TO_PROTECT:
            found.settings.pop(key, None)
            found.warnings.append(f"{setting.written} is ignored: security.protocol does not use TLS")
        elif key in STORE_KEYS and "SSL" not in protocol:
            found.problems.append(_useless(setting.written, protocol, "SSL or SASL_SSL"))
        elif key in _CLASSES and "SASL" not in protocol:
            found.warnings.append(f"{setting.written} is ignored: security.protocol does not use SASL")
        elif key in LOGIN_KEYS and "SASL" not in protocol:
            found.problems.append(_useless(setting.written, protocol, "SASL_PLAINTEXT or SASL_SSL"))


def _useless(written: str, protocol: str, instead: str) -> ConfigError:
    why = f"has no effect with security.protocol={protocol or 'PLAINTEXT'}: set {instead}, or remove it"
    return ConfigError(f"{written} {why}", written)


def _reconcile(found: Translation) -> None:
    adapted = reconciled({key: setting.value for key, setting in found.settings.items()})
    for key, value in adapted.items():
        written = found.settings[key].written if key in found.settings else key
        found.settings[key] = Setting(written, value)
