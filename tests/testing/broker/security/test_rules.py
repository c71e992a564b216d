"""What follows from rules: Kafka's semantics, one line for each thing that could be thought otherwise."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.testing.broker.security.access import Access, Authorizer
from kafka_nextgen.testing.broker.security.acls import Operation, ResourceType, Right
from kafka_nextgen.testing.broker.security.principals import Principal, of_certificate
from kafka_nextgen.testing.broker.security.rules import parse_rules
from kafka_nextgen.testing.broker.settings import BrokerSettings

ALICE = Principal.user("alice")


def access(*rules: str, principal: Principal = ALICE, **settings: object) -> Access:
    authorizer = Authorizer(BrokerSettings.from_properties(settings), parse_rules(rules))
    return Access(authorizer, principal, "10.0.0.1")


@pytest.mark.parametrize(
    ("rules", "right", "is_allowed"),
    [
        pytest.param([], Right.READ_TOPIC, False, id="nothing is allowed by itself"),
        pytest.param(["allow User:alice READ TOPIC orders"], Right.READ_TOPIC, True, id="by name"),
        pytest.param(["allow User:alice READ TOPIC orders"], Right.WRITE_TOPIC, False, id="another operation"),
        pytest.param(["allow User:alice READ TOPIC order"], Right.READ_TOPIC, False, id="a name it begins with"),
        pytest.param(["allow User:alice READ TOPIC ord*"], Right.READ_TOPIC, True, id="by prefix"),
        pytest.param(["allow User:alice READ TOPIC *"], Right.READ_TOPIC, True, id="all topics"),
        pytest.param(["allow User:alice READ GROUP *"], Right.READ_TOPIC, False, id="another type of resource"),
        pytest.param(["allow User:bob READ TOPIC orders"], Right.READ_TOPIC, False, id="somebody else"),
        pytest.param(["allow User:* READ TOPIC orders"], Right.READ_TOPIC, True, id="everybody"),
        pytest.param(["allow User:alice ALL TOPIC orders"], Right.ALTER_TOPIC, True, id="every operation"),
        pytest.param(["allow User:alice READ TOPIC orders 10.0.0.1"], Right.READ_TOPIC, True, id="from its address"),
        pytest.param(["allow User:alice READ TOPIC orders 10.0.0.2"], Right.READ_TOPIC, False, id="from elsewhere"),
        pytest.param(["allow User:alice ALTER_CONFIGS GROUP orders"], Right.DESCRIBE_GROUP_CONFIGS, True, id="configs"),
    ],
)
def test_rules_decide(rules: list[str], right: Right, is_allowed: bool) -> None:
    assert access(*rules).may(right, "orders") is is_allowed


def test_deny_wins_over_allow_but_takes_nothing_that_is_implied() -> None:
    of_orders = access("allow User:alice READ TOPIC orders", "deny User:alice READ TOPIC ord*")
    assert not of_orders.may(Right.READ_TOPIC, "orders")
    assert not access("allow User:alice READ TOPIC *", "deny User:* ALL TOPIC *").may(Right.READ_TOPIC, "orders")
    writing = access("allow User:alice WRITE TOPIC orders", "deny User:alice READ TOPIC orders")
    assert writing.may(Right.DESCRIBE_TOPIC, "orders")


def test_some_operations_imply_that_the_topic_may_be_described() -> None:
    operations = ("READ", "WRITE", "DELETE", "ALTER", "CREATE", "ALTER_CONFIGS")
    allowed = {each: access(f"allow User:alice {each} TOPIC orders") for each in operations}
    implied = [each for each, of_alice in allowed.items() if of_alice.may(Right.DESCRIBE_TOPIC, "orders")]
    assert implied == ["READ", "WRITE", "DELETE", "ALTER"]


@pytest.mark.parametrize(
    ("rules", "is_allowed"),
    [
        pytest.param([], True, id="no rule"),
        pytest.param(["allow User:bob READ TOPIC payments"], True, id="a rule about another topic"),
        pytest.param(["allow User:bob WRITE TOPIC orders"], False, id="a rule about it that names others"),
        pytest.param(["deny User:bob READ TOPIC *"], False, id="a rule about all topics that names others"),
    ],
)
def test_without_any_rule_about_it_the_default_decides(rules: list[str], is_allowed: bool) -> None:
    default = {"allow.everyone.if.no.acl.found": True}
    assert access(*rules, **default).may(Right.READ_TOPIC, "orders") is is_allowed


def test_super_users_may_do_everything_whatever_the_rules_say() -> None:
    of_alice = access("deny User:alice ALL TOPIC *", **{"super.users": "User:CN=a,O=b;User:alice"})
    assert of_alice.may(Right.CREATE_TOPIC, "orders")
    assert of_alice.may_somewhere(Right.WRITE_TOPIC)
    of_certified = access(principal=Principal.user("CN=a,O=b"), **{"super.users": "User:CN=a,O=b;User:alice"})
    assert of_certified.may(Right.DESCRIBE_CLUSTER)


def test_without_an_authorizer_everybody_may_do_everything() -> None:
    nobody = Access(None, Principal.user("ANONYMOUS"), "10.0.0.1")
    assert nobody.may(Right.READ_GROUP, "billing")
    assert nobody.may_somewhere(Right.WRITE_TOPIC)
    assert len(nobody.operations(ResourceType.TOPIC, "orders")) == 8


@pytest.mark.parametrize(
    ("rules", "is_allowed"),
    [
        pytest.param([], False, id="no rule"),
        pytest.param(["allow User:alice READ TOPIC *"], False, id="another operation"),
        pytest.param(["allow User:alice WRITE TOPIC orders"], True, id="one topic"),
        pytest.param(["allow User:alice WRITE TOPIC orders", "deny User:alice WRITE TOPIC orders"], False, id="taken"),
        pytest.param(["allow User:alice WRITE TOPIC orders", "deny User:alice WRITE TOPIC or*"], False, id="by prefix"),
        pytest.param(["allow User:alice WRITE TOPIC or*", "deny User:alice WRITE TOPIC orders"], True, id="others"),
        pytest.param(["allow User:alice WRITE TOPIC *", "deny User:alice WRITE TOPIC or*"], True, id="still others"),
        pytest.param(["allow User:alice WRITE TOPIC *", "deny User:alice WRITE TOPIC *"], False, id="all taken"),
        pytest.param(["allow User:alice WRITE TOPIC orders", "deny User:bob WRITE TOPIC *"], True, id="from others"),
    ],
)
def test_somewhere_is_where_nothing_takes_it_away(rules: list[str], is_allowed: bool) -> None:
    assert access(*rules).may_somewhere(Right.WRITE_TOPIC) is is_allowed


def test_what_may_be_done_is_told_by_the_numbers_of_operations() -> None:
    told = access("allow User:alice READ GROUP billing").operations(ResourceType.GROUP, "billing")
    assert told == {Operation.READ, Operation.DESCRIBE}


def test_rules_are_kept_once_and_go_together() -> None:
    authorizer = Authorizer(BrokerSettings())
    for rule in parse_rules(["allow User:alice READ,WRITE TOPIC orders", "allow User:alice READ TOPIC orders"]):
        authorizer.add(rule)
    assert len(authorizer.rules) == 2
    assert len(authorizer.remove(lambda rule: rule.name == "orders")) == 2
    assert authorizer.rules == ()


def test_rules_as_text_may_have_comments_and_no_name_for_the_cluster() -> None:
    rules = parse_rules(["# who may look", "", " allow User:alice describe cluster "])
    assert [(rule.operation, rule.name) for rule in rules] == [(Operation.DESCRIBE, "kafka-cluster")]


def test_what_is_no_rule_is_refused() -> None:
    for text in (
        "allow User:alice READ",
        "allow User:alice READ TOPIC",
        "allow alice READ TOPIC orders",
        "permit User:alice READ TOPIC orders",
        "allow User:alice EAT TOPIC orders",
        "allow User:alice WRITE GROUP billing",
        "allow User:alice READ QUEUE orders",
        "allow User:alice READ TOPIC orders 10.0.0.1 always",
    ):
        with pytest.raises(ConfigError, match="is not a rule"):
            parse_rules([text])


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        ((), "ANONYMOUS"),
        (((("organizationName", "Example, Inc."),), (("commonName", "billing"),)), "CN=billing,O=Example\\, Inc."),
        (((("commonName", "a"), ("userId", "#1")),), "CN=a+UID=\\#1"),
    ],
)
def test_a_certificate_is_a_user_by_its_distinguished_name(
    subject: tuple[tuple[tuple[str, str], ...], ...], name: str
) -> None:
    assert of_certificate(subject) == Principal.user(name)
