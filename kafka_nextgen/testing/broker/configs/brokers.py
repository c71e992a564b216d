"""The configuration of brokers (KIP-226).

The settings in ``DYNAMIC`` can change while a broker runs. Unknown names are kept as well, since they may belong to a
plug-in; their values are never shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import Attribute, fields

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.configs.altering import Change, Op, altered
from kafka_nextgen.testing.broker.configs.keys import ConfigKey, ConfigValue, Kind, Source, Synonym
from kafka_nextgen.testing.broker.configs.state import ALL_NODES, DynamicConfigs
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.refusal import Refusal
from kafka_nextgen.testing.broker.setting_keys import property_name
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.testing.coordinator.settings import Profile

__all__ = ["DYNAMIC", "alter_broker", "describe_broker", "setting_synonyms"]

_INTERVAL = "group.consumer.assignment.interval.ms"

#: The settings that can change while a broker runs, with their minimum.
DYNAMIC: Mapping[str, int] = {"message.max.bytes": 0, "max.connections": 0, _INTERVAL: 0}

_DEFAULTS = BrokerSettings().as_properties()


def describe_broker(context: Context, name: str) -> Sequence[ConfigValue] | Refusal:
    """A broker's settings; for all brokers together, only those that were set while they ran."""
    configs = context.cluster.configs
    if name != ALL_NODES:
        wrong = _name_complaint(name, context.node.node_id, "Broker id", " or empty string")
        return wrong or [_setting(context, key) for key in _keys(configs)] + _unknown(configs, (name, ALL_NODES))
    given = [key for key in configs.brokers.get(ALL_NODES, {}) if configs.knows(key)]
    values = [ConfigValue(key, _KINDS[key], (_given(configs, key, ALL_NODES, Source.ALL_BROKERS),)) for key in given]
    return values + _unknown(configs, (ALL_NODES,))


def alter_broker(context: Context, name: str, changes: Sequence[Change]) -> Mapping[str, str] | Refusal:
    """The configuration of the broker, or of all brokers, after the changes, or why it is refused."""
    configs = context.cluster.configs
    if name != ALL_NODES and (wrong := _name_complaint(name, context.node.node_id, "Node id")):
        return wrong
    if unknown := [change.op for change in changes if change.op not in set(Op)]:
        return Refusal(ErrorCode.INVALID_REQUEST, f"Unknown operations type {unknown[0]}")
    keys = {key: ConfigKey(key, _KINDS[key], lowest=DYNAMIC.get(key)) for key in _keys(configs)}
    if refusal := next((found for change in changes if (found := _refuse_list(change, keys))), None):
        return refusal
    after = altered(configs.brokers.get(name, {}), changes, keys)
    assert not isinstance(after, Refusal), "values are only appended to lists"
    return _refuse_values(configs, after, keys) or after


def setting_synonyms(context: Context, key: str) -> tuple[Synonym, ...]:
    """The values of one setting of this node from every source, the effective value first."""
    configs = context.cluster.configs
    dynamic = ((str(context.node.node_id), Source.BROKER), (ALL_NODES, Source.ALL_BROKERS))
    given = [_given(configs, key, name, source) for name, source in dynamic if key in configs.brokers.get(name, {})]
    at_start = configs.at_start.as_properties()[key]
    if at_start != _DEFAULTS[key]:
        given.append(Synonym(key, at_start, Source.AT_START))
    return (*given, Synonym(key, _DEFAULTS[key], Source.DEFAULT))


def _setting(context: Context, key: str) -> ConfigValue:
    if _KINDS[key] is Kind.PASSWORD:  # never shown, not even whether it is set
        return ConfigValue(key, Kind.PASSWORD, (Synonym(key, None, Source.AT_START),), is_sensitive=True)
    return ConfigValue(key, _KINDS[key], setting_synonyms(context, key), is_read_only=key not in DYNAMIC)


def _given(configs: DynamicConfigs, key: str, name: str, source: Source) -> Synonym:
    return Synonym(key, configs.brokers[name][key], source)


def _unknown(configs: DynamicConfigs, names: Iterable[str]) -> list[ConfigValue]:
    """The unknown names, whose values may be secrets."""
    found = {
        key: Source.ALL_BROKERS if name == ALL_NODES else Source.BROKER
        for name in reversed(tuple(names))
        for key in configs.brokers.get(name, {})
        if not configs.knows(key)
    }
    return [
        ConfigValue(key, Kind.UNKNOWN, (Synonym(key, None, source),), is_read_only=True, is_sensitive=True)
        for key, source in found.items()
    ]


def _name_complaint(name: str, node_id: int, what: str, besides: str = "") -> Refusal | None:
    if not name.isascii() or not name.isdigit():
        return Refusal(ErrorCode.INVALID_REQUEST, f"{what} must be an integer, but it is: {name}")
    if int(name) != node_id:
        text = f"Unexpected broker id, expected {node_id}{besides}, but received {name}"
        return Refusal(ErrorCode.INVALID_REQUEST, text)
    return None


def _refuse_list(change: Change, keys: Mapping[str, ConfigKey]) -> Refusal | None:
    if change.op in (Op.SET, Op.DELETE):
        return None
    if change.name not in keys:
        return Refusal(ErrorCode.INVALID_CONFIG, f"Unknown config name: {change.name}")
    if keys[change.name].kind is Kind.LIST:
        return None
    text = f"Config value {Op(change.op).name.lower()} is not allowed for config key: {change.name}"
    return Refusal(ErrorCode.INVALID_CONFIG, text)


def _refuse_values(configs: DynamicConfigs, after: Mapping[str, str], keys: Mapping[str, ConfigKey]) -> Refusal | None:
    fixed = [name for name in after if name in keys and name not in DYNAMIC]
    if fixed:
        before_4_3 = not configs.at_start.profile.has(Profile.V4_3)
        names = f"Set({', '.join(fixed)})" if before_4_3 else f"[{', '.join(fixed)}]"
        return Refusal(ErrorCode.INVALID_REQUEST, f"Cannot update these configs dynamically: {names}")
    complaints = (keys[name].complaint(value) for name, value in after.items() if name in keys)
    wrong = next((found for found in complaints if found), None) or _bound_complaint(configs.at_start, after)
    return Refusal(ErrorCode.INVALID_REQUEST, wrong) if wrong else None


def _bound_complaint(settings: BrokerSettings, after: Mapping[str, str]) -> str | None:
    value = int(after.get(_INTERVAL, settings.group_consumer_assignment_interval_ms))
    if value > settings.group_consumer_max_assignment_interval_ms:
        return f"{_INTERVAL} must be less than or equal to group.consumer.max.assignment.interval.ms"
    if value < settings.group_consumer_min_assignment_interval_ms:
        return f"{_INTERVAL} must be greater than or equal to group.consumer.min.assignment.interval.ms"
    return None


def _keys(configs: DynamicConfigs) -> list[str]:
    return [key for key in _KINDS if configs.knows(key)]


def _kind_of(attribute: Attribute[object]) -> Kind:
    default = attribute.default
    if isinstance(default, bool):
        return Kind.BOOLEAN
    if isinstance(default, int):
        return Kind.INT
    if default is None:  # the only settings without a default value are secrets
        return Kind.PASSWORD
    return Kind.LIST if isinstance(default, tuple) else Kind.STRING


_KINDS: Mapping[str, Kind] = {property_name(each.name): _kind_of(each) for each in fields(BrokerSettings)}
