"""Read topics as Arrow tables with one call: ``read_arrow`` and ``scan``; ``docs/guides/tables.md`` has examples."""

from kafka_nextgen.scanning.arrow_stream import Scan, read_arrow, scan
from kafka_nextgen.scanning.times import Moment

__all__ = ["Moment", "Scan", "read_arrow", "scan"]
