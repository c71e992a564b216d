"""The finalized level of each feature of the cluster, and what UpdateFeatures may change (KIP-584, KIP-1022).

| an update, checked in this order | is refused unless |
|---|---|
| its type | is 1 (upgrade), 2 (safe downgrade) or 3 (unsafe downgrade) |
| its level | is not negative, and is supported by the emulated release |
| to a lower level | its type is a downgrade |
| to a higher level | its type is an upgrade |
| its feature | is known, and is ``group.version``: the levels of all others are fixed here |

As in Kafka, one refusal refuses all updates of a request. A level that was set is kept in the catalogue, and overrides
the setting that the broker is started with. The epoch rises with each change, since clients ignore older levels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import cast

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.releases import RELEASES
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.testing.broker.storage import Catalogue
from kafka_nextgen.testing.coordinator.hash_map import place

__all__ = ["GROUP_VERSION", "FeatureUpdate", "Features", "UpdateType"]

GROUP_VERSION = "group.version"

_KIND = "feature"  # of entries in the catalogue: the level and its epoch
_TRANSACTION_VERSION = 2


class UpdateType(IntEnum):
    """The type of an update, by Kafka's numbers."""

    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3


@frozen
class FeatureUpdate:
    """A feature's new level; ``kind`` is not one of ``UpdateType`` if the client made it up."""

    name: str
    level: int
    kind: int = UpdateType.UPGRADE


class Features:
    """The features of a cluster. ``group.version`` at 1 enables the consumer group protocol (KIP-848), and
    ``transaction.version`` at 2 makes producers bump their epoch with each transaction (KIP-890, part 2).
    """

    def __init__(self, settings: BrokerSettings, catalogue: Catalogue) -> None:
        self._supported = RELEASES[settings.profile].features
        self._at_start = {
            GROUP_VERSION: settings.group_version,
            "metadata.version": RELEASES[settings.profile].metadata_version,
            "transaction.version": _TRANSACTION_VERSION,
        }
        self._catalogue = catalogue

    @property
    def levels(self) -> Mapping[str, int]:
        """The level of each feature; 0 means that it is disabled."""
        return {name: self.level(name) for name in self._at_start}

    def level(self, name: str) -> int:
        """The level of a feature, 0 for an unknown one. Each request of the protocol asks, so it builds nothing."""
        stored = self._stored().get(name)
        return self._at_start.get(name, 0) if stored is None else stored[0]

    @property
    def epoch(self) -> int:
        """The number of changes so far."""
        return max((epoch for _, epoch in self._stored().values()), default=0)

    def refusal(self, updates: Iterable[FeatureUpdate], controller_id: int) -> str | None:
        """Why the first invalid update is refused, in Kafka's words; None if all are valid."""
        for update in sorted(updates, key=lambda update: place(update.name)):  # Kafka has them in a HashMap
            if reason := self._reason(update, f"Local controller {controller_id}"):
                return f"Invalid update version {update.level} for feature {update.name}. {reason}"
        return None

    def update(self, updates: Iterable[FeatureUpdate]) -> None:
        """Set the levels of valid updates. Raises ``StorageError``."""
        for update in updates:
            if update.level != self.level(update.name):
                self._catalogue.put(_KIND, update.name, [update.level, self.epoch + 1])

    def _stored(self) -> Mapping[str, tuple[int, int]]:
        return cast("Mapping[str, tuple[int, int]]", self._catalogue.entries(_KIND))

    def _reason(self, update: FeatureUpdate, controller: str) -> str | None:
        lowest, highest = self._supported.get(update.name, (0, 0))
        level = self.level(update.name)
        if update.kind not in set(UpdateType):
            return "The controller does not support the given upgrade type."
        if update.level < 0:
            return "A feature version cannot be less than 0."
        if not lowest <= update.level <= highest:
            return _unsupported(controller, lowest, highest)
        if update.level < level and update.kind == UpdateType.UPGRADE:
            return (
                "Can't downgrade the version of this feature without setting the upgrade type to either safe or "
                "unsafe downgrade."
            )
        if update.level > level and update.kind != UpdateType.UPGRADE:
            return "Can't downgrade to a newer version."
        if update.name not in self._supported:
            return f"Feature {update.name} not found."
        if update.level != level and update.name != GROUP_VERSION:
            return f"This broker, which is for tests, can change {GROUP_VERSION} only."
        return None


def _unsupported(controller: str, lowest: int, highest: int) -> str:
    if highest == 0:
        return f"{controller} does not support this feature."
    return f"{controller} only supports versions {lowest}-{highest}"
