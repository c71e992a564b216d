"""The I/O thread that drives a member and its fetches."""
