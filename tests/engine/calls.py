"""Every method of a consumer, called in the plainest way: for tests of what holds for all of them."""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen import Consumer
from tests.engine.names import TOPIC, tp

CALLS: dict[str, Callable[[Consumer], object]] = {
    "subscribe": lambda consumer: consumer.subscribe([TOPIC]),
    "unsubscribe": lambda consumer: consumer.unsubscribe(),
    "assign": lambda consumer: consumer.assign([tp()]),
    "assignment": lambda consumer: consumer.assignment(),
    "subscription": lambda consumer: consumer.subscription(),
    "finished": lambda consumer: consumer.finished(),
    "poll": lambda consumer: consumer.poll(),
    "getone": lambda consumer: consumer.getone(),
    "__next__": lambda consumer: next(consumer),
    "batches": lambda consumer: next(consumer.batches()),
    "run": lambda consumer: consumer.run(print),
    "commit": lambda consumer: consumer.commit(),
    "commit_async": lambda consumer: consumer.commit_async(),
    "store_offsets": lambda consumer: consumer.store_offsets({}),
    "committed": lambda consumer: consumer.committed([tp()]),
    "group_lag": lambda consumer: consumer.group_lag(),
    "position": lambda consumer: consumer.position(tp()),
    "seek": lambda consumer: consumer.seek(tp(), 0),
    "seek_to_beginning": lambda consumer: consumer.seek_to_beginning(),
    "seek_to_end": lambda consumer: consumer.seek_to_end(),
    "pause": lambda consumer: consumer.pause([tp()]),
    "resume": lambda consumer: consumer.resume([tp()]),
    "paused": lambda consumer: consumer.paused(),
    "lag": lambda consumer: consumer.lag(),
    "reached_end": lambda consumer: consumer.reached_end(),
    "health": lambda consumer: consumer.health(),
    "metrics": lambda consumer: consumer.metrics(),
    "rebalances": lambda consumer: consumer.rebalances(),
    "group_metadata": lambda consumer: consumer.group_metadata(),
    "group_protocol": lambda consumer: consumer.group_protocol,
    "enforce_rebalance": lambda consumer: consumer.enforce_rebalance(),
    "standby_ready": lambda consumer: consumer.standby_ready(),
    "beginning_offsets": lambda consumer: consumer.beginning_offsets([tp()]),
    "end_offsets": lambda consumer: consumer.end_offsets([tp()]),
    "offsets_for_times": lambda consumer: consumer.offsets_for_times({tp(): 0}),
    "partitions_for": lambda consumer: consumer.partitions_for(TOPIC),
    "topics": lambda consumer: consumer.topics(),
    "describe_topics": lambda consumer: consumer.describe_topics([TOPIC]),
}

#: What tells what is known already, at any time and to anybody, and what any thread may say.
SHARED = {
    *("assignment", "subscription", "finished", "paused", "lag", "health", "metrics", "rebalances"),
    *("group_metadata", "group_protocol", "standby_ready", "store_offsets"),
}

#: What may be called when the consumer is closed, too.
ALWAYS_OPEN = {"metrics", "standby_ready"}

#: What calls others of these, which say so if they are refused.
MADE_OF_OTHERS = {"batches", "run"}
