"""Members that are announced before they leave, so that the others take over in one rebalance."""
