// Kafka's own consumer as a handler of records, and as a client that waits, for the benchmarks of delays and idling.
//
//   java -cp 'JARS/*' JavaHandler.java
//
// It says that it has begun, then obeys lines on stdin and answers each with a JSON object on one line:
//
//   handle SERVERS TOPIC PARTITIONS WARM_UP_NS NS   as Log of benchmarks/delays/log.py: delays_ns, cpu_s, window_ns
//   wait SERVERS TOPIC PARTITIONS SETTLE_NS NS      cpu_share: processor seconds for each second
//
// Its clock is CLOCK_MONOTONIC, as it is for Python on Linux.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

public class JavaHandler {
    private static final Path THREADS = Path.of("/proc/self/task");

    private final String servers;
    private final List<TopicPartition> partitions;
    private final long uncountedNs;
    private final long ns;

    JavaHandler(String[] words) {
        servers = words[1];
        partitions = IntStream.range(0, Integer.parseInt(words[3]))
            .mapToObj(number -> new TopicPartition(words[2], number))
            .collect(Collectors.toList());
        uncountedNs = Long.parseLong(words[4]);
        ns = Long.parseLong(words[5]);
    }

    public static void main(String[] args) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ");
            JavaHandler handler = new JavaHandler(words);
            System.out.println(words[0].equals("wait") ? handler.waitForRecords() : handler.handle());
        }
    }

    /** With its defaults, but for the protocol, which is the one of KIP-848. */
    private KafkaConsumer<byte[], byte[]> assigned() {
        Map<String, Object> config = Map.of("bootstrap.servers", servers, "group.protocol", "consumer");
        KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.assign(partitions);
        return consumer;
    }

    private String handle() throws IOException {
        try (KafkaConsumer<byte[], byte[]> consumer = assigned()) {
            Log log = new Log(System.nanoTime() + uncountedNs, ns);
            while (true) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    if (!log.take(record.value())) {
                        return log.told();
                    }
                }
            }
        }
    }

    private String waitForRecords() throws IOException {
        try (KafkaConsumer<byte[], byte[]> consumer = assigned()) {
            poll(consumer, uncountedNs);
            double used = usedS();
            long begin = System.nanoTime();
            poll(consumer, ns);
            return "{\"cpu_share\": " + (usedS() - used) / (System.nanoTime() - begin) * 1e9 + "}";
        }
    }

    private static void poll(KafkaConsumer<byte[], byte[]> consumer, long ns) {
        long end = System.nanoTime() + ns;
        while (System.nanoTime() < end) {
            consumer.poll(Duration.ofNanos(Math.min(ns, 1_000_000_000L)));
        }
    }

    /** The delays of one turn. */
    private static class Log {
        private final long begin;
        private final long end;
        private long[] delays = new long[1024];
        private int count;
        private double used;

        Log(long begin, long ns) {
            this.begin = begin;
            this.end = begin + ns;
        }

        boolean take(byte[] value) throws IOException {
            long now = System.nanoTime();
            if (now >= begin) {
                if (count == 0) {
                    used = usedS();
                }
                if (count == delays.length) {
                    delays = Arrays.copyOf(delays, 2 * count);
                }
                delays[count++] = now - ByteBuffer.wrap(value).getLong();
                if (now >= end) {
                    used = usedS() - used;
                }
            }
            return now < end;
        }

        String told() {
            String each = Arrays.toString(Arrays.copyOf(delays, count));
            return "{\"delays_ns\": " + each + ", \"cpu_s\": " + used + ", \"window_ns\": [" + begin + ", " + end + "]}";
        }
    }

    /** Processor seconds of all threads: to the nanosecond from Linux; Java itself knows hundredths of a second. */
    private static double usedS() throws IOException {
        if (!Files.exists(Path.of("/proc/self/schedstat"))) {
            var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            return system.getProcessCpuTime() / 1e9;
        }
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
            for (Path thread : threads) {
                sum += ranNs(thread.resolve("schedstat"));
            }
        }
        return sum / 1e9;
    }

    private static long ranNs(Path file) throws IOException {
        try {
            return Long.parseLong(Files.readString(file).split(" ")[0]);
        } catch (NoSuchFileException e) { // it has ended
            return 0;
        }
    }
}
