"""How Java's clients are configured, translated to this library's keys.

``properties_file`` reads their files, ``sasl`` and ``jaas`` their logins, ``tls`` and ``stores`` their key stores and
trust stores, ``deserializers`` the names of their deserializers, and ``values`` adapts values that only Java allows.
Which keys other clients have, and what happens to each, is in ``kafka_nextgen.other_clients``.
"""
