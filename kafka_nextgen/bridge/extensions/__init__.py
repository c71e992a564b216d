"""What Apache Kafka never shipped, in bytes: APIs of its own, and what it adds to Kafka's messages and records.

Tagged fields and types of records begin at 10000. A module that is named as one of ``bridge`` does what that does, and
reads and writes the tags besides. ``bridge`` itself knows nothing of any of it.
"""
