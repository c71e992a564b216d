"""What an assignor of the application's own is shown of a classic group."""

from __future__ import annotations

from kafka_nextgen.assignors import AssignorMetadata, MemberSpec, Metadata, TopicMetadata
from kafka_nextgen.assignors.user_data import MemberWord, write_member_word
from kafka_nextgen.groups.consumer_protocol import MemberSubscription
from kafka_nextgen.membership.classic.assigning import Computation
from kafka_nextgen.membership.classic.events import JoinedMember
from kafka_nextgen.types import TopicId, TopicPartition

FOO, BAR = TopicMetadata("foo", 2, (("east",), ("west",))), TopicMetadata("bar", 1)
ID = TopicId(int=7)
WORD = MemberWord(AssignorMetadata(3, Metadata(1, b"heavy")), 0, 1)


def test_it_is_shown_what_members_and_topics_are_like() -> None:
    owned = frozenset({TopicPartition("foo", 0), TopicPartition("gone", 5)})
    said = MemberSubscription(frozenset({"foo", "gone"}), owned, 4, "east", write_member_word(WORD))
    topics = {"foo": FOO, "bar": BAR}
    computation = Computation.ask(1, WORD, [JoinedMember("A", "one", said)], topics, {"foo": ID})
    spec = MemberSpec({"foo", "gone"}, {ID: frozenset({0})}, "one", "east", 3, Metadata(1, b"heavy"))
    assert computation.group.members == {"A": spec}
    assert computation.group.topics[ID] == FOO

    # Where brokers tell no ids, each topic has one for this time.
    (bar_id,) = computation.group.topics.keys() - {ID}
    assert computation.names == {ID: "foo", bar_id: "bar"}
