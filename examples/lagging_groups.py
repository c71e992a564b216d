"""Say which groups are behind in which partitions, groups of both protocols alike; asks the brokers, joins nothing.

python examples/lagging_groups.py --bootstrap-servers localhost:9092
"""

from __future__ import annotations

from arguments import parse_arguments

from kafka_nextgen import GroupAdmin
from kafka_nextgen.types import format_partitions

arguments = parse_arguments(__doc__)

with GroupAdmin(bootstrap_servers=arguments.bootstrap_servers) as admin:
    groups = admin.describe([group.group_id for group in admin.list().groups])
    for error in groups.failed.values():
        print(error)
    for group in groups.done.values():
        behind = {partition: offset.lag for partition, offset in admin.offsets(group.group_id).items() if offset.lag}
        if behind:
            state = f"{group.type.value}, {group.state.value}, {len(group.members)} members"
            print(f"{group.group_id} ({state}): {sum(behind.values())} behind in {format_partitions(behind)}")
