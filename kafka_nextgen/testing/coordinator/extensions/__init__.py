"""Features that KIPs propose and no Kafka release has: client-side assignors, pre-registered members, rebalance causes.

All of it is off unless ``CoordinatorSettings.extensions`` is set. While it is off, the coordinator behaves like
Kafka's.
"""
