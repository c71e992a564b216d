"""Fetching without I/O: plans what to fetch from which node, and buffers the records that arrive.

All access goes through ``FetchState``. Its driver sends the requests that ``plan`` returns and passes back the answers;
the application takes the records.

An answer is decoded (``decoding``) and applied (``results``), and errors are handled (``failures``, ``resets``). Its
records wait (``buffers``) until they are handed over (``handing_over``). Then the next requests are planned
(``planning``, ``position_needs``). ``positions`` contains the state of one partition, ``context`` the shared state, and
``underway`` the fetches from each node and its session (``sessions``). ``fast_path`` goes directly from one small
answer to the next request.
"""

from __future__ import annotations

from kafka_nextgen.fetching.decoding import (
    AnswerDecoding,
    DecodedPartition,
    decode_answer,
    find_arrivals,
)
from kafka_nextgen.fetching.fast_path import NodeFetches
from kafka_nextgen.fetching.needs import (
    Arrival,
    Fetch,
    Need,
    NeedCommittedOffset,
    NeedEpochEnds,
    NeedMetadata,
    NeedOffsetReset,
)
from kafka_nextgen.fetching.progress import FetchProgress, PartitionProgress
from kafka_nextgen.fetching.resets import Truncation
from kafka_nextgen.fetching.sessions import SessionAnswer
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.fetching.state import NO_RANGES, FetchState
from kafka_nextgen.fetching.topics import TopicChanges

__all__ = [
    "NO_RANGES",
    "AnswerDecoding",
    "Arrival",
    "DecodedPartition",
    "Fetch",
    "FetchProgress",
    "FetchSettings",
    "FetchState",
    "Need",
    "NeedCommittedOffset",
    "NeedEpochEnds",
    "NeedMetadata",
    "NeedOffsetReset",
    "NodeFetches",
    "PartitionProgress",
    "SessionAnswer",
    "TopicChanges",
    "Truncation",
    "decode_answer",
    "find_arrivals",
]
