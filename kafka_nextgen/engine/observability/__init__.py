"""What tells how a consumer is: health, rebalances, counters, hooks."""
