#!/usr/bin/env bash
# Kafka's command-line tools read --command-config with Utils.loadProps of kafka-clients, and that reads Latin-1, as
# java.util.Properties does with bytes. So in a file in UTF-8 each character beyond ASCII becomes two or more others
# without a word, such as in a password. Kafka 4.4.0. A backslash escape, \u00e9, means the same in either encoding.
. "$(dirname "$0")/support/common.sh"
jars_of org.apache.kafka:kafka-clients:4.4.0 org.slf4j:slf4j-nop:1.7.36
cat >"$WORK/Load.java" <<'JAVA'
import org.apache.kafka.common.utils.Utils;

public class Load {
    public static void main(String[] files) throws Exception {
        for (String file : files) {
            String value = Utils.loadProps(file).getProperty("password");
            StringBuilder units = new StringBuilder();
            for (char each : value.toCharArray()) {
                units.append(String.format(" %04x", (int) each));
            }
            System.out.println(file + ":" + units);
        }
    }
}
JAVA
cd "$WORK"
printf 'password=\xc3\xa9\n' >utf-8
printf 'password=\xe9\n' >latin-1
printf 'password=\\u00e9\n' >escaped
says "utf-8: 00c3 00a9
latin-1: 00e9
escaped: 00e9" java -cp "$WORK/jars/*" Load.java utf-8 latin-1 escaped
