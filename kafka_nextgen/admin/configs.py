"""The configuration of groups (KIP-848, "Group Configurations").

It is dynamic, kept by the cluster, and may be there before its group is, or after. Any broker is asked; it passes a
change on to the controller. Kafka has had configurations of groups since 4.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.admin.asking import Asking, Question, Refusal
from kafka_nextgen.admin.values import GroupConfigEntry
from kafka_nextgen.bridge import describe_configs, incremental_alter_configs
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.transport.cluster import ANY
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.wire.apis import DESCRIBE_CONFIGS, INCREMENTAL_ALTER_CONFIGS
from kafka_nextgen.wire.messages import DescribeConfigsResponse, IncrementalAlterConfigsResponse

__all__ = ["alter_config", "describe_config"]


_NONE_YET = "this cluster has no configuration of groups, which came with Kafka 4.0"


async def describe_config(asking: Asking, group_id: str, deadline: Deadline) -> dict[str, GroupConfigEntry]:
    """Every key of the group's configuration, by name."""

    def refusal(answer: DescribeConfigsResponse) -> Refusal:
        described = describe_configs.from_response(answer, group_id)
        return _explained(described.error, described.message)

    question = Question(
        about=f"group {group_id}: describing its configuration",
        target=ANY,
        api=DESCRIBE_CONFIGS,
        build=lambda version: describe_configs.to_request(group_id),
        answer=DescribeConfigsResponse,
        refusal=refusal,
    )
    described = describe_configs.from_response(await asking.ask(question, deadline), group_id)
    return {
        config.name: GroupConfigEntry(config.name, config.value, config.is_own, config.documentation)
        for config in sorted(described.configs, key=lambda config: config.name)
    }


async def alter_config(
    asking: Asking, group_id: str, changes: Mapping[str, str | None], validate_only: bool, deadline: Deadline
) -> None:
    """Set these keys, those with None back to the broker's value; all or nothing."""
    question = Question(
        about=f"group {group_id}: configuring {', '.join(sorted(changes))}",
        target=ANY,
        api=INCREMENTAL_ALTER_CONFIGS,
        build=lambda version: incremental_alter_configs.to_request(group_id, changes, validate_only=validate_only),
        answer=IncrementalAlterConfigsResponse,
        refusal=lambda answer: _explained(*incremental_alter_configs.from_response(answer, group_id)),
    )
    await asking.ask(question, deadline)


def _explained(code: int, message: str | None) -> Refusal:
    """What is refused as a wrong request by brokers that do not know of groups there."""
    return (ErrorCode.UNSUPPORTED_VERSION, _NONE_YET) if code == ErrorCode.INVALID_REQUEST else (code, message)
