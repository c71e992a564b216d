"""A small producer: what ``produce``, the demonstration and a sink of events write with."""
