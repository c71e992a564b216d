"""Decode a batch of values into typed columns in Arrow's layout, without an object for each record.

``Records.to_arrow(value=Avro(...))`` is the way in; ``docs/use/values.md`` lists the Arrow type of each Avro type.
"""

from kafka_nextgen.values.avro import Avro
from kafka_nextgen.values.formats import ValueFormat

__all__ = ["Avro", "ValueFormat"]
