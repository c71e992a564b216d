"""The APIs kafka-python has no schemas of, or none with our tags, in Kafka's own schema format (KIP-482), one file per
message.

A file is named as its message is and is loaded by kafka-python: see ``kafka_nextgen.wire.messages``.
"""
