"""What the KIPs promise and no Kafka ever shipped: assignors in the client, members announced ahead, reasons of
rebalances.

All of it is off in ``CoordinatorSettings`` unless ``extensions`` is set; off means that the coordinator is Kafka's.
"""
