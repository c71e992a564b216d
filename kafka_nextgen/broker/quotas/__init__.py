"""Quotas: how much a client may do in a time, and for how long it is left alone after more than that (KIP-13, KIP-219).

A client that exceeds a quota gets its answer at once, with the time that it should have waited, and the broker reads
nothing from that connection meanwhile. Quotas are set by ``AlterClientQuotas`` (KIP-546): of bytes produced, of bytes
fetched, and of the time that requests take.
"""
