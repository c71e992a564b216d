"""The records of ``__consumer_offsets``, in Kafka's own schema format: a file for each key and each value.

``apiKey`` is the number of the record's type. See ``kafka_nextgen.wire.offsets_topic``.
"""
