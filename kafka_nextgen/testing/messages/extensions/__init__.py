"""The broker's half of the extensions that Apache Kafka never shipped: additional APIs, and additions to Kafka's
messages.

A module named like one in ``messages`` handles the same API, and also reads and writes its tagged fields. ``messages``
itself does not use the extensions.
"""
