"""Whole frames: what a client reads of answers and a broker of requests, up to the machines' own words.

An answer is behind three bytes, two with the key of the API and one with the version that was asked in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from struct import Struct
from typing import Any

from kafka_nextgen.groups.leaving import LeaveGroup
from kafka_nextgen.requests import (
    api_versions,
    consumer_group_heartbeat,
    create_topics,
    delete_groups,
    delete_topics,
    describe_configs,
    describe_topics,
    fetch,
    find_coordinator,
    heartbeat,
    incremental_alter_configs,
    join_group,
    leave_group,
    list_groups,
    list_offsets,
    metadata,
    offset_commit,
    offset_delete,
    offset_fetch,
    offset_for_leader_epoch,
    sync_group,
)
from kafka_nextgen.requests.extensions import (
    consumer_group_add_members,
    consumer_group_announce_leaving,
    consumer_group_history,
    consumer_group_install_assignment,
    consumer_group_prepare_assignment,
)
from kafka_nextgen.requests.extensions import consumer_group_describe as extended_describe
from kafka_nextgen.requests.extensions import consumer_group_heartbeat as extended_heartbeat
from kafka_nextgen.requests.extensions import describe_groups as extended_describe_groups
from kafka_nextgen.requests.offset_for_leader_epoch import EpochQuestion
from kafka_nextgen.testing.messages import consumer_group_describe, describe_groups
from kafka_nextgen.testing.messages import delete_groups as broker_delete_groups
from kafka_nextgen.testing.messages import find_coordinator as broker_find_coordinator
from kafka_nextgen.testing.messages import heartbeat as broker_heartbeat
from kafka_nextgen.testing.messages import join_group as broker_join_group
from kafka_nextgen.testing.messages import leave_group as broker_leave_group
from kafka_nextgen.testing.messages import list_groups as broker_list_groups
from kafka_nextgen.testing.messages import offset_commit as broker_offset_commit
from kafka_nextgen.testing.messages import offset_delete as broker_offset_delete
from kafka_nextgen.testing.messages import offset_fetch as broker_offset_fetch
from kafka_nextgen.testing.messages import sync_group as broker_sync_group
from kafka_nextgen.testing.messages.extensions import consumer_group_add_members as broker_consumer_group_add_members
from kafka_nextgen.testing.messages.extensions import (
    consumer_group_announce_leaving as broker_consumer_group_announce_leaving,
)
from kafka_nextgen.testing.messages.extensions import consumer_group_heartbeat as broker_extended_heartbeat
from kafka_nextgen.testing.messages.extensions import consumer_group_history as broker_consumer_group_history
from kafka_nextgen.testing.messages.extensions import (
    consumer_group_install_assignment as broker_consumer_group_install_assignment,
)
from kafka_nextgen.testing.messages.extensions import (
    consumer_group_prepare_assignment as broker_consumer_group_prepare_assignment,
)
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import APIS, Api
from kafka_nextgen.wire.frames import decode_request, decode_response, encode_request, encode_response
from tests.requests.over_the_wire import IDS, TOPICS
from tests.verification.fuzz import corpus
from tests.verification.fuzz.decoders.decoder import Decoder, refusals
from tests.wire.schema_messages import ALL, full, message_class

_HEAD = Struct(">hB")

GROUP = "billing"
ASKED = [TopicPartition("orders", 0), TopicPartition("audit", 0)]
QUESTIONS = dict.fromkeys(ASKED, EpochQuestion(7, 1, 2))
NAMES = {topic_id: name for name, topic_id in IDS.items()}

NOBODY = LeaveGroup(GROUP, ())


def _groups_in(message: Any) -> list[str]:
    return [group.group_id for group in message.groups]


#: What a client makes of an answer.
READERS: Mapping[Api, Callable[[Any], object]] = {
    apis.API_VERSIONS: api_versions.from_response,
    apis.CONSUMER_GROUP_ADD_MEMBERS: consumer_group_add_members.from_response,
    apis.CONSUMER_GROUP_ANNOUNCE_LEAVING: consumer_group_announce_leaving.from_response,
    apis.CONSUMER_GROUP_DESCRIBE: lambda message: extended_describe.from_response(message, _groups_in(message)),
    apis.CONSUMER_GROUP_HEARTBEAT: lambda message: (
        consumer_group_heartbeat.to_event(1, message),
        extended_heartbeat.to_heard(message),
    ),
    apis.CONSUMER_GROUP_HISTORY: consumer_group_history.from_response,
    apis.CONSUMER_GROUP_INSTALL_ASSIGNMENT: lambda message: consumer_group_install_assignment.to_event(1, message),
    apis.CONSUMER_GROUP_PREPARE_ASSIGNMENT: lambda message: consumer_group_prepare_assignment.to_event(1, message),
    apis.CREATE_TOPICS: lambda message: create_topics.from_response(message, list(IDS)),
    apis.DELETE_GROUPS: lambda message: delete_groups.from_response(message, [GROUP]),
    apis.DELETE_TOPICS: lambda message: delete_topics.from_response(message, IDS),
    apis.DESCRIBE_CONFIGS: lambda message: describe_configs.from_response(message, GROUP),
    apis.DESCRIBE_GROUPS: lambda message: extended_describe_groups.from_response(message, _groups_in(message)),
    apis.FETCH: lambda message: fetch.from_response(message, NAMES),
    apis.FIND_COORDINATOR: lambda message: find_coordinator.from_response(message, GROUP),
    apis.HEARTBEAT: lambda message: heartbeat.to_event(1, message),
    apis.INCREMENTAL_ALTER_CONFIGS: lambda message: incremental_alter_configs.from_response(message, GROUP),
    apis.JOIN_GROUP: lambda message: join_group.to_event(1, message, 9),
    apis.LEAVE_GROUP: lambda message: (leave_group.errors_in(message), leave_group.from_response(message, NOBODY)),
    apis.LIST_GROUPS: list_groups.from_response,
    apis.LIST_OFFSETS: lambda message: list_offsets.from_response(message, dict.fromkeys(ASKED, -1)),
    apis.METADATA: lambda message: (
        metadata.merged(metadata.ClusterImage(), metadata.from_response(message)),
        describe_topics.from_response(message),
    ),
    apis.OFFSET_COMMIT: lambda message: offset_commit.from_response(message, ASKED, IDS),
    apis.OFFSET_DELETE: lambda message: offset_delete.from_response(message, ASKED),
    apis.OFFSET_FETCH: lambda message: offset_fetch.from_response(message, GROUP, IDS),
    apis.OFFSET_FOR_LEADER_EPOCH: lambda message: offset_for_leader_epoch.from_response(message, QUESTIONS),
    apis.SYNC_GROUP: lambda message: sync_group.to_event(1, message),
}

#: What a broker makes of a request.
ASKERS: Mapping[Api, Callable[[Any], object]] = {
    apis.CONSUMER_GROUP_ADD_MEMBERS: broker_consumer_group_add_members.from_request,
    apis.CONSUMER_GROUP_ANNOUNCE_LEAVING: broker_consumer_group_announce_leaving.from_request,
    apis.CONSUMER_GROUP_DESCRIBE: consumer_group_describe.from_request,
    apis.CONSUMER_GROUP_HEARTBEAT: lambda message: broker_extended_heartbeat.from_request(
        message, "me", "/127.0.0.1", with_extensions=True
    ),
    apis.CONSUMER_GROUP_HISTORY: broker_consumer_group_history.from_request,
    apis.CONSUMER_GROUP_INSTALL_ASSIGNMENT: broker_consumer_group_install_assignment.from_request,
    apis.CONSUMER_GROUP_PREPARE_ASSIGNMENT: broker_consumer_group_prepare_assignment.from_request,
    apis.DELETE_GROUPS: broker_delete_groups.from_request,
    apis.DESCRIBE_GROUPS: describe_groups.from_request,
    apis.FIND_COORDINATOR: broker_find_coordinator.from_request,
    apis.HEARTBEAT: broker_heartbeat.from_request,
    apis.JOIN_GROUP: lambda message: broker_join_group.from_request(message, 1, "me", "/127.0.0.1", "new"),
    apis.LEAVE_GROUP: broker_leave_group.from_request,
    apis.LIST_GROUPS: broker_list_groups.from_request,
    apis.OFFSET_COMMIT: lambda message: broker_offset_commit.from_request(message, TOPICS),
    apis.OFFSET_DELETE: lambda message: broker_offset_delete.from_request(message, TOPICS),
    apis.OFFSET_FETCH: lambda message: broker_offset_fetch.from_request(message, TOPICS),
    apis.SYNC_GROUP: lambda message: broker_sync_group.from_request(message, 1),
}


def _read_response(data: bytes) -> None:
    if len(data) < _HEAD.size:
        return
    key, version = _HEAD.unpack_from(data)
    api = APIS.get(key)
    if api is None or not api.speaks(version):
        return
    with refusals():
        _, message = decode_response(api, version, data[_HEAD.size :])
        READERS.get(api, repr)(message)


def _read_request(data: bytes) -> None:
    with refusals():
        request = decode_request(data)
        if request.message is not None:
            ASKERS.get(request.api, repr)(request.message)


def _responses() -> list[bytes]:
    recorded = [_HEAD.pack(frame.api.key, frame.version) + frame.data for frame in corpus.frames(corpus.RESPONSE)]
    return recorded + [_HEAD.pack(api.key, version) + frame for api, version, frame in _full(is_request=False)]


def _requests() -> list[bytes]:
    recorded = [frame.data for frame in corpus.frames(corpus.REQUEST)]
    return recorded + [frame for _, _, frame in _full(is_request=True)]


def _full(is_request: bool) -> Iterator[tuple[Api, int, bytes]]:
    """A message in which every field says something, of every version; without the frame's length."""
    for case in ALL:
        api, version, is_one = case
        if is_one == is_request:
            message = full(message_class(case), version)
            frame = encode_request(message, version, 7, "me") if is_one else encode_response(api, message, version, 7)
            yield api, version, frame[4:]


RESPONSES = Decoder("responses", "answers as a client reads them, every API and version", _read_response, _responses)
REQUESTS = Decoder("requests", "requests as a broker reads them, every API and version", _read_request, _requests)
