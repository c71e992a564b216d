"""Where the time of reading goes."""
