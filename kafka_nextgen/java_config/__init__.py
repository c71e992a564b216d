"""How Java's clients are configured, translated to this library's keys.

``properties_file`` reads their files, ``sasl`` and ``jaas`` their logins, ``tls`` and ``stores`` their key stores and
trust stores, ``deserializers`` the names of their deserializers, and ``reconciling`` adapts values that only Java
allows. What happens to each key is in ``kafka_nextgen.other_clients`` for consumers, and in
``kafka_nextgen.spark.kafka_option_fates`` for the data source.
"""
