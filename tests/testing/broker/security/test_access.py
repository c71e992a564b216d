"""Every API asks for the rights it is said to ask for, and refuses as real Kafka does.

There are topics, groups and transactional ids that alice may do everything with but one operation, and "all", with
which she may do everything. Of the cluster she may alter the configuration, carol may do nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.requests.api_versions import to_request
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker.apis import EXTENSIONS, SERVED
from kafka_nextgen.testing.broker.security.acls import AUTHORIZATION_ERRORS, SUPPORTED, Operation, ResourceType, Right
from kafka_nextgen.testing.broker.security.rules import parse_rules
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import Api
from tests.conftest import or_skip
from tests.support.guarded_kafka import start_guarded
from tests.support.real_kafka import NEWEST_VERSION
from tests.support.waiting import eventually
from tests.testing.broker.client import Client
from tests.testing.broker.group_requests import heartbeat
from tests.testing.broker.requests import metadata
from tests.testing.broker.security.asking import ASKED, Names, error_codes, requests_of
from tests.testing.broker.security.logging_in import log_in
from tests.testing.broker.security.logins import CLIENTS, outcome
from tests.testing.broker.security.requirements import NEEDS
from tests.testing.broker.topic_requests import create, new_topic_request

PASSWORDS = {"root": "root-secret", "alice": "alice-secret", "carol": "carol-secret"}
REFUSED = frozenset(AUTHORIZATION_ERRORS.values())
ASSIGNED = "has-lacks-describe"  # a group that has been assigned the topic which alice must not describe

REFUSING = [pytest.param(api, right, id=f"{api}-{right}") for api, needs in NEEDS.items() for right in needs.refused]


def lacking(operation: Operation, prefix: str = "") -> str:
    return f"{prefix}lacks-{operation.name.lower().replace('_', '-')}"


def rules_of_alice() -> Iterator[str]:
    for kind in (ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID):
        yield f"allow User:alice ALL {kind.name} all"
        for operation in SUPPORTED[kind]:
            for name in (lacking(operation), lacking(operation, "new-")):
                yield f"allow User:alice ALL {kind.name} {name}"
                yield f"deny User:alice {operation.name} {kind.name} {name}"
    yield f"allow User:alice ALL GROUP {ASSIGNED}"
    yield "allow User:alice ALL TOPIC new-all"
    yield "allow User:alice ALTER_CONFIGS CLUSTER"


class World:
    """A guarded broker, and a connection for each user."""

    def __init__(self, servers: str) -> None:
        self.servers = servers
        self._clients = {name: Client(servers) for name in PASSWORDS}
        for name, client in self._clients.items():
            client.ask(apis.API_VERSIONS, to_request("1"))  # as our own, which is told of extensions
            assert log_in(client, name, PASSWORDS[name]).error_code == ErrorCode.NONE
        self._create_rules()
        self._topic_ids = dict.fromkeys(self._create_topics())
        for name in self._topic_ids:
            self._topic_ids[name] = metadata(self._clients["root"], name).topics[0].topic_id
        self.ask("root", apis.FIND_COORDINATOR, self.names_lacking(None))  # real Kafka then makes the topic of offsets
        eventually(f"{ASSIGNED} has a topic assigned", self._has_joined)
        self.ask("root", apis.OFFSET_COMMIT, self.names_lacking(None))  # makes the group whose offsets may be deleted

    def close(self) -> None:
        for client in self._clients.values():
            client.close()

    def names_lacking(self, right: Right | None) -> Names:
        """What a request is to be about so that alice lacks nothing but this right, if it is not the cluster's."""
        names = dict.fromkeys(ResourceType, "all")
        new_topic = "new-all"
        if right is not None and right.resource_type is not ResourceType.CLUSTER:
            names[right.resource_type] = lacking(right.operation)
        if right is not None and right.resource_type is ResourceType.TOPIC:
            new_topic = lacking(right.operation, "new-")
        topic, group = names[ResourceType.TOPIC], names[ResourceType.GROUP]
        if right == Right.DESCRIBE_TOPIC:
            group = ASSIGNED
            eventually(f"{group} has a topic assigned", self._has_joined)  # again: its member is silent, and expires
        return Names(topic, self._topic_ids[topic], group, names[ResourceType.TRANSACTIONAL_ID], new_topic)

    def ask(self, user: str, api: Api, names: Names) -> list[ErrorCode]:
        """Ask everything there is of an API; return the errors that are about rights."""
        codes: list[ErrorCode] = []
        for message, version in requests_of(api, names):
            answer = self._clients[user].ask(api, message, version)
            codes += [ErrorCode(code) for code in error_codes(answer) if code in REFUSED]
        return codes

    def refusals(self, api: Api, right: Right) -> list[ErrorCode]:
        """Ask as somebody who lacks this right."""
        user = "carol" if right.resource_type is ResourceType.CLUSTER else "alice"
        return self.ask(user, api, self.names_lacking(right))

    def _create_rules(self) -> None:
        creations = [
            {
                "resource_type": rule.resource_type,
                "resource_name": rule.name,
                "resource_pattern_type": rule.pattern,
                "principal": str(rule.principal),
                "host": rule.host,
                "operation": rule.operation,
                "permission_type": rule.permission,
            }
            for rule in parse_rules(rules_of_alice())
        ]
        answer = self._clients["root"].ask(apis.CREATE_ACLS, creations=creations)
        assert set(error_codes(answer)) == {ErrorCode.NONE}

    def _create_topics(self) -> list[str]:
        names = ["all", *map(lacking, SUPPORTED[ResourceType.TOPIC])]
        made = create(self._clients["root"], *map(new_topic_request, names))
        assert {topic.error_code for topic in made} == {ErrorCode.NONE}

        def are_listed() -> bool:
            return not any(topic.error_code for topic in metadata(self._clients["root"], *names).topics)

        eventually("the topics are listed", are_listed)
        return names

    def _has_joined(self) -> bool:
        topics = [lacking(Operation.DESCRIBE)]
        answer = heartbeat(self._clients["root"], ASSIGNED, 0, subscribed_topic_names=topics)
        return answer.error_code == ErrorCode.NONE and bool(answer.assignment and answer.assignment.topic_partitions)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    config = {
        "listeners": "SASL_PLAINTEXT://:0",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:root",
        "group.consumer.assignment.interval.ms": 0,
    }
    with Cluster(config=config, users=PASSWORDS) as cluster, closing(World(cluster.bootstrap_servers)) as embedded:
        yield embedded


