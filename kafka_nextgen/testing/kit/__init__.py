"""What tests do and check on a cluster: records, commits, groups and rebalances, on the embedded broker or a real
Kafka.
"""
