"""Reads a ``.properties`` file of another client, and finds the necessary changes, line by line."""

from __future__ import annotations

from kafka_nextgen.java_config.properties_file import lines_of_properties
from kafka_nextgen.migrating.finding import Finding
from kafka_nextgen.migrating.keys import finding_for_key

__all__ = ["findings_in_properties"]


def findings_in_properties(text: str, source: str) -> list[Finding]:
    """Return the changes of a file. Raises ``ConfigError`` if it is malformed, with ``source``."""
    settings = list(lines_of_properties(text, source))
    protocols = [value for _, key, value in settings if key == "group.protocol" and value]
    protocol = protocols[-1].lower() if protocols else "consumer"
    found = (
        finding_for_key(line, key, value, protocol)
        for line, key, value in settings
        if value or key == "ssl.endpoint.identification.algorithm"
    )
    return [finding for finding in found if finding is not None]
