"""Observability of a consumer: health, rebalance history, counters, hooks."""
