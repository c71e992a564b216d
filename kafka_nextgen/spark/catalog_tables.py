"""Tables of Spark's catalog: ``CREATE TABLE orders USING kafka_nextgen OPTIONS (...)``.

Spark 4.2 and 4.3 pass a Python source different options when a table is created and when it is read:

- ``CREATE TABLE`` without columns requests the columns and passes the table's properties: ``provider``, ``owner`` and
  others, and each of the OPTIONS twice, with and without the prefix ``option.``.
- For ``CREATE TABLE`` with columns, Spark does not call the source at all.
- A query of the table passes the columns, but not the options. Options of the query itself (``WITH``, or ``option()``
  before ``table()``) are passed, but those of one use of a table apply to all its uses in the query.

The options therefore become metadata of the first column, which Spark stores in the catalog and passes back. Metadata
follows a column, even into files, so secrets are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from pyspark.sql.types import StructField, StructType

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_patterns import lazy_pattern

__all__ = ["columns_with_options", "created_with", "options_of_query", "refuse_secrets"]

_METADATA: Final = "kafka_nextgen.options"
_PREFIX: Final = "option."
_PROVIDER: Final = "provider"
_SERVERS: Final = "kafka.bootstrap.servers"
_SECRET: Final = lazy_pattern(r"password|secret|token|jaas|keystore\.key|key\.pem|registry\.header\.", re.IGNORECASE)
_URL: Final = "schemaregistry.url"


def created_with(options: Mapping[str, str]) -> dict[str, str] | None:
    """Return the OPTIONS if these are the properties of a table in the catalog; None otherwise."""
    if _PROVIDER not in options:
        return None
    return {name.removeprefix(_PREFIX): text for name, text in options.items() if name.startswith(_PREFIX)}


def refuse_secrets(options: Mapping[str, str]) -> None:
    """Raise ``ConfigError`` if an option of a new table is a secret."""
    for name in sorted(options):
        if _SECRET.search(name) or (name.lower() == _URL and "@" in options[name]):
            raise ConfigError(
                f"the table can't have the option {name}: Spark would show it in the schema of each DataFrame, and "
                "write it to files. Use CREATE TEMPORARY VIEW instead of CREATE TABLE, or load()",
                name,
            )


def columns_with_options(columns: StructType, options: Mapping[str, str]) -> StructType:
    """Return the columns of a new table; the metadata of the first one contains its options."""
    first, *others = columns.fields
    carrying = StructField(first.name, first.dataType, metadata={_METADATA: dict(options)})
    return StructType([carrying, *others])


def options_of_query(options: Mapping[str, str], schema: StructType) -> Mapping[str, str]:
    """Return the options of a query of these columns: its own, or those with which its table was created.

    Raises ``ConfigError`` if it has both, or none.
    """
    created = created_with(options)
    if created is not None:
        return created
    carried = next((field.metadata[_METADATA] for field in schema if _METADATA in (field.metadata or {})), None)
    if not options and carried is None:
        raise ConfigError(
            "the query has no options. Spark does not give this source the options of a table that was created with "
            "columns: leave the columns out of CREATE TABLE",
            _SERVERS,
        )
    if carried is None or _SERVERS in {name.lower() for name in options}:
        return options
    if options:
        name = next(iter(options))
        raise ConfigError(
            f"the option {name} is given where a table is read: Spark would serve one use of the table with the "
            "options of another. Create another table or a temporary view with it, or use load()",
            name,
        )
    return dict(carried)
