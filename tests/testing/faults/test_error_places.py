"""Where an error code stands in an answer: over every API and version that the broker serves.

The broker itself says what is right where it can: with an authorizer that allows nothing, it refuses nearly every API,
and a fault with the same code must be answered in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from uuid import UUID

import pytest
from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.properties.value_types import SecurityProtocol
from kafka_nextgen.testing import Api, Cluster
from kafka_nextgen.testing.broker.apis import EXTENSIONS, SERVED
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.peer import Peer
from kafka_nextgen.testing.broker.security.listeners import Listener
from kafka_nextgen.testing.faults.place_kinds import Names
from kafka_nextgen.testing.faults.places import place_of, places_of
from kafka_nextgen.testing.faults.question import Question
from kafka_nextgen.testing.faults.refusals import refuse
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.frames import decode_response, encode_response
from tests.support.plain_messages import as_dict
from tests.testing.broker.client import Client
from tests.testing.broker.extended import extended
from tests.testing.broker.security.asking import ASKED, error_codes, requests_of
from tests.testing.broker.security.asking import Names as AskedNames
from tests.testing.faults.samples import PER_ARRAY, sample

CODE: Final = ErrorCode.REQUEST_TIMED_OUT
OTHER: Final = ErrorCode.NOT_COORDINATOR
WHOLE, EACH, EACH_OF_EACH, DEEPER = 1, PER_ARRAY, PER_ARRAY**2, PER_ARRAY**3

#: How many error codes the answer to a sample has, from Kafka's schemas; by the first version from which that is so.
EXPECTED: Final[Mapping[Api, Mapping[int, int]]] = {
    Api.PRODUCE: {3: EACH_OF_EACH},
    Api.LIST_OFFSETS: {1: EACH_OF_EACH},
    Api.OFFSET_FOR_LEADER_EPOCH: {2: EACH_OF_EACH},
    Api.DELETE_RECORDS: {0: EACH_OF_EACH},
    Api.DESCRIBE_PRODUCERS: {0: EACH_OF_EACH},
    Api.OFFSET_COMMIT: {2: EACH_OF_EACH},
    Api.TXN_OFFSET_COMMIT: {0: EACH_OF_EACH},
    Api.OFFSET_FETCH: {1: EACH_OF_EACH, 2: WHOLE, 8: EACH},
    Api.ADD_PARTITIONS_TO_TXN: {0: EACH_OF_EACH, 4: DEEPER},
    Api.WRITE_TXN_MARKERS: {1: DEEPER},
    Api.METADATA: {0: EACH},
    Api.FIND_COORDINATOR: {0: WHOLE, 4: EACH},
    Api.DESCRIBE_GROUPS: {0: EACH},
    Api.CONSUMER_GROUP_DESCRIBE: {0: EACH},
    Api.DELETE_GROUPS: {0: EACH},
    Api.DESCRIBE_TRANSACTIONS: {0: EACH},
    Api.DESCRIBE_TOPIC_PARTITIONS: {0: EACH},
    Api.CREATE_TOPICS: {2: EACH},
    Api.CREATE_PARTITIONS: {0: EACH},
    Api.DELETE_TOPICS: {1: EACH},
    Api.DESCRIBE_CONFIGS: {1: EACH},
    Api.ALTER_CONFIGS: {0: EACH},
    Api.INCREMENTAL_ALTER_CONFIGS: {0: EACH},
    Api.CREATE_ACLS: {1: EACH},
    Api.DELETE_ACLS: {1: EACH},
    Api.ALTER_CLIENT_QUOTAS: {0: EACH},
    Api.ALTER_USER_SCRAM_CREDENTIALS: {0: 2 * EACH},
}

#: The partitions of a Fetch are refused by the broker's reader: test_fetch_errors.py.
VERSIONS = [
    (api, version)
    for api in Api
    if api is not Api.FETCH
    for version in range(api.value.min_version, api.value.max_version + 1)
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A broker that allows clients nothing."""
    with Cluster(rules=()) as running:
        yield running


@pytest.fixture(scope="module")
def names(cluster: Cluster) -> AskedNames:
    cluster.create_topic("orders", 2)
    topic = cluster._broker.state.topics.named("orders")
    assert topic is not None
    return AskedNames("orders", topic.topic_id, "billing", "a-transaction")


def test_faults_are_offered_for_every_api_that_the_broker_serves() -> None:
    assert {api.value for api in Api} == {apis.API_VERSIONS, *SERVED, *EXTENSIONS}
    assert all(getattr(apis, api.name) is api.value for api in Api)


@pytest.mark.parametrize(("api", "version"), VERSIONS, ids=[f"{api} v{version}" for api, version in VERSIONS])
def test_the_code_stands_wherever_the_answer_has_a_place_for_it_and_what_it_is_about_beside_it(
    cluster: Cluster, api: Api, version: int
) -> None:
    request = sample(api.value, version)
    refused = refuse(Question(request, _context(cluster, version)), CODE, None)
    assert refused is not None
    sent = encode_response(api.value, refused.answer, version, 1)
    answer = decode_response(api.value, version, sent[4:])[1]
    codes = [code for code in error_codes(answer) if code]
    assert codes == [CODE] * _expected(api, version)
    assert _identities(as_dict(answer)) <= _identities(as_dict(request.message)) | {""}  # type: ignore[arg-type]


