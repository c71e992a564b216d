"""What Apache Kafka never shipped, for clients: APIs of its own, and what it adds to Kafka's messages.

Tagged fields begin at 10000. A module that is named as one of ``requests`` does what that does, and reads and writes
the tags besides. ``requests`` itself knows nothing of any of it.
"""
