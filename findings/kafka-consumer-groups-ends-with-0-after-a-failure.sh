#!/usr/bin/env bash
# kafka-consumer-groups.sh of Kafka 4.4.0 ends with 0 also if it has failed: here no broker can be reached, so a reset of
# offsets is not done, but a script that starts the consumers after it (&&, set -e) goes on. It prints "Error:" to
# standard output. kafka-share-groups.sh, with the same arguments, ends with 1. Kafka knows it since 2017 (KAFKA-6357).
. "$(dirname "$0")/support/common.sh"
jars_of org.apache.kafka:kafka-tools:4.4.0 org.slf4j:slf4j-nop:1.7.36
status_of() {
    local status=0
    java -cp "$WORK/jars/*" "org.apache.kafka.tools.consumer.group.$1" --bootstrap-server 127.0.0.1:1 --timeout 2000 \
        --reset-offsets --group g --topic t --to-earliest --execute >"$WORK/out" 2>&1 || status=$?
    echo "$1: status $status, $(grep -o -m1 "Timed out waiting for a node" "$WORK/out" | head -1)"
}
says "ConsumerGroupCommand: status 0, Timed out waiting for a node" status_of ConsumerGroupCommand
says "ShareGroupCommand: status 1, Timed out waiting for a node" status_of ShareGroupCommand
