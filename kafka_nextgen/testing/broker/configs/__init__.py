"""Configuration that is described and changed while the broker runs (KIP-133, KIP-226, KIP-339).

Topics, brokers and groups have a module each, with their keys, the sources of their values, and what is refused;
``altering`` applies changes to any of them.
"""
