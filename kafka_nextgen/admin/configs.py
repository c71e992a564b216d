"""The configuration of groups (KIP-848, "Group Configurations").

The cluster stores this dynamic configuration, which may exist before or after its group. Any broker accepts these
requests, and forwards changes to the controller. Kafka has had group configurations since 4.0. KIP-848 gives them the
names of the brokers' settings; Kafka uses the same names without ``group.``, and refuses the KIP's names as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.requests import describe_configs, incremental_alter_configs
from kafka_nextgen.transport.cluster import ANY
from kafka_nextgen.wire.apis import DESCRIBE_CONFIGS, INCREMENTAL_ALTER_CONFIGS

if TYPE_CHECKING:
    from kafka_nextgen.admin.requests import AdminCall, ErrorInResponse

__all__ = ["GroupConfigEntry", "alter_config", "describe_config"]

_NONE_YET = "this cluster does not support group configurations, which need Kafka 4.0 or later"
#: The error messages of Kafka 3.9, which does not have this resource type, for altering and describing it.
_UNKNOWN_RESOURCE = ("resource type", "malformed by the client library")
_UNKNOWN_NAME = "Unknown group config name: "
_TARGET_SIZES = ("group.target.size", "target.group.size")
_OF_BROKERS = "group.consumer."
#: Kafka's names of the keys, by those in KIP-848 and KIP-1263.
_KAFKAS_NAMES = {
    "group.consumer.session.timeout.ms": "consumer.session.timeout.ms",
    "group.consumer.heartbeat.interval.ms": "consumer.heartbeat.interval.ms",
    "group.consumer.assignment.interval.ms": "consumer.assignment.interval.ms (since Kafka 4.3)",
}
_STANDBYS_ELSEWHERE = (
    "this cluster does not support a target group size, and no release of Apache Kafka does; for standbys, "
    "use group.protocol=classic with the assignor HotStandby in all members, or a coordinator with extensions"
)


@frozen
class GroupConfigEntry:
    """One key of a group's configuration, by Kafka's name.

    ``is_own`` says whether it was set for this group; other keys have the broker's value. ``typed_value`` is the value
    as the key's type says, such as a number.
    """

    name: str
    value: str | None
    is_own: bool
    documentation: str | None = None
    typed_value: describe_configs.ConfigValue = None


async def describe_config(call: AdminCall, group_id: str) -> dict[str, GroupConfigEntry]:
    """Return all keys of the group's configuration."""
    described = await call.send(
        f"group {group_id}: describing its configuration",
        ANY,
        DESCRIBE_CONFIGS,
        build=lambda version: describe_configs.to_request(group_id),
        read=lambda response: describe_configs.from_response(response, group_id),
        error_in=lambda described: _explained(described.error, described.message),
    )
    return {
        config.name: GroupConfigEntry(
            config.name, config.value, config.is_own, config.documentation, config.typed_value()
        )
        for config in sorted(described.configs, key=lambda config: config.name)
    }


async def alter_config(call: AdminCall, group_id: str, changes: Mapping[str, str | None], validate_only: bool) -> None:
    """Set these keys, all or none. None resets a key to the broker's value."""
    await call.send(
        f"group {group_id}: configuring {', '.join(sorted(changes))}",
        ANY,
        INCREMENTAL_ALTER_CONFIGS,
        build=lambda version: incremental_alter_configs.to_request(group_id, changes, validate_only=validate_only),
        read=lambda response: incremental_alter_configs.from_response(response, group_id),
        error_in=lambda result: _explained(*result),
    )


def _explained(code: int, message: str | None) -> ErrorInResponse:
    """Explain INVALID_REQUEST from brokers without group configurations, and what unknown names mean."""
    if code == ErrorCode.INVALID_REQUEST and any(words in (message or "") for words in _UNKNOWN_RESOURCE):
        return ErrorCode.UNSUPPORTED_VERSION, _NONE_YET
    hint = _hint(message.removeprefix(_UNKNOWN_NAME)) if message and message.startswith(_UNKNOWN_NAME) else None
    return code, message if hint is None else f"{message}; {hint}"


def _hint(unknown: str) -> str | None:
    """Return what to do instead of setting this name, which the broker does not know; None for any other name."""
    if unknown in _TARGET_SIZES:
        return _STANDBYS_ELSEWHERE
    if unknown in _KAFKAS_NAMES:
        return f"this is the KIP's name, and its name in Kafka is {_KAFKAS_NAMES[unknown]}"
    return "it is a setting of brokers, not of groups" if unknown.startswith(_OF_BROKERS) else None
