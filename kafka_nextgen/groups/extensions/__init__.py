"""Shared values of consumer groups that only extensions have."""
