"""Records at different rates, in different numbers of partitions."""
