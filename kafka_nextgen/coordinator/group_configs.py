"""What one group is given for itself (KIP-848, "Dynamic Group Configuration"; KIP-1263 for the last key).

| key | default | from | to |
|---|---|---|---|
| consumer.heartbeat.interval.ms | group.consumer.heartbeat.interval.ms | its .min. | its .max. |
| consumer.session.timeout.ms | group.consumer.session.timeout.ms | its .min. | its .max. |
| consumer.assignment.interval.ms (since 4.3) | group.consumer.assignment.interval.ms | its .min. | its .max. |

Such a configuration may be there before the group is, and stays when the group goes. It is refused when it is outside
the broker's bounds, which are looked at in the order above. A broker may come back with narrower ones: what was
accepted before is then moved to the nearest that is allowed, each time it is used. A member feels a change with its
next heartbeat.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, frozen

from kafka_nextgen.coordinator.settings import CoordinatorSettings

__all__ = ["GROUP_KEYS", "GroupKey", "group_config_complaint", "settings_of_group"]


@frozen
class GroupKey:
    """One key, which takes the place of a setting of the broker's; numbers below ``lowest`` are nonsense."""

    name: str
    lowest: int

    @property
    def broker_key(self) -> str:
        """The broker's setting that is used without this one."""
        return f"group.{self.name}"

    @property
    def field(self) -> str:
        """That setting's name here."""
        return self.broker_key.replace(".", "_")

    def bound_key(self, bound: str) -> str:
        """The broker's setting of the ``min`` or ``max`` there may be."""
        return self.broker_key.replace("group.consumer.", f"group.consumer.{bound}.")

    def bound(self, bound: str, settings: CoordinatorSettings) -> int:
        """What that setting is."""
        return int(getattr(settings, self.bound_key(bound).replace(".", "_")))


_HEARTBEAT = GroupKey("consumer.heartbeat.interval.ms", lowest=1)
_SESSION = GroupKey("consumer.session.timeout.ms", lowest=1)
_ASSIGNMENT = GroupKey("consumer.assignment.interval.ms", lowest=0)

#: In the order in which they are checked.
GROUP_KEYS: tuple[GroupKey, ...] = (_HEARTBEAT, _SESSION, _ASSIGNMENT)


def group_config_complaint(config: Mapping[str, int], settings: CoordinatorSettings) -> str | None:
    """Say what is wrong with everything a group is to have, in Kafka's words; None if nothing is."""
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
    """The coordinator's settings as they are for a group with this configuration.

    A session that would not outlast the heartbeat interval by now is the broker's, and so is the interval.
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
