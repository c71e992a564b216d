"""The configuration keys of other clients, and how this library handles each.

``java_keys``, ``librdkafka_keys`` (confluent-kafka), ``python_keys`` (kafka-python and aiokafka) and ``shared_keys``
(producers and Schema Registry) contain the tables. Each key is in one of them, and is handled in one of three ways
(``fates``): it is mapped to a key of this library, dropped, or refused. ``translation`` handles the keys accordingly,
and ``advice`` explains their fates in errors.
"""
