"""Drives fetching, and queries brokers about positions."""
