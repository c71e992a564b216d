"""The features of each Kafka release, and its API versions where they are narrower than in ``wire.apis``.

Taken from the ApiVersions responses of brokers 4.0.0, 4.1.0, 4.2.0, 4.3.0 and 4.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.settings import Profile
from kafka_nextgen.wire import apis as api
from kafka_nextgen.wire.apis import VersionRange

__all__ = ["RELEASES", "Release"]


@frozen
class Release:
    """One release: its metadata version, the minimum of a topic's ``segment.bytes``, and version ranges by API key."""

    metadata_version: int
    smallest_segment_bytes: int = 1_048_576  # KIP-1030
    ranges: Mapping[int, VersionRange] = field(factory=dict)

    @property
    def features(self) -> Mapping[str, VersionRange]:
        """The supported levels of each feature (KIP-584); level 0 means disabled (KIP-1022)."""
        return {
            "group.version": (0, 1),
            "metadata.version": (_FIRST_METADATA_VERSION, self.metadata_version),
            "transaction.version": (0, 2),
        }


_FIRST_METADATA_VERSION = 7  # 3.3-IV3, the oldest from which Kafka 4 can upgrade

_BY_NAME = 9  # the last version of OffsetCommit and OffsetFetch that gives topics by name

_BEFORE_4_4: Mapping[int, VersionRange] = {
    api.API_VERSIONS.key: (0, 4),
    api.TXN_OFFSET_COMMIT.key: (0, 5),
    api.DELETE_GROUPS.key: (0, 2),
}

RELEASES: Mapping[Profile, Release] = {
    Profile.V4_0: Release(
        metadata_version=25,
        smallest_segment_bytes=14,
        ranges={
            **_BEFORE_4_4,
            api.PRODUCE.key: (3, 12),
            api.FETCH.key: (4, 17),
            api.LIST_OFFSETS.key: (1, 10),
            api.OFFSET_COMMIT.key: (2, _BY_NAME),
            api.OFFSET_FETCH.key: (1, _BY_NAME),
            api.JOIN_GROUP.key: (2, 9),
            api.WRITE_TXN_MARKERS.key: (1, 1),
            api.LIST_TRANSACTIONS.key: (0, 1),
            api.LIST_CONFIG_RESOURCES.key: (0, 0),
        },
    ),
    Profile.V4_1: Release(
        metadata_version=27,
        ranges={
            **_BEFORE_4_4,
            api.LIST_OFFSETS.key: (1, 10),
            api.OFFSET_COMMIT.key: (2, _BY_NAME),
            api.OFFSET_FETCH.key: (1, _BY_NAME),
            api.WRITE_TXN_MARKERS.key: (1, 1),
        },
    ),
    Profile.V4_2: Release(metadata_version=29, ranges=_BEFORE_4_4),
    Profile.V4_3: Release(metadata_version=30, ranges=_BEFORE_4_4),
    Profile.V4_4: Release(metadata_version=33),
}
