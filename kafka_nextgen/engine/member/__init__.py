"""Drives a member of a group: its requests, its callbacks, and its subscribed topics."""
