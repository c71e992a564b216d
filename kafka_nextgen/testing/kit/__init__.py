"""What a test tells a cluster and asks it: records, commits, groups and rebalances, on the embedded broker or a real
Kafka.
"""
