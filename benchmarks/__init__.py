"""Measurements that print figures; run as modules from the root of the repository."""
