#!/usr/bin/env bash
# Kafka 4.4.0: a share group with share.auto.offset.reset=latest, the default, begins at the end of the log when its first
# consumer comes, but this place is not stored until a record is acknowledged. If the group is empty before that, such as
# during a deployment while its topic is quiet, it begins at the new end when a consumer returns, and skips all records
# that were written in between: here 10 of 11, without an error. A group whose consumer stayed reads all. A consumer group
# with auto.offset.reset=latest does not skip them either: its consumer commits its position also without a record.
. "$(dirname "$0")/support/common.sh"
kafka 4.4.0 share.coordinator.state.topic.replication.factor=1 share.coordinator.state.topic.min.isr=1 \
    share.coordinator.state.topic.num.partitions=1
cat >"$WORK/Returns.java" <<'JAVA'
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class Returns {
    static final TopicPartition PARTITION = new TopicPartition("t", 0);
    static final Duration SHORT = Duration.ofMillis(200);
    static String servers;
    static Admin admin;

    public static void main(String[] arguments) throws Exception {
        servers = arguments[0];
        admin = Admin.create(Map.of("bootstrap.servers", servers));
        admin.createTopics(List.of(new NewTopic("t", 1, (short) 1))).all().get();
        try (var staying = share("stays")) {
            try (var leaving = share("returns"); var reading = consumer()) {
                waitForAssignment(staying, "stays");
                waitForAssignment(leaving, "returns");
                while (reading.assignment().isEmpty()) {
                    reading.poll(SHORT);
                }
                int seen = during(10, () -> polled(staying) + polled(leaving) + reading.poll(SHORT).count());
                System.out.println("read from the empty topic: " + seen + ", position " + reading.position(PARTITION));
            }
            write(10);
            var listed = admin.listShareGroupOffsets(Map.of("returns", new ListShareGroupOffsetsSpec()));
            System.out.println("10 written; the start of the share group: " + listed.partitionsToOffsetInfo("returns").get().get(PARTITION));
            System.out.println("share group that stayed: " + during(10, () -> polled(staying)));
        }
        try (var returning = share("returns")) {
            waitForAssignment(returning, "returns");
            int missed = during(10, () -> polled(returning));
            write(1);
            System.out.println("share group that returned: " + missed + ", of 1 more: " + during(10, () -> polled(returning)));
        }
        try (var reading = consumer()) {
            int count = 0;
            while (reading.assignment().isEmpty() || reading.position(PARTITION) < 11) {
                count += reading.poll(SHORT).count();
            }
            System.out.println("consumer group that returned: " + count);
        }
        System.exit(0);
    }

    static KafkaShareConsumer<String, String> share(String group) {
        Map<String, Object> settings = Map.of("bootstrap.servers", servers, "group.id", group);
        var consumer = new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of("t"));
        return consumer;
    }

    static KafkaConsumer<String, String> consumer() {
        Map<String, Object> settings = Map.of("bootstrap.servers", servers, "group.id", "consumers", "auto.offset.reset", "latest");
        var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of("t"));
        return consumer;
    }

    static void waitForAssignment(KafkaShareConsumer<String, String> consumer, String group) throws Exception {
        boolean assigned = false;
        while (!assigned) {
            polled(consumer);
            try {
                assigned = admin.describeShareGroups(List.of(group)).describedGroups().get(group).get().members().stream()
                    .anyMatch(member -> !member.assignment().topicPartitions().isEmpty());
            } catch (ExecutionException error) { // the group does not exist yet
                System.err.println(error);
            }
        }
    }

    static int polled(KafkaShareConsumer<String, String> consumer) {
        int count = consumer.poll(SHORT).count();
        consumer.commitSync();
        return count;
    }

    static int during(int seconds, IntSupplier poll) {
        int count = 0;
        for (long end = System.nanoTime() + seconds * 1_000_000_000L; System.nanoTime() < end; ) {
            count += poll.getAsInt();
        }
        return count;
    }

    static void write(int count) {
        Map<String, Object> settings = Map.of("bootstrap.servers", servers);
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (int number = 0; number < count; number++) {
                producer.send(new ProducerRecord<>("t", "value"));
            }
        }
    }
}
JAVA
says "read from the empty topic: 0, position 0
10 written; the start of the share group: null
share group that stayed: 10
share group that returned: 0, of 1 more: 1
consumer group that returned: 11" java -cp "$WORK/jars/*" "$WORK/Returns.java" "$BOOTSTRAP"
