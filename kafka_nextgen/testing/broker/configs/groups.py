"""The configuration of groups (KIP-848, "Dynamic Group Configuration"); the coordinator defines the keys.

A group that does not exist can have one. Each key overrides a setting of the broker. The values of that setting are
shown as synonyms since Kafka 4.3; before that, they were shown as the default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.configs.altering import Change, altered, refuse_changes
from kafka_nextgen.testing.broker.configs.brokers import setting_synonyms
from kafka_nextgen.testing.broker.configs.keys import ConfigKey, ConfigValue, Kind, Source, Synonym
from kafka_nextgen.testing.broker.configs.state import DynamicConfigs
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.refusal import Refusal
from kafka_nextgen.testing.coordinator.group_configs import GROUP_KEYS, TARGET_SIZE, GroupKey, group_config_complaint
from kafka_nextgen.testing.coordinator.settings import Profile

__all__ = ["alter_group", "describe_group"]


#: The name that KIP-345 gives the target size.
_TARGET_SIZE_ALIAS = "target.group.size"


def describe_group(context: Context, group_id: str) -> Sequence[ConfigValue] | Refusal:
    """All keys of groups, with the effective values of this one; the target size only if set, since Kafka lacks it."""
    if not group_id:
        return Refusal(ErrorCode.INVALID_REQUEST, "Group name must not be empty")
    own = context.cluster.configs.groups.get(group_id, {})
    has_target_size = TARGET_SIZE.name in own or context.cluster.settings.group_target_size > 0
    keys = [key for key in _keys(context.cluster.configs) if key is not TARGET_SIZE or has_target_size]
    return [ConfigValue(key.name, Kind.INT, _synonyms(context, key, own)) for key in keys]


def alter_group(context: Context, group_id: str, changes: Sequence[Change]) -> Mapping[str, str] | Refusal:
    """The configuration of the group after the changes, or why it is refused."""
    configs = context.cluster.configs
    keys = {key.name: ConfigKey(key.name, Kind.INT, lowest=key.lowest) for key in _keys(configs)}
    before = configs.groups.get(group_id, {})
    if TARGET_SIZE.name in keys:
        changes = [_without_alias(change) for change in changes]
    after = refuse_changes(changes) or altered(before, changes, keys)
    if isinstance(after, Refusal):
        return after
    if not group_id:
        return Refusal(ErrorCode.INVALID_REQUEST, "Default group resources are not allowed.")
    wrong = _value_complaint(after, keys, before) or _bound_complaint(context, after)
    if after.get(TARGET_SIZE.name) not in (None, before.get(TARGET_SIZE.name)):
        wrong = wrong or _classic_complaint(context, group_id)
    return Refusal(ErrorCode.INVALID_CONFIG, wrong) if wrong else after


def _without_alias(change: Change) -> Change:
    """The change with the key's own name; KIP-345 has another name for the target size."""
    return evolve(change, name=TARGET_SIZE.name) if change.name == _TARGET_SIZE_ALIAS else change


def _classic_complaint(context: Context, group_id: str) -> str | None:
    shard = context.cluster.groups.shard_of(group_id)
    group = None if shard is None else shard.coordinator.groups.get(group_id)
    if group is None or group.classic is None or not group.classic.members:
        return None
    return (
        f"{TARGET_SIZE.name}: group {group_id!r} uses the classic protocol, whose coordinator has no standbys; set "
        "group.protocol=consumer in its members, or use the assignor HotStandby in them"
    )


def _bound_complaint(context: Context, config: Mapping[str, str]) -> str | None:
    numbers = {name: int(value) for name, value in config.items()}
    return group_config_complaint(numbers, context.cluster.settings.for_coordinator())


def _value_complaint(config: Mapping[str, str], keys: Mapping[str, ConfigKey], before: Mapping[str, str]) -> str | None:
    """Why a value is invalid. A stored key may be unknown if extensions were enabled when it was stored."""
    unknown = [name for name in config if name not in keys and name not in before]
    if unknown:
        return f"Unknown group config name: {unknown[0]}"
    known = ((name, value) for name, value in config.items() if name in keys)
    return next((wrong for name, value in known if (wrong := keys[name].complaint(value))), None)


def _keys(configs: DynamicConfigs) -> list[GroupKey]:
    has_standbys = configs.at_start.extensions
    return [key for key in GROUP_KEYS if configs.knows(key.broker_key) or (key is TARGET_SIZE and has_standbys)]


def _synonyms(context: Context, key: GroupKey, own: Mapping[str, str]) -> tuple[Synonym, ...]:
    given = (Synonym(key.name, own[key.name], Source.GROUP),) if key.name in own else ()
    if key is TARGET_SIZE:
        return given or (Synonym(key.name, str(context.cluster.settings.group_target_size), Source.DEFAULT),)
    inherited = setting_synonyms(context, key.broker_key)
    if context.cluster.settings.profile.has(Profile.V4_3):
        return given + inherited
    return given or (Synonym(key.name, inherited[0].value, Source.DEFAULT),)
