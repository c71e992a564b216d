"""Translate the configuration of Java's clients to this library's keys.

``properties_file`` reads their files, ``sasl`` and ``jaas`` their authentication settings, ``tls`` and ``stores`` their
key stores and trust stores, ``deserializers`` the names of their deserializers, and ``reconciling`` adapts values that
only Java allows. ``kafka_nextgen.other_clients`` decides what happens to each key of a consumer, and
``kafka_nextgen.spark.kafka_option_fates`` to each key of the data source.
"""
