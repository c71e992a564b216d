"""Configuration that was set while the broker ran. It overrides the settings that the broker was started with.

A broker setting may be set on all nodes, or on one. The nodes of a cluster share their settings here, so a value that
is set on one node applies to all; if it is set on several nodes, the value of the node with the lowest id applies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from attrs import evolve, field, fields

from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.testing.broker.storage import Catalogue
from kafka_nextgen.testing.coordinator.requests import ConfigsChanged
from kafka_nextgen.testing.coordinator.settings import Profile

__all__ = ["ALL_NODES", "DynamicConfigs"]

#: The name of the resource that represents all brokers.
ALL_NODES = ""

_GROUP, _BROKER = "group-config", "broker-config"  # kinds of entries

#: Broker settings that are not in every release, with the first release that has them.
_SINCE = {
    "group.consumer.assignment.interval.ms": Profile.V4_3,
    "group.consumer.min.assignment.interval.ms": Profile.V4_3,
    "group.consumer.max.assignment.interval.ms": Profile.V4_3,
    "group.consumer.regex.refresh.interval.ms": Profile.V4_1,
}

#: Settings that Kafka's brokers do not have.
_NO_CONFIGS = ("profile", "group.version", "extensions", "group.rebalance.history.size", "group.target.size")


@define
class DynamicConfigs:
    """The configuration of each group and broker: values as text by key, by resource name, stored in a catalogue."""

    at_start: BrokerSettings
    _catalogue: Catalogue = field(factory=Catalogue)

    @property
    def groups(self) -> Mapping[str, Mapping[str, str]]:
        """The configuration of each group, whether it exists or not."""
        return cast("Mapping[str, Mapping[str, str]]", self._catalogue.entries(_GROUP))

    @property
    def brokers(self) -> Mapping[str, Mapping[str, str]]:
        """The configuration of each node, and of all nodes."""
        return cast("Mapping[str, Mapping[str, str]]", self._catalogue.entries(_BROKER))

    def configure_group(self, group_id: str, given: Mapping[str, str]) -> None:
        """Replace the configuration of a group; raises ``StorageError``."""
        self._put(_GROUP, group_id, given)

    def configure_broker(self, name: str, given: Mapping[str, str]) -> None:
        """Replace the configuration of a node, or of all nodes; raises ``StorageError``."""
        self._put(_BROKER, name, given)

    def knows(self, key: str) -> bool:
        """Whether brokers of the configured release have such a setting."""
        is_there_yet = self.at_start.profile.has(_SINCE.get(key, Profile.V4_0))
        return is_there_yet and key not in _NO_CONFIGS and key in self.at_start.as_properties()

    def for_coordinator(self) -> ConfigsChanged:
        """The configuration in the form that a group coordinator accepts."""
        groups = {
            group_id: {name: int(value) for name, value in config.items()} for group_id, config in self.groups.items()
        }
        return ConfigsChanged(self.settings().for_coordinator(), groups)

    def settings(self) -> BrokerSettings:
        """The current settings."""
        given: dict[str, str] = {}
        nodes = sorted((node for node in self.brokers if node != ALL_NODES), key=int, reverse=True)
        for node in (ALL_NODES, *nodes):
            given.update(self.brokers.get(node, {}))
        parsed = {
            attribute.name: attribute.metadata["parse"](key, given[key])
            for attribute in fields(BrokerSettings)
            if (key := attribute.name.replace("_", ".")) in given
        }
        return evolve(self.at_start, **parsed)

    def _put(self, kind: str, name: str, given: Mapping[str, str]) -> None:
        if given:
            self._catalogue.put(kind, name, dict(given))
        else:
            self._catalogue.remove(kind, name)
