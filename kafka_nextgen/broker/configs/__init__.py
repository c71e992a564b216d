"""Configuration that is described and changed while the broker runs (KIP-133, KIP-226, KIP-339).

Topics, brokers and groups have it. One module for each says which keys there are, where their values come from and what
is refused; ``altering`` has what a request may do to any of them.
"""
