"""The schemas of all messages that we use, as of Kafka 4.4; see ``kafka_nextgen.wire.schema``.

Every class in these modules is exported, so they have no ``__all__``.
"""
