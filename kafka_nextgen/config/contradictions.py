"""Rules that involve several keys. A configuration can break any of them even if every single value is valid.

Every TLS or SASL key that is set must have an effect, and every login must be complete: a missing key never disables
security silently.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import attrs

from kafka_nextgen.config.keys import KEYS, ConsumerKeys
from kafka_nextgen.properties.security_config import OauthMethod, SaslMechanism, SecurityConfig
from kafka_nextgen.properties.value_types import FRAME_OVERHEAD_BYTES, GroupProtocol, SecurityProtocol

__all__ = ["contradictions"]

#: Pairs of keys whose first value must be at most the second value minus a margin.
_ORDERED = (
    ("fetch.min.bytes", "fetch.max.bytes", 0),
    ("fetch.max.bytes", "receive.message.max.bytes", FRAME_OVERHEAD_BYTES),
    ("fetch.max.wait.ms", "request.timeout.ms", 1),
    ("retry.backoff.ms", "retry.backoff.max.ms", 0),
    ("heartbeat.interval.ms", "session.timeout.ms", 1),
    ("reconnect.backoff.ms", "reconnect.backoff.max.ms", 0),
)

_WITH_TLS = " or ".join(protocol.value for protocol in SecurityProtocol if protocol.uses_tls)
_WITH_SASL = " or ".join(protocol.value for protocol in SecurityProtocol if protocol.uses_sasl)
_MECHANISMS = ", ".join(mechanism.value for mechanism in SaslMechanism)
_OIDC_KEYS = (
    "sasl_oauthbearer_token_endpoint_url",
    "sasl_oauthbearer_client_id",
    "sasl_oauthbearer_client_secret",
)
_NAMES = tuple(field.name for field in attrs.fields(SecurityConfig) if "value_type" in field.metadata)
_TLS_KEYS = tuple(name for name in _NAMES if "ssl_" in name)

#: The keys that ``ssl_context`` replaces.
_KEYS_OF_CONTEXT = tuple(
    name for name in _TLS_KEYS if name not in ("ssl_context", "ssl_truststore_type", "ssl_keystore_type")
)

#: The keys that only some mechanisms use.
_LOGIN_KEYS = tuple(
    name for name in _NAMES if name.startswith(("sasl_", "oauth_", "https_")) and name != "sasl_mechanism"
)


def contradictions(config: ConsumerKeys) -> Iterator[tuple[bool, str, str]]:
    """Yield, for each rule, whether it is broken, its message, and the key to change."""
    yield not config.bootstrap_servers, "bootstrap.servers is required: host:port,...", "bootstrap.servers"
    if config.group_id is None:
        yield config.enable_auto_commit, "enable.auto.commit=true needs a group.id", "enable.auto.commit"
        yield config.group_instance_id is not None, "group.instance.id needs a group.id", "group.instance.id"
    if config.group_protocol is GroupProtocol.CLASSIC:
        why = "group.remote.assignor can't be set with group.protocol=classic: use partition.assignment.strategy"
        yield config.group_remote_assignor is not None, why, "group.remote.assignor"
    if config.group_local_assignors:
        yield config.group_id is None, "group.local.assignors needs a group.id", "group.local.assignors"
        why = "group.local.assignors and group.remote.assignor can't both be set: either a member or the broker assigns"
        yield config.group_remote_assignor is not None, why, "group.local.assignors"
    for low, high, margin in _ORDERED:
        low_value, high_value = (cast(int, getattr(config, KEYS[name].attribute)) for name in (low, high))
        rule = f"at least {margin} below" if margin else "at most"
        yield low_value > high_value - margin, f"{low}={low_value} must be {rule} {high}={high_value}", low
    yield from _of_security(config)


def _of_security(config: SecurityConfig) -> Iterator[tuple[bool, str, str]]:
    protocol = config.security_protocol
    if not protocol.uses_tls:
        yield from _unusable(
            config, _TLS_KEYS, f"has no effect with security.protocol={protocol.value}: set {_WITH_TLS}"
        )
    if not protocol.uses_sasl:
        why = f"has no effect with security.protocol={protocol.value}: set {_WITH_SASL}"
        yield from _unusable(config, ("sasl_mechanism", *_LOGIN_KEYS), why)
    yield from _of_tls(config)
    yield from _of_sasl(config)


def _is_set(config: SecurityConfig, attribute: str) -> bool:
    return bool(getattr(config, attribute) != getattr(attrs.fields(SecurityConfig), attribute).default)


def _unusable(config: SecurityConfig, attributes: Iterable[str], why: str) -> Iterator[tuple[bool, str, str]]:
    for attribute in attributes:
        name = attribute.replace("_", ".")
        yield _is_set(config, attribute), f"{name} {why}", name


def _of_tls(config: SecurityConfig) -> Iterator[tuple[bool, str, str]]:
    two = "ssl.ca.location and ssl.ca.pem have the same meaning: set only one of them"
    yield config.ssl_ca_location is not None and config.ssl_ca_pem is not None, two, "ssl.ca.pem"
    if config.ssl_certificate_location is None:
        location = "ssl.key.location needs ssl.certificate.location, the certificate of that key"
        yield config.ssl_key_location is not None, location, "ssl.key.location"
        password = "ssl.key.password needs ssl.certificate.location: there is no key to decrypt"
        yield config.ssl_key_password is not None, password, "ssl.key.password"
    if config.ssl_context is not None:
        yield from _unusable(config, _KEYS_OF_CONTEXT, "can't be combined with ssl.context, which is used unchanged")


def _of_sasl(config: SecurityConfig) -> Iterator[tuple[bool, str, str]]:
    protocol, mechanism = config.security_protocol, config.sasl_mechanism
    if mechanism is None:
        missing = f"security.protocol={protocol.value} needs sasl.mechanism: {_MECHANISMS}"
        yield protocol.uses_sasl, missing, "sasl.mechanism"
        return
    login = f"sasl.mechanism={mechanism.value}"
    required, optional = _login_keys(config, mechanism)
    for attribute in required:
        name = attribute.replace("_", ".")
        yield not _is_set(config, attribute), f"{login} needs {name}", name
    if mechanism is SaslMechanism.OAUTHBEARER:
        login += f" and sasl.oauthbearer.method={config.sasl_oauthbearer_method.value}"
    others = sorted({*_LOGIN_KEYS} - {*required, *optional})
    yield from _unusable(config, others, f"has no effect with {login}: remove it")


def _login_keys(config: SecurityConfig, mechanism: SaslMechanism) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The required and the optional keys of a mechanism."""
    if mechanism is SaslMechanism.GSSAPI:
        return ("sasl_kerberos_service_name",), ()
    if mechanism is not SaslMechanism.OAUTHBEARER:
        return ("sasl_username", "sasl_password"), ()
    if config.sasl_oauthbearer_method is OauthMethod.DEFAULT:
        return ("oauth_cb",), ("sasl_oauthbearer_config",)
    return _OIDC_KEYS, ("sasl_oauthbearer_method", "sasl_oauthbearer_scope", "https_ca_location")
