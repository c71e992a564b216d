#!/usr/bin/env bash
# kafka-clients 4.4.0, enable.auto.commit: while it is polled, a consumer commits all positions again with every
# auto.commit.interval.ms, also those that did not move, which keeps their offsets from expiring. While its application
# does not poll it commits nothing, by the consumer protocol, too, whose requests a thread of its own sends. So offsets
# of partitions that were assigned by hand age during a pause.
. "$(dirname "$0")/support/common.sh"
kafka 4.4.0
cat >"$WORK/Idle.java" <<'JAVA'
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class Idle {
    public static void main(String[] arguments) throws Exception {
        String servers = arguments[0];
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            admin.createTopics(List.of(new NewTopic("t", 1, (short) 1))).all().get();
        }
        Map<String, Object> writes = Map.of("bootstrap.servers", servers);
        try (var producer = new KafkaProducer<>(writes, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>("t", "value")).get();
        }
        for (String protocol : List.of("classic", "consumer")) {
            Map<String, Object> reads = Map.of(
                "bootstrap.servers", servers, "group.id", protocol, "group.protocol", protocol,
                "auto.offset.reset", "earliest", "enable.auto.commit", true, "auto.commit.interval.ms", 100);
            try (var consumer = new KafkaConsumer<>(reads, new StringDeserializer(), new StringDeserializer())) {
                consumer.assign(List.of(new TopicPartition("t", 0)));
                while (consumer.poll(Duration.ofMillis(100)).isEmpty()) { }
                consumer.commitSync();
                double polled = commits(consumer);
                for (int each = 0; each < 30; each++) {
                    consumer.poll(Duration.ofMillis(100));
                }
                double asleep = commits(consumer);
                Thread.sleep(3000);
                double end = commits(consumer);
                System.out.println(protocol + ", polled for 3 s: " + told(asleep - polled));
                System.out.println(protocol + ", not polled for 3 s: " + told(end - asleep));
            }
        }
    }

    static double commits(KafkaConsumer<?, ?> consumer) {
        return consumer.metrics().entrySet().stream()
            .filter(each -> each.getKey().name().equals("commit-total"))
            .mapToDouble(each -> (double) each.getValue().metricValue())
            .sum();
    }

    static String told(double count) {
        return count >= 10 ? "10 commits or more" : count <= 1 ? "at most 1 commit" : (int) count + " commits";
    }
}
JAVA
says "classic, polled for 3 s: 10 commits or more
classic, not polled for 3 s: at most 1 commit
consumer, polled for 3 s: 10 commits or more
consumer, not polled for 3 s: at most 1 commit" java -cp "$WORK/jars/*" "$WORK/Idle.java" "$BOOTSTRAP"
