"""Why a group rebalanced, the last times that it did."""