@pytest.fixture(scope="module")
def real_world() -> Iterator[World]:
    kafka = or_skip(lambda: start_guarded(NEWEST_VERSION, PASSWORDS, "root"))
    try:
        with closing(World(kafka.sasl_servers)) as world:
            yield world
    finally:
        kafka.stop()


def test_it_is_stated_of_every_api_which_rights_it_asks_for_and_each_that_refuses_is_asked() -> None:
    assert NEEDS.keys() == {*SERVED, *EXTENSIONS, apis.API_VERSIONS}
    assert set(ASKED) == {api for api, needs in NEEDS.items() if needs.refused}


@pytest.mark.parametrize(("api", "right"), REFUSING)
def test_without_the_right_an_api_refuses_with_the_error_of_that_right(world: World, api: Api, right: Right) -> None:
    refusals = set(world.refusals(api, right))
    assert right.error in refusals
    assert right.resource_type is ResourceType.CLUSTER or refusals <= {right.error, Right.ACT_FOR_CLUSTER.error}


def test_with_all_rights_no_api_refuses(world: World) -> None:
    assert {api: world.ask("root", api, world.names_lacking(None)) for api in ASKED} == {api: [] for api in ASKED}


@pytest.mark.kafka
def test_real_kafka_refuses_the_same_and_lets_the_same_log_in(world: World, real_world: World) -> None:
    shipped = {api: needs for api, needs in NEEDS.items() if api not in EXTENSIONS}
    cases = [(api, right) for api, needs in shipped.items() for right in needs.refused]
    told = {f"{api}: {right}": world.refusals(api, right) for api, right in cases}
    assert told == {f"{api}: {right}": real_world.refusals(api, right) for api, right in cases}
    logins = {what: outcome(real_world.servers, what) for what in CLIENTS}
    assert logins == {what: expected for what, (_, expected) in CLIENTS.items()}
