"""What ``history follow`` is made of: where events come from, what they come to, and how that is drawn."""
