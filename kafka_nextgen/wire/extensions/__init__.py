"""What extensions add to messages and records, for whoever reads or writes them."""
