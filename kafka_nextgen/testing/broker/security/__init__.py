"""Who may connect to the broker, and what they may do.

A connection is accepted by a listener (``listeners``), which determines whether it is encrypted (``settings``) and
whether the client has to authenticate (``sasl``, with an exchange of tokens for each of the ``mechanisms``, and
``users``). The client is then a principal (``principals``). Kafka's ACLs, called rules here (``rules``), decide what a
principal may do. The handler of each API requests the rights that it needs (``acls``, ``access``). A table in the tests
lists the rights that each API needs: ``tests/testing/broker/security/requirements.py``.

Key files are read once, when the broker is created. The catalogue stores what changes while the broker runs.
"""
