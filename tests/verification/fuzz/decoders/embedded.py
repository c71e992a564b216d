"""What members of classic groups tell each other; what is understood is written back and read again.

The first byte says which: 0 a subscription, 1 an assignment.
"""

from __future__ import annotations

from kafka_nextgen.groups.consumer_protocol import (
    MemberSubscription,
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
    user_data_of,
    version_of,
)
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.frames import decode_request
from tests.verification.fuzz import corpus
from tests.verification.fuzz.decoders.decoder import Decoder, refusals

_SUBSCRIPTION, _ASSIGNMENT = b"\x00", b"\x01"
_OWNED = frozenset({TopicPartition("orders", 0), TopicPartition("orders", 3), TopicPartition("audit", 1)})


def _read(data: bytes) -> None:
    kind, data = data[:1], data[1:]
    with refusals():
        if kind == _SUBSCRIPTION:
            version_of(data)
            subscription = decode_subscription(data)
            assert decode_subscription(encode_subscription(subscription)) == subscription
        else:
            partitions = decode_assignment(data)
            assert decode_assignment(encode_assignment(partitions, user_data=user_data_of(data))) == partitions


def _seeds() -> list[bytes]:
    whole = MemberSubscription(frozenset({"orders", "größe"}), _OWNED, 7, "r1", b"word")
    made = [_SUBSCRIPTION + encode_subscription(whole, version) for version in range(4)]
    return [*_recorded(), *made, _ASSIGNMENT + encode_assignment(_OWNED, user_data=b"word")]


def _recorded() -> list[bytes]:
    found = set()
    for frame in corpus.frames(corpus.REQUEST):
        if frame.api is apis.JOIN_GROUP:
            message = decode_request(frame.data).message
            found |= {_SUBSCRIPTION + bytes(offer.metadata) for offer in message.protocols}
        elif frame.api is apis.SYNC_GROUP:
            message = decode_request(frame.data).message
            found |= {_ASSIGNMENT + bytes(each.assignment) for each in message.assignments}
    return sorted(found)


EMBEDDED = Decoder("embedded", "subscriptions and assignments of classic groups", _read, _seeds)
