"""How long a partition that does not move is not read while its group rebalances."""
