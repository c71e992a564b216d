#!/usr/bin/env bash
# Kafka 4.4.0: kafka-consumer-groups.sh --reset-offsets --to-current is described as a reset to the current offset, and is
# used with --export for a backup. A partition that has no committed offset, such as a new one, gets the end of its log:
# consumers that would begin there (auto.offset.reset=earliest) skip all its records. --shift-by 0 refuses such a
# partition. The metadata of the committed offsets is lost.
. "$(dirname "$0")/support/common.sh"
kafka 4.4.0
jars_of org.apache.kafka:kafka-tools:4.4.0
cat >"$WORK/Group.java" <<'JAVA'
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class Group {
    static final TopicPartition READ = new TopicPartition("t", 0);
    static final TopicPartition NEW = new TopicPartition("t", 1);

    public static void main(String[] arguments) throws Exception {
        Map<String, Object> servers = Map.of("bootstrap.servers", arguments[0]);
        if (arguments[1].equals("write")) {
            write(servers);
        }
        read(arguments[0]);
    }

    static void write(Map<String, Object> servers) throws Exception {
        try (Admin admin = Admin.create(servers);
                var producer = new KafkaProducer<>(servers, new StringSerializer(), new StringSerializer())) {
            admin.createTopics(List.of(new NewTopic("t", 2, (short) 1))).all().get();
            for (int number = 0; number < 10; number++) {
                producer.send(new ProducerRecord<>("t", READ.partition(), null, "value"));
                producer.send(new ProducerRecord<>("t", NEW.partition(), null, "value"));
            }
            producer.flush();
            admin.alterConsumerGroupOffsets("g", Map.of(READ, new OffsetAndMetadata(4, "noted"))).all().get();
        }
    }

    static void read(String servers) {
        Map<String, Object> reads = Map.of(
            "bootstrap.servers", servers, "group.id", "g", "auto.offset.reset", "earliest", "enable.auto.commit", false);
        try (var consumer = new KafkaConsumer<>(reads, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(READ, NEW));
            String metadata = consumer.committed(Set.of(READ)).get(READ).metadata();
            int old = 0;
            int added = 0;
            while (consumer.position(READ) < 10 || consumer.position(NEW) < 10) {
                var records = consumer.poll(Duration.ofMillis(100));
                old += records.records(READ).size();
                added += records.records(NEW).size();
            }
            System.out.println("read " + old + " and " + added + " records, metadata '" + metadata + "'");
        }
    }
}
JAVA
tool() {
    java -cp "$WORK/jars/*" org.apache.kafka.tools.consumer.group.ConsumerGroupCommand --bootstrap-server "$BOOTSTRAP" \
        --reset-offsets --group g --topic t "$@" | grep -v '^$'
}
refusal() {
    tool --shift-by 0 --dry-run >"$WORK/told" 2>&1 || true
    grep -o -m1 "no current committed offset" "$WORK/told"
}
says "read 6 and 10 records, metadata 'noted'" java -cp "$WORK/jars/*" "$WORK/Group.java" "$BOOTSTRAP" write
says "no current committed offset" refusal
backup() {
    tool --to-current --export --dry-run | sort
}
says "t,0,4
t,1,10" backup
tool --to-current --execute >/dev/null
says "read 6 and 0 records, metadata ''" java -cp "$WORK/jars/*" "$WORK/Group.java" "$BOOTSTRAP" read
