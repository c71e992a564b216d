"""Where the answer of each API has an error code, in every version that the broker serves.

Kafka has no uniform place for errors. An answer may have one code for the whole request (``Top``), one for each element
of an array of the request (``Items``), such as a group, a topic or a partition, or both. The table defines which arrays
correspond. It gives no versions, because the schemas define the fields of each version. APIs that are not in the table
have one code for the whole request.

If an API has both places, the code decides, as in Kafka: OffsetFetch answers NOT_COORDINATOR for a group, and
UNSTABLE_OFFSET_COMMIT for a partition. ``Places.others`` are the codes that do not go to the usual place. In a version
that lacks one place, all codes go to the other.

The answers match Kafka's ``AbstractRequest.getErrorResponse``. The broker's reader refuses the partitions of a Fetch
instead, because they may belong to a session.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.faults.place_kinds import Items, Lone, Names, Place, Places, Top
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.schema import Field, Structure

__all__ = ["element_of", "place_of", "places_of"]


def _topics(partitions: Items, asked: str = "topics", answered: str = "topics") -> Items:
    return Items(asked, answered, Names.TOPIC, below=partitions)


def _each(*items: Items) -> Places:
    return Places(each=items, usually_each=True)


_PARTITIONS = Items("partitions", "partitions", Names.PARTITION)
_INDEXES = Items("partition_indexes", "partitions", Names.PARTITION, value_field="partition_index")
_OF_COMMITS = _each(_topics(_PARTITIONS))

_PRODUCED = Items("partition_data", "partition_responses", Names.PARTITION, fields={"base_offset": -1})
_FETCHED = _topics(_PARTITIONS, "topics", "responses")
_OFFSETS = _topics(
    Items(
        "partition_indexes",
        "partitions",
        Names.PARTITION,
        value_field="partition_index",
        fields={"committed_offset": -1},
    )
)
_NO_COORDINATOR = {"node_id": -1, "port": -1}
_ADDED = Items(
    "partitions",
    "results_by_partition",
    Names.PARTITION,
    value_field="partition_index",
    error_field="partition_error_code",
)

_SESSION_ERRORS = frozenset(
    {
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
    }
)
_OF_PARTITIONS = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        ErrorCode.UNSTABLE_OFFSET_COMMIT,
        ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC,
    }
)

_PLACES: Mapping[Api, Places] = {
    # Records.
    apis.PRODUCE: _each(Items("topic_data", "responses", Names.TOPIC, below=_PRODUCED)),
    apis.FETCH: Places((Top(),), (_FETCHED,), _SESSION_ERRORS, usually_each=True),
    apis.LIST_OFFSETS: _each(_topics(_PARTITIONS)),
    apis.OFFSET_FOR_LEADER_EPOCH: _each(_topics(_PARTITIONS)),
    apis.DELETE_RECORDS: _each(
        _topics(Items("partitions", "partitions", Names.PARTITION, fields={"low_watermark": -1}))
    ),
    apis.DESCRIBE_PRODUCERS: _each(_topics(_INDEXES)),
    apis.DESCRIBE_LOG_DIRS: Places((Top(), Lone("results"))),
    # Groups.
    apis.OFFSET_COMMIT: _OF_COMMITS,
    apis.OFFSET_FETCH: Places(
        (Top(), Items("groups", "groups")), (Items("groups", "groups", below=_OFFSETS), _OFFSETS), _OF_PARTITIONS
    ),
    apis.OFFSET_DELETE: Places((Top(),), (_topics(_PARTITIONS),), _OF_PARTITIONS),
    apis.FIND_COORDINATOR: Places(
        (
            Items("coordinator_keys", "coordinators", value_field="key", fields=_NO_COORDINATOR),
            Top(fields=_NO_COORDINATOR),
        )
    ),
    apis.JOIN_GROUP: Places((Top(null=("protocol_name",)),)),
    apis.LEAVE_GROUP: Places(
        (Top(),), (Items("members", "members"),), frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_INSTANCE_ID})
    ),
    apis.DESCRIBE_GROUPS: _each(Items("groups", "groups", value_field="group_id")),
    apis.CONSUMER_GROUP_DESCRIBE: _each(Items("group_ids", "groups", value_field="group_id")),
    apis.DELETE_GROUPS: _each(Items("groups_names", "results", value_field="group_id")),
    # Transactions.
    apis.INIT_PRODUCER_ID: Places((Top(fields={"producer_epoch": -1}),)),
    apis.ADD_PARTITIONS_TO_TXN: Places(
        (Top(),),
        (
            Items("transactions", "results_by_transaction", below=_topics(_ADDED, "topics", "topic_results")),
            _topics(_ADDED, "v3_and_below_topics", "results_by_topic_v3_and_below"),
        ),
        frozenset({ErrorCode.CLUSTER_AUTHORIZATION_FAILED}),
        usually_each=True,
    ),
    apis.TXN_OFFSET_COMMIT: _OF_COMMITS,
    apis.WRITE_TXN_MARKERS: _each(Items("markers", "markers", below=_topics(_INDEXES))),
    apis.DESCRIBE_TRANSACTIONS: _each(Items("transactional_ids", "transaction_states", value_field="transactional_id")),
    # Topics and the cluster.
    apis.METADATA: Places(
        (Top(),),
        (Items("topics", "topics", Names.TOPIC),),
        frozenset({ErrorCode.REBOOTSTRAP_REQUIRED}),
        usually_each=True,
    ),
    apis.DESCRIBE_TOPIC_PARTITIONS: _each(Items("topics", "topics", Names.TOPIC)),
    apis.CREATE_TOPICS: _each(Items("topics", "topics", Names.TOPIC)),
    apis.CREATE_PARTITIONS: _each(Items("topics", "results", Names.TOPIC)),
    apis.DELETE_TOPICS: _each(
        Items("topics", "responses", Names.TOPIC), Items("topic_names", "responses", Names.TOPIC, value_field="name")
    ),
    apis.DESCRIBE_CONFIGS: _each(Items("resources", "results")),
    apis.ALTER_CONFIGS: _each(Items("resources", "responses")),
    apis.INCREMENTAL_ALTER_CONFIGS: _each(Items("resources", "responses")),
    # Security and quotas.
    apis.DESCRIBE_CLIENT_QUOTAS: Places((Top(null=("entries",)),)),
    apis.CREATE_ACLS: _each(Items("creations", "results")),
    apis.DELETE_ACLS: _each(Items("filters", "filter_results")),
    apis.ALTER_CLIENT_QUOTAS: _each(Items("entries", "entries")),
    apis.ALTER_USER_SCRAM_CREDENTIALS: _each(
        Items("deletions", "results", also_asked="upsertions", renamed={"name": "user"})
    ),
}

_WHOLE = Places((Top(),))


def places_of(api: Api) -> Places:
    """The places of an API."""
    return _PLACES.get(api, _WHOLE)


@cache
def place_of(api: Api, version: int, code: ErrorCode, is_partial: bool) -> Place | None:
    """The field for ``code`` in the response to a request in ``version``; None if the response can't carry it.

    With ``is_partial`` the error is one of topics or partitions that a test selects.
    """
    places = places_of(api)
    whole = [place for place in places.whole if _has(api, version, place)]
    each = [place for place in places.each if _has(api, version, place)]
    if is_partial:
        return next(iter(each), None)
    is_each = places.usually_each is not (code in places.others)
    return next(iter([*each, *whole] if is_each else [*whole, *each]), None)


def _has(api: Api, version: int, place: Place) -> bool:
    if isinstance(place, Top):
        return _in(api.response, "error_code", version)
    if isinstance(place, Lone):
        return _in(api.response, place.answered, version)
    return _in(api.request, place.asked, version) and _in(api.response, place.answered, version)


def _in(kind: type[Structure], name: str, version: int) -> bool:
    return any(each.name == name and each.versions.has(version) for each in kind.FIELDS)


def element_of(kind: type[Structure], name: str) -> type[Structure]:
    """The class of the elements of an array."""
    field: Field = next(each for each in kind.FIELDS if each.name == name)
    assert isinstance(field.element, type)
    return field.element
