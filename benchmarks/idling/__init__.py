"""Partitions in which nothing happens."""
