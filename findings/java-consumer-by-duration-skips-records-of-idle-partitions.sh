#!/usr/bin/env bash
# kafka-clients 4.4.0, auto.offset.reset=by_duration:PT5S: if a partition has no record of the last 5 s, such as a new one,
# the consumer gets no position, without a word: position() times out. It looks again too late (by its source, after
# request.timeout.ms, 30 s), and then for the 5 s before that moment: a record that was written in between is not read,
# although the consumer was polled all the time. With "latest" it is. Both protocols. The description of the setting
# says otherwise: it proposes by_duration, with PT5S as an example, so that no record of a new partition is lost, and
# says that the look-up gives such a partition's start (KAFKA-20539).
. "$(dirname "$0")/support/common.sh"
kafka 4.4.0
cat >"$WORK/Resets.java" <<'JAVA'
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class Resets {
    static final TopicPartition IDLE = new TopicPartition("t", 0);
    static final TopicPartition BUSY = new TopicPartition("t", 1);

    public static void main(String[] arguments) throws Exception {
        Map<String, Object> servers = Map.of("bootstrap.servers", arguments[0]);
        try (Admin admin = Admin.create(servers)) {
            admin.createTopics(List.of(new NewTopic("t", 2, (short) 1))).all().get();
        }
        try (var producer = new KafkaProducer<>(servers, new StringSerializer(), new StringSerializer())) {
            long later = System.currentTimeMillis() + 600_000;
            producer.send(new ProducerRecord<>("t", BUSY.partition(), later, null, "busy")).get();
            var consumers = new LinkedHashMap<String, KafkaConsumer<String, String>>();
            for (String reset : List.of("latest", "by_duration:PT5S")) {
                for (String protocol : List.of("classic", "consumer")) {
                    Map<String, Object> settings = Map.of(
                        "bootstrap.servers", arguments[0], "group.protocol", protocol, "auto.offset.reset", reset);
                    var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
                    consumer.assign(List.of(IDLE, BUSY));
                    consumers.put(reset + ", " + protocol, consumer);
                    if (reset.equals("latest")) {
                        consumer.position(IDLE);
                    } else { // one request asks for both partitions: once BUSY is read, it has been answered
                        while (consumer.poll(Duration.ofMillis(100)).isEmpty()) { }
                    }
                }
            }
            producer.send(new ProducerRecord<>("t", IDLE.partition(), null, "idle")).get();
            var read = new LinkedHashMap<String, Integer>();
            long end = System.nanoTime() + Duration.ofSeconds(70).toNanos();
            while (System.nanoTime() < end) {
                consumers.forEach((name, consumer) ->
                    read.merge(name, consumer.poll(Duration.ofMillis(200)).records(IDLE).size(), Integer::sum));
            }
            consumers.forEach((name, consumer) ->
                System.out.println(name + ": read " + read.get(name) + " of 1, " + position(consumer)));
            consumers.values().forEach(KafkaConsumer::close);
        }
    }

    static String position(KafkaConsumer<?, ?> consumer) {
        try {
            return "position " + consumer.position(IDLE, Duration.ofSeconds(1));
        } catch (TimeoutException error) {
            return "no position";
        }
    }
}
JAVA
says "latest, classic: read 1 of 1, position 1
latest, consumer: read 1 of 1, position 1
by_duration:PT5S, classic: read 0 of 1, no position
by_duration:PT5S, consumer: read 0 of 1, no position" java -cp "$WORK/jars/*" "$WORK/Resets.java" "$BOOTSTRAP"
