import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Adds up the orders of each customer: java -cp "$KAFKA_JARS/*" Billing.java SERVERS GROUP TOPIC ORDERS */
public class Billing {
    public static void main(String[] arguments) {
        Properties config = new Properties();
        config.put("bootstrap.servers", arguments[0]);
        config.put("group.id", arguments[1]);
        config.put("group.protocol", "consumer");
        config.put("auto.offset.reset", "earliest");
        config.put("enable.auto.commit", "false");
        int left = Integer.parseInt(arguments[3]);
        Map<String, Long> totals = new TreeMap<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(arguments[2]));
            while (left > 0) {
                for (ConsumerRecord<String, String> order : consumer.poll(Duration.ofSeconds(1))) {
                    totals.merge(order.key(), Long.parseLong(order.value()), Long::sum);
                    left--;
                }
                consumer.commitSync();
            }
        }
        totals.forEach((customer, cents) -> System.out.println(customer + " " + cents));
    }
}
