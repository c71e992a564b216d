#!/usr/bin/env bash
# protarrow 0.16.0: a Duration of -1.5 s, -1 s and -500000000 ns in Protobuf, comes back from Arrow as -2 s and
# +500000000 ns. Protobuf wants one sign for both: protobuf 7.36.2 refuses such a message as JSON, and so does whoever
# checks what it is sent. Positive durations and Timestamps are right. With enum_type set to a dictionary, for columns
# with names, a number that the schema doesn't know, such as one of a newer producer, becomes the first name and then 0,
# as if it had been sent so; with enum_type int32 it stays.
. "$(dirname "$0")/support/common.sh"
python_with protarrow==0.16.0 protobuf==7.36.2 googleapis-common-protos==1.76.0 pyarrow==26.0.1
python_says "$(cat <<'SEEN'
1.500s: back as 1 s 500000000 ns; as JSON "1.500s"
-1.500s: back as -2 s 500000000 ns; as JSON refused
-0.000000001s: back as -1 s 999999999 ns; as JSON refused
kind 99, enum_type int32: column [99], back as 99
kind 99, enum_type dictionary<values=string, indices=int32, ordered=0>: column ['UNKNOWN'], back as 0
SEEN
)" <<'PY'
import protarrow
import pyarrow as pa
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.duration_pb2 import Duration

Field = descriptor_pb2.FieldDescriptorProto
file = descriptor_pb2.FileDescriptorProto(
    name="f.proto", package="f", syntax="proto3", dependency=["google/protobuf/duration.proto"]
)
kinds = file.enum_type.add(name="Kind")
kinds.value.add(name="UNKNOWN", number=0)
kinds.value.add(name="SALE", number=1)
event = file.message_type.add(name="Event")
event.field.add(
    name="delay", number=1, label=1, type=Field.TYPE_MESSAGE, type_name=".google.protobuf.Duration", json_name="delay"
)
event.field.add(name="kind", number=2, label=1, type=Field.TYPE_ENUM, type_name=".f.Kind", json_name="kind")
pool = descriptor_pool.Default()
pool.AddSerializedFile(file.SerializeToString())
Event = message_factory.GetMessageClass(pool.FindMessageTypeByName("f.Event"))


def there_and_back(message, config):
    batch = protarrow.messages_to_record_batch([message], Event, config)
    (again,) = protarrow.record_batch_to_messages(batch, Event)
    return batch, again


for seconds, nanos in ((1, 500_000_000), (-1, -500_000_000), (0, -1)):
    sent = Event(delay=Duration(seconds=seconds, nanos=nanos))
    _, again = there_and_back(sent, protarrow.ProtarrowConfig())
    try:
        document = json_format.MessageToJson(again.delay)
    except ValueError:
        document = "refused"
    print(
        f"{sent.delay.ToJsonString()}: back as {again.delay.seconds} s {again.delay.nanos} ns; as JSON {document}"
    )

for kind in (pa.int32(), pa.dictionary(pa.int32(), pa.string())):
    batch, again = there_and_back(Event(kind=99), protarrow.ProtarrowConfig(enum_type=kind))
    print(f"kind 99, enum_type {kind}: column {batch['kind'].to_pylist()}, back as {again.kind}")
PY
