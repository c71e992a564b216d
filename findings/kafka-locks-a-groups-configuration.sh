#!/usr/bin/env bash
# Kafka 4.4.0: a group's configuration that was valid when it was set, and lies outside the broker's bounds after a
# restart with other bounds, makes any other change of that group's configuration fail with INVALID_CONFIG, which
# names the old key. Once the old key is deleted, or set to a valid value, changes work again.
. "$(dirname "$0")/support/common.sh"
python_with confluent-kafka==2.16.1
kafka 4.4.0
export BOOTSTRAP
cat >"$WORK/alter.py" <<'PY'
import os
import sys

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource

admin = AdminClient({"bootstrap.servers": os.environ["BOOTSTRAP"], "log_level": 0})
for change in sys.argv[1:]:
    name, _, value = change.partition("=")
    kind = AlterConfigOpType.SET if value else AlterConfigOpType.DELETE
    entry = ConfigEntry(name, value or None, incremental_operation=kind)
    resource = ConfigResource(ConfigResource.Type.GROUP, "g", incremental_configs=[entry])
    try:
        admin.incremental_alter_configs([resource])[resource].result()
        print(change, "done")
    except KafkaException as error:
        print(change, error.args[0].name(), "names", "the old key" if "session" in error.args[0].str() else "another")
PY
says "consumer.session.timeout.ms=46000 done" "$PYTHON" "$WORK/alter.py" consumer.session.timeout.ms=46000
kill "$NODE" && wait "$NODE" || true
printf '%s\n' group.consumer.min.session.timeout.ms=47000 group.consumer.session.timeout.ms=50000 >>"$WORK/server.properties"
start_node
says "consumer.heartbeat.interval.ms=6000 INVALID_CONFIG names the old key
consumer.session.timeout.ms done
consumer.heartbeat.interval.ms=6000 done" "$PYTHON" "$WORK/alter.py" \
    consumer.heartbeat.interval.ms=6000 consumer.session.timeout.ms consumer.heartbeat.interval.ms=6000
