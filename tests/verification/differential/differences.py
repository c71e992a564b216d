"""Every difference that is known, by name: docs/proof/side-by-side.md says why each is one.

An answer is explained if each value that differs has an entry here. Where the brokers part by a difference, so that
later answers differ for it, the episode says no more about those topics and groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from tests.verification.differential.comparing import Leaf
from tests.verification.differential.steps import Step


@frozen
class Difference:
    """A known difference: ``applies`` to a value of an answer. If it ``parts``, the brokers differ from then on."""

    name: str
    applies: Callable[[Step, Leaf], bool]
    parts: bool = False


_TEXTS = ("error_message", "batch_index_error_message")
_CONFIG_ANSWERS = (apis.CREATE_TOPICS, apis.DESCRIBE_CONFIGS)
_OF_GROUPS = (apis.DESCRIBE_GROUPS, apis.DELETE_GROUPS, apis.OFFSET_DELETE)
_NO_GROUP = (ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.ILLEGAL_GENERATION)
_OTHER_KINDS = ("share.", "streams.", "errors.deadletterqueue.copy.", "errors.deadletterqueue.topic.")


def _is_text(step: Step, leaf: Leaf) -> bool:
    return leaf.path.endswith(_TEXTS)


def _is_cluster_wide(step: Step, leaf: Leaf) -> bool:
    return step.api in _CONFIG_ANSWERS and ".min.insync.replicas." in leaf.path


def _is_unset_synonym(step: Step, leaf: Leaf) -> bool:
    return step.api is apis.DESCRIBE_CONFIGS and ".synonyms" in leaf.path and leaf.kafka in (None, [])


def _is_share_change(step: Step, leaf: Leaf) -> bool:
    return step.api is apis.INCREMENTAL_ALTER_CONFIGS and "'share." in str(step)


def _is_of_another_kind(step: Step, leaf: Leaf) -> bool:
    return step.api is apis.DESCRIBE_CONFIGS and (
        any(f".{kind}" in leaf.path for kind in _OTHER_KINDS) or _has_only(leaf.kafka, _OTHER_KINDS)
    )


def _has_only(configs: object, beginnings: tuple[str, ...]) -> bool:
    return isinstance(configs, dict) and bool(configs) and all(key.startswith(beginnings) for key in configs)


def _is_empty_pattern(step: Step, leaf: Leaf) -> bool:
    return leaf.path.endswith("subscribed_topic_regex") and (leaf.embedded, leaf.kafka) == (None, "")


def _is_other_leader(step: Step, leaf: Leaf) -> bool:
    if step.api is not apis.JOIN_GROUP:
        return False
    if leaf.path == "leader":
        return bool(leaf.embedded and leaf.kafka)
    return leaf.path == "members" and [] in (leaf.embedded, leaf.kafka)


def _is_kept_group(step: Step, leaf: Leaf) -> bool:
    if step.api is apis.LIST_GROUPS:
        return leaf.embedded in (None, []) and _are_empty(leaf)
    if leaf.path.endswith("group_state"):
        return (leaf.embedded, leaf.kafka) == ("Dead", "Empty")
    if step.api is apis.OFFSET_DELETE and leaf.path == "topics":
        return bool(leaf.embedded == [])
    codes = (leaf.embedded, leaf.kafka)
    if step.api is apis.OFFSET_COMMIT:
        return codes in ((unknown, ErrorCode.UNKNOWN_MEMBER_ID) for unknown in _NO_GROUP)
    return step.api in _OF_GROUPS and codes == (ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.NONE)


def _are_empty(leaf: Leaf) -> bool:
    """Whether Kafka lists nothing but empty groups; old versions say no states."""
    groups = leaf.kafka.values() if leaf.path == "groups" else [leaf.kafka]
    return all(isinstance(group, dict) and group.get("group_state") in (None, "", "Empty") for group in groups)


DIFFERENCES: tuple[Difference, ...] = (
    Difference("text beside an error", _is_text),
    Difference("min.insync.replicas of the cluster", _is_cluster_wide),
    Difference("synonyms of keys that no broker sets", _is_unset_synonym),
    Difference("share and streams groups", _is_of_another_kind),
    Difference("changes of share groups", _is_share_change, parts=True),
    Difference("an empty pattern", _is_empty_pattern),
    Difference("the next leader", _is_other_leader, parts=True),
    Difference("a group that stored nothing", _is_kept_group, parts=True),
)


def explained(step: Step, leaves: Iterable[Leaf]) -> list[Difference] | None:
    """The entries for what differs in one answer; None if something has none."""
    found = [next((known for known in DIFFERENCES if known.applies(step, leaf)), None) for leaf in leaves]
    return None if None in found else [known for known in found if known is not None]
