"""What to fetch from whom, and what has arrived: a planner and buffers without I/O."""
