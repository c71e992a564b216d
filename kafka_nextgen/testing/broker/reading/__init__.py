"""Reading partitions for Fetch requests, and fetch sessions."""
