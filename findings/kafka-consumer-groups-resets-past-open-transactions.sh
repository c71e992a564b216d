#!/usr/bin/env bash
# Kafka 4.4.0: for kafka-consumer-groups.sh, "latest" is the end of the log also while a transaction is open, but a
# consumer with read_committed has read everything when it reaches the transaction's first record (the last stable
# offset). So --reset-offsets --to-latest moves a group behind records that are committed later, which it never reads.
# Before that, the tool shows a lag of 5 for a consumer whose own lag is 0. DeleteRecords with -1 (kafka-delete-records.sh)
# removes records of an open transaction in the same way: its commit succeeds, and no record of it can be read.
. "$(dirname "$0")/support/common.sh"
kafka 4.4.0
jars_of org.apache.kafka:kafka-tools:4.4.0
cat >"$WORK/Open.java" <<'JAVA'
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.tools.consumer.group.ConsumerGroupCommand;

public class Open {
    static final TopicPartition READ = new TopicPartition("read", 0);
    static final TopicPartition TRIMMED = new TopicPartition("trimmed", 0);
    static final long MARKER = 1;
    static String servers;

    public static void main(String[] arguments) throws Exception {
        servers = arguments[0];
        Map<String, Object> writes = Map.of("bootstrap.servers", servers, "transactional.id", "x");
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers));
                var producer = new KafkaProducer<>(writes, new StringSerializer(), new StringSerializer())) {
            admin.createTopics(List.of(new NewTopic("read", 1, (short) 1), new NewTopic("trimmed", 1, (short) 1))).all().get();
            producer.initTransactions();
            producer.beginTransaction();
            send(producer, READ);
            producer.commitTransaction();
            for (String group : List.of("left alone", "reset")) {
                readUpTo(5 + MARKER, READ, group);
            }
            producer.beginTransaction();
            send(producer, READ);
            send(producer, TRIMMED);
            producer.flush();
            try (var consumer = consumer("reset")) {
                consumer.assign(List.of(READ));
                consumer.poll(Duration.ofSeconds(2));
                System.out.println("its consumer: position " + consumer.position(READ) + ", lag " + consumer.currentLag(READ).getAsLong());
            }
            String[] row = tool("--describe", "--group", "reset").lines()
                .filter(line -> line.startsWith("reset")).findFirst().orElseThrow().split(" +");
            System.out.println("kafka-consumer-groups: position " + row[3] + ", lag " + row[5]);
            tool("--reset-offsets", "--group", "reset", "--topic", "read", "--to-latest", "--execute");
            admin.deleteRecords(Map.of(TRIMMED, RecordsToDelete.beforeOffset(-1))).all().get();
            producer.commitTransaction();
        }
        System.out.println("committed: 5 records for each topic");
        for (String group : List.of("left alone", "reset")) {
            System.out.println("read by the group " + group + ": " + readUpTo(10 + 2 * MARKER, READ, group));
        }
        System.out.println("read from the beginning of the topic that was trimmed: " + readUpTo(5 + MARKER, TRIMMED, "new"));
    }

    static void send(KafkaProducer<String, String> producer, TopicPartition partition) {
        for (int number = 0; number < 5; number++) {
            producer.send(new ProducerRecord<>(partition.topic(), "value"));
        }
    }

    static KafkaConsumer<String, String> consumer(String group) {
        Map<String, Object> reads = Map.of(
            "bootstrap.servers", servers, "group.id", group, "isolation.level", "read_committed", "auto.offset.reset", "earliest");
        return new KafkaConsumer<>(reads, new StringDeserializer(), new StringDeserializer());
    }

    static int readUpTo(long end, TopicPartition partition, String group) {
        int count = 0;
        try (var consumer = consumer(group)) {
            consumer.assign(List.of(partition));
            while (consumer.position(partition) < end) {
                count += consumer.poll(Duration.ofMillis(100)).count();
            }
            consumer.commitSync();
        }
        return count;
    }

    static String tool(String... arguments) {
        var all = new ArrayList<>(List.of("--bootstrap-server", servers));
        all.addAll(List.of(arguments));
        PrintStream console = System.out;
        var written = new ByteArrayOutputStream();
        System.setOut(new PrintStream(written, true));
        ConsumerGroupCommand.main(all.toArray(new String[0]));
        System.setOut(console);
        return written.toString();
    }
}
JAVA
says "its consumer: position 6, lag 0
kafka-consumer-groups: position 6, lag 5
committed: 5 records for each topic
read by the group left alone: 5
read by the group reset: 0
read from the beginning of the topic that was trimmed: 0" java -cp "$WORK/jars/*" "$WORK/Open.java" "$BOOTSTRAP"
