"""Converts a coordinator's records to keys and values of ``__consumer_offsets`` and back, in Kafka's format.

| type | record | value's version |
|---|---|---|
| 0, 1 | a committed offset; 0 is the older form, which is only read | 4 |
| 2 | a classic group's generation | 3 |
| 3 | a consumer group's epoch | 0 |
| 4 | the metadata of the subscribed topics, which only Kafka 4.0 writes | 0 |
| 5 | a member of a consumer group | 0 |
| 6, 7 | the target assignment's epoch; a member's share of it | 0 |
| 8 | the partitions that a member owns | 0 |
| 16 | the topics that a pattern matched | 0 |

These are the versions that Kafka 4.3 writes; all older ones can be read. Other types, such as those of share and
streams groups, and newer versions are ``Skipped`` without an error. Bytes that do not match their type and version
raise ``DecodeError``.
"""

from __future__ import annotations

from kafka_nextgen.offsets_topic.codec import KAFKAS, Codec, KeyAndValue, Skipped
from kafka_nextgen.offsets_topic.kinds import KINDS
from kafka_nextgen.offsets_topic.replay import LoggedBatch, replay

__all__ = ["KAFKAS", "KINDS", "Codec", "KeyAndValue", "LoggedBatch", "Skipped", "replay"]
