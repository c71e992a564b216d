"""Stories that several tests tell, as ``tests.history.story`` reads them."""

from __future__ import annotations

COORDINATOR = """
    0.0 coordinator:1 joined A @1
    0.0 coordinator:1 assigned A @1 t[0-1]
    5.0 coordinator:1 joined B @2
    5.5 coordinator:1 revoked A @1 t[1]
    5.6 coordinator:1 assigned A @2
    5.7 coordinator:1 assigned B @2 t[1]
    9.0 coordinator:1 left A @2
"""

CONSUMERS = """
    0.1 consumer:a joined A @1
    0.2 consumer:a assigned A @1 t[0-1]
    5.1 consumer:b joined B @2
    5.4 consumer:a revoked A @1 t[1]
    5.6 consumer:a assigned A @2
    5.8 consumer:b assigned B @2 t[1]
    8.9 consumer:a revoked A @2 t[0]
    9.0 consumer:a left A @2
"""


#: B joins A; A gives one of two partitions up, slowly: its callback takes 4 of 5 seconds.
HANDOVER = """
    0.0 coordinator:1 group_epoch A @1 cause=member_joined
    0.0 coordinator:1 joined A @1
    0.1 consumer:a assigned A @1 t[0-1]
    1.0 coordinator:1 lag t[0] offset=10 end=10
    1.0 coordinator:1 lag t[1] offset=20 end=20
    10.0 coordinator:1 group_epoch B @2 cause=member_joined reason=deploy
    10.0 coordinator:1 joined B @2
    11.0 consumer:a revoked A @1 t[1]
    15.0 consumer:a callback A @2 ms=4000 cause=revoked
    15.2 consumer:a assigned A @2
    16.0 consumer:b assigned B @2 t[1]
    20.0 coordinator:1 lag t[1] offset=20 end=70
"""
