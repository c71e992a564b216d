"""The configuration of a single group (KIP-848, "Dynamic Group Configuration"; KIP-1263 for the last key).

| key | default | from | to |
|---|---|---|---|
| consumer.heartbeat.interval.ms | group.consumer.heartbeat.interval.ms | its .min. | its .max. |
| consumer.session.timeout.ms | group.consumer.session.timeout.ms | its .min. | its .max. |
| consumer.assignment.interval.ms (since 4.3) | group.consumer.assignment.interval.ms | its .min. | its .max. |

A configuration may exist before its group does, and outlives it. A value outside the broker's bounds is refused; the
bounds are checked in the order above. If a broker restarts with narrower bounds, an accepted value is clamped to them
each time it is used. A member sees a change with its next heartbeat.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, frozen

from kafka_nextgen.coordinator.settings import CoordinatorSettings

__all__ = ["GROUP_KEYS", "GroupKey", "group_config_complaint", "settings_of_group"]


@frozen
class GroupKey:
    """A key that overrides a setting of the broker; numbers below ``lowest`` are invalid."""

    name: str
    lowest: int

    @property
    def broker_key(self) -> str:
        """The broker setting that this key overrides."""
        return f"group.{self.name}"

    @property
    def field(self) -> str:
        """That setting's field in ``CoordinatorSettings``."""
        return self.broker_key.replace(".", "_")

    def bound_key(self, bound: str) -> str:
        """The broker setting that holds the ``min`` or ``max``."""
        return self.broker_key.replace("group.consumer.", f"group.consumer.{bound}.")

    def bound(self, bound: str, settings: CoordinatorSettings) -> int:
        """The value of that bound."""
        return int(getattr(settings, self.bound_key(bound).replace(".", "_")))


_HEARTBEAT = GroupKey("consumer.heartbeat.interval.ms", lowest=1)
_SESSION = GroupKey("consumer.session.timeout.ms", lowest=1)
_ASSIGNMENT = GroupKey("consumer.assignment.interval.ms", lowest=0)

#: In the order in which they are checked.
GROUP_KEYS: tuple[GroupKey, ...] = (_HEARTBEAT, _SESSION, _ASSIGNMENT)


def group_config_complaint(config: Mapping[str, int], settings: CoordinatorSettings) -> str | None:
    """Return the first error in a group's configuration, in Kafka's words; None if it is valid."""
    for key in GROUP_KEYS:
        value = config.get(key.name)
        if value is not None and value < key.bound("min", settings):
            return f"{key.name} must be greater than or equal to {key.bound_key('min')}"
        if value is not None and value > key.bound("max", settings):
            return f"{key.name} must be less than or equal to {key.bound_key('max')}"
    if _value(_SESSION, config, settings) <= _value(_HEARTBEAT, config, settings):
        return f"{_SESSION.name} must be greater than {_HEARTBEAT.name}"
    return None


def settings_of_group(config: Mapping[str, int], settings: CoordinatorSettings) -> CoordinatorSettings:
    """The coordinator's settings for a group with this configuration.

    If the session timeout no longer exceeds the heartbeat interval, both take the broker's values.
    """
    given = {key.field: _clamped(key, config[key.name], settings) for key in GROUP_KEYS if key.name in config}
    session, interval = (given.get(key.field, getattr(settings, key.field)) for key in (_SESSION, _HEARTBEAT))
    if session <= interval:
        given = {field: value for field, value in given.items() if field == _ASSIGNMENT.field}
    return evolve(settings, **given)  # type: ignore[arg-type]  # each key is a field that is a number


def _value(key: GroupKey, config: Mapping[str, int], settings: CoordinatorSettings) -> int:
    return config.get(key.name, int(getattr(settings, key.field)))


def _clamped(key: GroupKey, value: int, settings: CoordinatorSettings) -> int:
    return min(max(value, key.bound("min", settings)), key.bound("max", settings))
