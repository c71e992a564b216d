"""The broker's half of the extensions that Apache Kafka never shipped: additional APIs, and additions to Kafka's
messages.

A module with the same name as one of ``messages`` does the same, and also reads and writes the tagged fields.
``messages`` itself does not know the extensions.
"""
