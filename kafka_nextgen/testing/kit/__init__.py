"""What a test says to a cluster and asks it: records, commits, groups and rebalances, on the embedded broker or a real
Kafka.
"""