def _names_parts(api: Api, version: int) -> bool:
    return bool(places_of(api.value).levels - {Names.OTHER}) and place_of(api.value, version, CODE, True) is not None


PARTS = [(api, version) for api, version in VERSIONS if _names_parts(api, version)]


@pytest.mark.parametrize(("api", "version"), PARTS, ids=[f"{api} v{version}" for api, version in PARTS])
def test_one_refused_part_and_the_answer_to_the_rest_are_merged_in_the_order_of_the_request(
    cluster: Cluster, api: Api, version: int
) -> None:
    request, context = sample(api.value, version), _context(cluster, version)
    all_refused = refuse(Question(request, context), CODE, lambda *_: True)
    assert all_refused is not None
    count = len([code for code in error_codes(all_refused.answer) if code])
    for number in range(count):
        numbers = iter(range(count))
        one = refuse(Question(request, context), CODE, lambda *_: next(numbers) == number)  # noqa: B023
        assert one is not None
        assert one.rest is not None
        rest = refuse(Question(evolve(request, message=one.rest), context), OTHER, lambda *_: True)
        assert rest is not None
        merged = one.merged(rest.answer)
        codes = [code for code in error_codes(merged) if code]
        assert codes == [CODE if place == number else OTHER for place in range(count)]
        assert _identities(as_dict(merged)) == _identities(as_dict(all_refused.answer))


def _expected(api: Api, version: int) -> int:
    by_version = EXPECTED.get(api, {0: WHOLE})
    return by_version[max(first for first in by_version if first <= version)]


def _context(cluster: Cluster, version: int) -> Context:
    state = cluster._broker.state
    peer = Peer(Listener("PLAINTEXT", SecurityProtocol.PLAINTEXT, port=0), "127.0.0.1")
    return Context(state, state.nodes[0], peer, version)


IDENTITIES = {"name", "topic", "topic_id", "group_id", "transactional_id", "key", "resource_name", "user"}


def _identities(value: Any) -> set[object]:
    """Names of topics, groups and the like, wherever they stand."""
    if isinstance(value, list):
        found = [_identities(each) for each in value]
        return set().union(*found, {each for each in value if isinstance(each, (str, UUID))})
    if not isinstance(value, dict):
        return set()
    own = {each for name, each in value.items() if name in IDENTITIES and isinstance(each, (str, UUID))}
    return own.union(*map(_identities, value.values()))


#: Where the broker says more than an error needs, or does not refuse the request as a whole.
TELLS_MORE: Final = {
    apis.METADATA: "an error of a fault leaves the brokers in the answer",
    apis.CONSUMER_GROUP_HEARTBEAT: "the error stands in the same place, with a message",
}


@pytest.mark.parametrize("api", [each for each in ASKED if each not in TELLS_MORE], ids=str)
def test_a_fault_is_answered_as_the_broker_itself_refuses_a_request(
    cluster: Cluster, names: AskedNames, api: apis.Api
) -> None:
    ours = Api[next(each.name for each in Api if each.value is api)]
    with extended(cluster.bootstrap_servers) as client:
        for message, version in requests_of(api, names):
            by_broker = client.ask(api, message, version)
            (code,) = {ErrorCode(each) for each in error_codes(by_broker) if each}
            with cluster.fault(ours, error=code):
                by_fault = client.ask(api, message, version)
            assert _unworded(as_dict(by_fault)) == _unworded(as_dict(by_broker))


def _unworded(value: Any) -> Any:
    """Without messages, whose wording is each one's own."""
    if isinstance(value, list):
        return [_unworded(each) for each in value]
    if isinstance(value, dict):
        return {name: _unworded(each) for name, each in value.items() if not name.endswith("error_message")}
    return value


def test_the_code_decides_between_the_places_of_an_answer_as_in_kafka(cluster: Cluster, names: AskedNames) -> None:
    with Client(cluster.bootstrap_servers) as client:
        ((message, version),) = requests_of(apis.OFFSET_FETCH, names)
        with cluster.fault(Api.OFFSET_FETCH, error="NOT_COORDINATOR", times=1):
            (group,) = client.ask(apis.OFFSET_FETCH, message, version).groups
        assert (group.error_code, group.topics) == (ErrorCode.NOT_COORDINATOR, ())
        with cluster.fault(Api.OFFSET_FETCH, error="UNSTABLE_OFFSET_COMMIT", times=1):
            (group,) = client.ask(apis.OFFSET_FETCH, message, version).groups
        assert group.error_code == ErrorCode.NONE
        assert [part.error_code for part in group.topics[0].partitions] == [ErrorCode.UNSTABLE_OFFSET_COMMIT]


def test_an_api_versions_answer_that_lacks_the_version_says_which_there_are(cluster: Cluster) -> None:
    with Client(cluster.bootstrap_servers) as client, cluster.fault(Api.API_VERSIONS, error="UNSUPPORTED_VERSION"):
        answer = client.ask(apis.API_VERSIONS, client_software_name="tests", client_software_version="1")
    assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert [each.api_key for each in answer.api_keys] == [apis.API_VERSIONS.key]
