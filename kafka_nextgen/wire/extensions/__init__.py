"""What extensions add to messages and records, for the client's and the broker's side."""
