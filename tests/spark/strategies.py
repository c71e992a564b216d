"""Partitions, logs and offsets of them, for properties of planning."""

from __future__ import annotations

from hypothesis import strategies as st

from kafka_nextgen.spark.values import ClusterOffsets
from kafka_nextgen.types import TopicPartition

PARTITIONS = st.builds(TopicPartition, st.sampled_from(["a", "b.c", "z"]), st.integers(0, 5))

SIZES = st.one_of(st.integers(0, 5), st.integers(0, 10**6), st.integers(0, 2**40))


@st.composite
def clusters(draw: st.DrawFn) -> ClusterOffsets:
    """The offsets of a few logs, some of which don't begin at 0."""
    partitions = draw(st.lists(PARTITIONS, unique=True, min_size=1, max_size=8))
    earliest = {tp: draw(st.sampled_from([0, 0, 7])) for tp in partitions}
    return ClusterOffsets(earliest, {tp: earliest[tp] + draw(SIZES) for tp in partitions})


@st.composite
def progress(draw: st.DrawFn, cluster: ClusterOffsets) -> dict[TopicPartition, int]:
    """Where a query may be in those logs: some partitions are new to it, none has lost records."""
    known = [tp for tp in cluster.latest if draw(st.booleans())]
    return {tp: draw(st.integers(cluster.earliest[tp], cluster.latest[tp])) for tp in known}
