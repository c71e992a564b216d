"""What drives fetching, and answers questions about partitions."""
