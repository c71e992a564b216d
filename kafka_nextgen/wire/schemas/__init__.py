"""The schemas of all messages we speak, as Kafka 4.4 has them: see ``kafka_nextgen.wire.schema``.

Each class of these modules is exported, so they have no ``__all__``.
"""
