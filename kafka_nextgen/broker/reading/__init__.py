"""What a Fetch asks of partitions, what they give, and the sessions that keep both short."""
