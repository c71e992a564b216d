"""The configuration of a single group (KIP-848, "Dynamic Group Configuration"; KIP-1263 for the last key).

| key | default | bounds |
|---|---|---|
| consumer.heartbeat.interval.ms | group.consumer.heartbeat.interval.ms | the broker's .min. and .max. for this key |
| consumer.session.timeout.ms | group.consumer.session.timeout.ms | the broker's .min. and .max. for this key |
| consumer.assignment.interval.ms (since 4.3) | group.consumer.assignment.interval.ms | \
the broker's .min. and .max. for this key |
| group.target.size (an extension) | group.target.size | 1 to group.consumer.max.size |
A configuration may exist before its group is created and after it is deleted. A value outside the broker's bounds is
refused; the bounds are checked in the order above. If a broker restarts with narrower bounds, an accepted value is
clamped to them each time it is used. A member sees a change at its next heartbeat.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings

__all__ = ["GROUP_KEYS", "TARGET_SIZE", "GroupKey", "group_config_complaint", "settings_of_group"]


@frozen
class GroupKey:
    """A key that overrides the broker's setting ``broker_key``, within the bounds of ``min_key`` and ``max_key``.
    Numbers below ``lowest`` are invalid.
    """

    name: str
    lowest: int
    broker_key: str
    min_key: str | None
    max_key: str

    @property
    def field(self) -> str:
        """The broker's setting as a field of ``CoordinatorSettings``."""
        return _field(self.broker_key)

    def least(self, settings: CoordinatorSettings) -> int:
        """The lowest value that the broker allows."""
        return self.lowest if self.min_key is None else int(getattr(settings, _field(self.min_key)))

    def most(self, settings: CoordinatorSettings) -> int:
        """The highest value that the broker allows."""
        return int(getattr(settings, _field(self.max_key)))


def _field(broker_key: str) -> str:
    return broker_key.replace(".", "_")


def _consumer_key(name: str, lowest: int) -> GroupKey:
    bounds = (f"group.consumer.{bound}.{name}" for bound in ("min", "max"))
    return GroupKey(f"consumer.{name}", lowest, f"group.consumer.{name}", *bounds)


_HEARTBEAT = _consumer_key("heartbeat.interval.ms", lowest=1)
_SESSION = _consumer_key("session.timeout.ms", lowest=1)
_ASSIGNMENT = _consumer_key("assignment.interval.ms", lowest=0)

#: How many members are active, an extension (``extensions.standbys``).
TARGET_SIZE = GroupKey("group.target.size", 1, "group.target.size", None, "group.consumer.max.size")

#: In the order in which they are checked.
GROUP_KEYS: tuple[GroupKey, ...] = (_HEARTBEAT, _SESSION, _ASSIGNMENT, TARGET_SIZE)


def group_config_complaint(config: Mapping[str, int], settings: CoordinatorSettings) -> str | None:
    """Return the first error in a group's configuration, in Kafka's words; None if it is valid."""
    for key in GROUP_KEYS:
        if key.name in config and (wrong := _bound_complaint(key, config[key.name], settings)):
            return wrong
    if _value(_SESSION, config, settings) <= _value(_HEARTBEAT, config, settings):
        return f"{_SESSION.name} must be greater than {_HEARTBEAT.name}"
    return None


def _bound_complaint(key: GroupKey, value: int, settings: CoordinatorSettings) -> str | None:
    """Since 4.4 Kafka's message has the bounds; before that, it had the names of the broker's settings."""
    least, most = key.least(settings), key.most(settings)
    if least <= value <= most:
        return None
    if key is not TARGET_SIZE and settings.behaviour.tells_bounds_of_group_configs:
        return f"{key.name} must be in the range {least} to {most} inclusive."
    if value < least:
        return f"{key.name} must be greater than or equal to {key.min_key or key.lowest}"
    return f"{key.name} must be less than or equal to {key.max_key}"


def settings_of_group(config: Mapping[str, int], settings: CoordinatorSettings) -> CoordinatorSettings:
    """The coordinator's settings for a group with this configuration.

    If the session timeout no longer exceeds the heartbeat interval, both take the broker's values.
    """
    given = {key.field: _clamped(key, config[key.name], settings) for key in GROUP_KEYS if key.name in config}
    session, interval = (given.get(key.field, getattr(settings, key.field)) for key in (_SESSION, _HEARTBEAT))
    if session <= interval:
        given = {field: value for field, value in given.items() if field not in (_SESSION.field, _HEARTBEAT.field)}
    return evolve(settings, **given)  # type: ignore[arg-type]  # each key is a field that is a number


def _value(key: GroupKey, config: Mapping[str, int], settings: CoordinatorSettings) -> int:
    return config.get(key.name, int(getattr(settings, key.field)))


def _clamped(key: GroupKey, value: int, settings: CoordinatorSettings) -> int:
    return min(max(value, key.least(settings)), key.most(settings))
