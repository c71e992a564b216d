"""The client side of extensions that Apache Kafka never shipped: APIs, and additional fields in Kafka's messages.

Extension tags start at 10000. A module with the same name as one in ``requests`` does the same, and also reads and
writes the tags. ``requests`` itself does not depend on the extensions.
"""
