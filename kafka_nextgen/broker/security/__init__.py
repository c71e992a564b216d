"""Who may connect to the broker, and what they may do.

A connection comes to a listener (``listeners``), which says whether it is encrypted (``tls``) and whether the client
has to authenticate (``sasl``, with a short exchange for each of the ``mechanisms``, and ``users`` for who there is).
That makes a principal (``principals``). What a principal may do is decided by rules (``rules``), Kafka's ACLs, which
handlers ask for a right (``access``, ``rights``). The check stands in the handler of the API. Which rights each API
asks for is in one table of the tests, ``tests/broker/security/requirements.py``.

Files of keys are read once, when the broker is made. What is changed while it runs is kept in its catalogue.
"""
