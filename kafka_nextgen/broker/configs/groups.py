"""The configuration of groups (KIP-848, "Dynamic Group Configuration"); the coordinator defines the keys.

A group that does not exist can have one. Each key overrides a setting of the broker. The values of that setting are
shown as synonyms since Kafka 4.3, and as the default before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafka_nextgen.broker.configs.altering import Change, altered
from kafka_nextgen.broker.configs.brokers import setting_synonyms
from kafka_nextgen.broker.configs.keys import ConfigKey, ConfigValue, Kind, Source, Synonym
from kafka_nextgen.broker.configs.state import DynamicConfigs
from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.group_configs import GROUP_KEYS, GroupKey, group_config_complaint

__all__ = ["alter_group", "describe_group"]


def describe_group(configs: DynamicConfigs, group_id: str, node_id: int) -> Sequence[ConfigValue] | Refusal:
    """All keys of groups, with the values in force for this one."""
    if not group_id:
        return Refusal(ErrorCode.INVALID_REQUEST, "Group name must not be empty")
    own, full = configs.groups.get(group_id, {}), configs.tells_group_synonyms
    return [
        ConfigValue(key.name, Kind.INT, _synonyms(key, own, setting_synonyms(configs, key.broker_key, node_id), full))
        for key in _keys(configs)
    ]


def alter_group(configs: DynamicConfigs, group_id: str, changes: Sequence[Change]) -> Mapping[str, str] | Refusal:
    """The configuration of the group after the changes, or why it is refused."""
    keys = {key.name: ConfigKey(key.name, Kind.INT, key.lowest) for key in _keys(configs)}
    after = altered(configs.groups.get(group_id, {}), changes, keys, {})
    if isinstance(after, Refusal):
        return after
    if not group_id:
        return Refusal(ErrorCode.INVALID_REQUEST, "Default group resources are not allowed.")
    wrong = _value_complaint(after, keys) or _bound_complaint(configs, after)
    return Refusal(ErrorCode.INVALID_CONFIG, wrong) if wrong else after


def _bound_complaint(configs: DynamicConfigs, config: Mapping[str, str]) -> str | None:
    numbers = {name: int(value) for name, value in config.items()}
    return group_config_complaint(numbers, configs.coordinator_settings())


def _value_complaint(config: Mapping[str, str], keys: Mapping[str, ConfigKey]) -> str | None:
    unknown = [name for name in config if name not in keys]
    if unknown:
        return f"Unknown group config name: {unknown[0]}"
    return next((wrong for name, value in config.items() if (wrong := keys[name].complaint(value))), None)


def _keys(configs: DynamicConfigs) -> list[GroupKey]:
    return [key for key in GROUP_KEYS if configs.knows(key.broker_key)]


def _synonyms(key: GroupKey, own: Mapping[str, str], inherited: tuple[Synonym, ...], full: bool) -> tuple[Synonym, ...]:
    given = (Synonym(key.name, own[key.name], Source.GROUP),) if key.name in own else ()
    if full:
        return given + inherited
    return given or (Synonym(key.name, inherited[0].value, Source.DEFAULT),)
