"""Values as typed columns: a batch of bytes to Arrow's layout, without an object for each record.

``Records.to_arrow(value=Avro(...))`` has it all together; ``docs/use/values.md`` says which Arrow type each becomes.
"""

from kafka_nextgen.values.avro import Avro
from kafka_nextgen.values.formats import ValueFormat
from kafka_nextgen.values.protobuf import Protobuf

__all__ = ["Avro", "Protobuf", "ValueFormat"]
