"""A small producer: what ``produce`` and the demonstration write with."""
