"""Features that KIPs propose and no Kafka release has: client-side assignors, pre-registered members, rebalance causes.

All of them are off unless ``CoordinatorSettings.extensions`` is set. While they are off, the coordinator behaves like
Kafka's.
"""
