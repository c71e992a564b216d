// Runs Kafka's own assignors on the groups that benchmarks/assigning/groups.py makes, and tells how long they took.
//
//   java -cp 'JARS/*' KafkaAssignors.java
//
// It obeys lines on stdin and answers each with one line on stdout:
//
//   group ASSIGNOR MEMBERS TOPICS PARTITIONS SUBSCRIPTIONS CHANGE   make a group, partitions being those of each topic
//   warm SECONDS                                                   assign it over and over, for the JIT compiler
//   assign                                                         assign it once: nanoseconds that this thread ran
//   result                                                         of the last: fewest, most, partitions that moved

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.coordinator.common.runtime.KRaftCoordinatorMetadataImage;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;
import org.apache.kafka.coordinator.group.modern.SubscribedTopicDescriberImpl;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;

public class KafkaAssignors {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    private final ConsumerGroupPartitionAssignor assignor;
    private final SubscriptionType type;
    private final SubscribedTopicDescriber topics;
    private final List<Uuid> topicIds = new ArrayList<>();
    private final int partitions;
    private GroupSpec group;
    private GroupAssignment last;

    KafkaAssignors(String[] words) {
        assignor = words[1].equals("range") ? new RangeAssignor() : new UniformAssignor();
        int members = Integer.parseInt(words[2]);
        int topicCount = Integer.parseInt(words[3]);
        partitions = Integer.parseInt(words[4]);
        type = words[5].equals("same") ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
        topics = new SubscribedTopicDescriberImpl(describe(topicCount));
        change(words[6], members);
    }

    private KRaftCoordinatorMetadataImage describe(int topicCount) {
        MetadataDelta delta = new MetadataDelta.Builder().setImage(MetadataImage.EMPTY).build();
        for (int topic = 0; topic < topicCount; topic++) {
            Uuid id = Uuid.randomUuid();
            topicIds.add(id);
            delta.replay(new TopicRecord().setName(String.format("topic-%03d", topic)).setTopicId(id));
            for (int partition = 0; partition < partitions; partition++) {
                delta.replay(new PartitionRecord().setTopicId(id).setPartitionId(partition)
                    .setReplicas(List.of(0)).setIsr(List.of(0)).setLeader(0));
            }
        }
        return new KRaftCoordinatorMetadataImage(delta.apply(MetadataProvenance.EMPTY));
    }

    private void change(String change, int members) {
        if (change.equals("none")) {
            group = spec(members, Map.of());
            return;
        }
        group = spec(change.equals("join") ? members - 1 : members + 1, Map.of());
        assign();
        group = spec(members, last.members());
    }

    private GroupSpec spec(int count, Map<String, MemberAssignment> previous) {
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new HashMap<>();
        Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
        for (int member = 0; member < count; member++) {
            String id = String.format("member-%05d", member);
            MemberAssignment had = previous.get(id);
            Assignment target = had == null ? Assignment.EMPTY : new Assignment(had.partitions());
            members.put(id, new MemberSubscriptionAndAssignmentImpl(
                Optional.empty(), Optional.empty(), subscription(member), target));
            target.partitions().forEach((topic, numbers) -> {
                Map<Integer, String> owner = owners.computeIfAbsent(topic, unused -> new HashMap<>());
                numbers.forEach(number -> owner.put(number, id));
            });
        }
        return new GroupSpecImpl(members, type, owners);
    }

    private Set<Uuid> subscription(int member) {
        if (type == SubscriptionType.HOMOGENEOUS) {
            return new HashSet<>(topicIds);
        }
        Set<Uuid> subscribed = new HashSet<>();
        for (int topic = 0; topic < topicIds.size(); topic++) {
            if ((topic - member % 5 + 5) % 5 < 2) {
                subscribed.add(topicIds.get(topic));
            }
        }
        return subscribed;
    }

    private long assign() {
        long begin = CLOCK.getCurrentThreadCpuTime();
        last = assignor.assign(group, topics);
        return CLOCK.getCurrentThreadCpuTime() - begin;
    }

    private String warm(double seconds) {
        int rounds = 0;
        for (long end = System.nanoTime() + (long) (seconds * 1e9); System.nanoTime() < end; rounds++) {
            assign();
        }
        return rounds + "";
    }

    private String result() {
        int fewest = Integer.MAX_VALUE;
        int most = 0;
        int moved = 0;
        for (String member : group.memberIds()) {
            int load = 0;
            Map<Uuid, Set<Integer>> had = group.memberAssignment(member).partitions();
            for (Map.Entry<Uuid, Set<Integer>> share : last.members().get(member).partitions().entrySet()) {
                load += share.getValue().size();
                Set<Integer> before = had.getOrDefault(share.getKey(), Set.of());
                moved += (int) share.getValue().stream().filter(number -> !before.contains(number)).count();
            }
            fewest = Math.min(fewest, load);
            most = Math.max(most, load);
        }
        return fewest + " " + most + " " + moved;
    }

    public static void main(String[] arguments) throws Exception {
        KafkaAssignors running = null;
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            String answer = "ready";
            switch (words[0]) {
                case "group" -> running = new KafkaAssignors(words);
                case "warm" -> answer = running.warm(Double.parseDouble(words[1]));
                case "assign" -> answer = running.assign() + "";
                case "result" -> answer = running.result();
                default -> throw new IllegalArgumentException(line);
            }
            System.out.println(answer);
        }
    }
}
