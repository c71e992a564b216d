"""What Apache Kafka never shipped, for brokers: APIs of its own, and what it adds to Kafka's messages.

A module that is named as one of ``messages`` does what that does, and reads and writes the tags besides. ``messages``
itself knows nothing of any of it.
"""
