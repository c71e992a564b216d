#!/usr/bin/env bash
# Kafka 4.4.0: records that DeleteRecords removed still count for look-ups by time while their segment stays. Here a record
# whose clock was ahead (3 January among records of the 1st) is removed; the next segment begins on the 20th. A look-up
# of 2 January stops at the first segment and finds nothing, although one of 4 January gives the record of the 20th.
# kafka-consumer-groups.sh takes "nothing" for an empty partition and moves the group to the end of the log, so that
# --reset-offsets --to-datetime skips a record that is newer than the given time. The greatest timestamp (KIP-734), too,
# may be that of a record that was removed: here offset 0 of a log that begins at 1. franz-go's imitation of a broker does
# the same on purpose (its pull requests 1432 and 1433).
. "$(dirname "$0")/support/common.sh"
kafka 4.4.0
jars_of org.apache.kafka:kafka-tools:4.4.0
cat >"$WORK/Times.java" <<'JAVA'
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;

public class Times {
    static final TopicPartition TWO_SEGMENTS = new TopicPartition("t", 0);
    static final TopicPartition ONE_SEGMENT = new TopicPartition("t", 1);
    static Admin admin;

    public static void main(String[] arguments) throws Exception {
        Map<String, Object> servers = Map.of("bootstrap.servers", arguments[0]);
        admin = Admin.create(servers);
        var topic = new NewTopic("t", 2, (short) 1).configs(Map.of("retention.ms", "-1", "segment.ms", "604800000"));
        admin.createTopics(List.of(topic)).all().get();
        try (var producer = new KafkaProducer<>(servers, new StringSerializer(), new StringSerializer())) {
            for (int day : new int[] {3, 1, 20}) {
                producer.send(new ProducerRecord<>("t", TWO_SEGMENTS.partition(), january(day), null, "value")).get();
            }
            for (int day : new int[] {3, 1}) {
                producer.send(new ProducerRecord<>("t", ONE_SEGMENT.partition(), january(day), null, "value")).get();
            }
        }
        var first = RecordsToDelete.beforeOffset(1);
        admin.deleteRecords(Map.of(TWO_SEGMENTS, first, ONE_SEGMENT, first)).all().get();
        tell("the log begins at", TWO_SEGMENTS, OffsetSpec.earliest());
        tell("the log ends at", TWO_SEGMENTS, OffsetSpec.latest());
        tell("1 January:", TWO_SEGMENTS, OffsetSpec.forTimestamp(january(1)));
        tell("2 January:", TWO_SEGMENTS, OffsetSpec.forTimestamp(january(2)));
        tell("4 January:", TWO_SEGMENTS, OffsetSpec.forTimestamp(january(4)));
        tell("greatest timestamp of the other log:", ONE_SEGMENT, OffsetSpec.maxTimestamp());
        tell("which begins at", ONE_SEGMENT, OffsetSpec.earliest());
        admin.close();
    }

    static long january(int day) {
        return Instant.parse("2026-01-%02dT00:00:00Z".formatted(day)).toEpochMilli();
    }

    static void tell(String what, TopicPartition partition, OffsetSpec asked) throws Exception {
        System.out.println(what + " " + admin.listOffsets(Map.of(partition, asked)).partitionResult(partition).get().offset());
    }
}
JAVA
says "the log begins at 1
the log ends at 3
1 January: 1
2 January: -1
4 January: 2
greatest timestamp of the other log: 0
which begins at 1" java -cp "$WORK/jars/*" "$WORK/Times.java" "$BOOTSTRAP"
reset_to() {
    java -cp "$WORK/jars/*" org.apache.kafka.tools.consumer.group.ConsumerGroupCommand --bootstrap-server "$BOOTSTRAP" \
        --reset-offsets --group g --topic t:0 --to-datetime "$1" --execute | tee "$WORK/told" \
        | awk -v asked="${1%T*}" '$1 == "g" {print "kafka-consumer-groups: " asked " is offset " $4}'
    grep -o "is empty" "$WORK/told" || true
}
says "kafka-consumer-groups: 2026-01-02 is offset 3
is empty" reset_to 2026-01-02T00:00:00.000Z
says "kafka-consumer-groups: 2026-01-04 is offset 2" reset_to 2026-01-04T00:00:00.000Z
