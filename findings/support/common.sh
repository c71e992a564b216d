# Sourced by the findings: a temporary folder that is removed at the end, packages of PyPI and Maven Central in it, and
# a single node of Apache Kafka. Each finding says which versions it was seen with, and installs exactly those.
set -euo pipefail
unset PYTHONPATH
WORK=$(mktemp -d)
NODE=
cleanup() {
    [ -z "$NODE" ] || { kill "$NODE" 2>/dev/null && wait "$NODE" 2>/dev/null || true; }
    rm -rf "$WORK"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# python_with PACKAGE==VERSION ...: an environment with these; $PYTHON runs it
python_with() {
    "${PYTHON3:-python3}" -m venv "$WORK/venv"
    PYTHON=$WORK/venv/bin/python
    "$PYTHON" -m pip install -q --disable-pip-version-check "$@"
}

# jars_of GROUP:ARTIFACT:VERSION ...: these and what they need, in the folder $WORK/jars
jars_of() {
    mkdir -p "$WORK/jars"
    {
        echo '<project><modelVersion>4.0.0</modelVersion><groupId>f</groupId><artifactId>f</artifactId><version>1</version><dependencies>'
        for artifact in "$@"; do
            IFS=: read -r group name version <<<"$artifact"
            echo "<dependency><groupId>$group</groupId><artifactId>$name</artifactId><version>$version</version></dependency>"
        done
        echo '</dependencies></project>'
    } >"$WORK/pom.xml"
    mvn -q -B -f "$WORK/pom.xml" dependency:copy-dependencies "-DoutputDirectory=$WORK/jars" >"$WORK/mvn.log" 2>&1 \
        || { cat "$WORK/mvn.log"; exit 1; }
}

# kafka VERSION [KEY=VALUE ...]: one node with these properties; $BOOTSTRAP is its address
kafka() {
    local version=$1
    shift
    jars_of "org.apache.kafka:kafka_2.13:$version" org.slf4j:slf4j-nop:1.7.36
    local ports
    ports=$(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(each.getsockname()[1] for each in sockets))')
    read -r port controller <<<"$ports"
    BOOTSTRAP=127.0.0.1:$port
    printf '%s\n' "process.roles=broker,controller" "node.id=1" "controller.quorum.voters=1@127.0.0.1:$controller" \
        "controller.listener.names=CONTROLLER" "listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller" \
        "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT" "log.dirs=$WORK/data" \
        "offsets.topic.num.partitions=1" "offsets.topic.replication.factor=1" \
        "transaction.state.log.num.partitions=1" "transaction.state.log.replication.factor=1" \
        "transaction.state.log.min.isr=1" "group.initial.rebalance.delay.ms=0" "$@" >"$WORK/server.properties"
    java -cp "$WORK/jars/*" kafka.tools.StorageTool format -t MkU3OEVBNTcwNTJENDM2Qk -c "$WORK/server.properties" >/dev/null
    start_node
}

start_node() {
    java -Xmx512m -XX:+UseSerialGC -cp "$WORK/jars/*" kafka.Kafka "$WORK/server.properties" >"$WORK/kafka.log" 2>&1 &
    NODE=$!
    until (exec 3<>"/dev/tcp/${BOOTSTRAP%:*}/${BOOTSTRAP#*:}") 2>/dev/null; do
        kill -0 "$NODE" || { cat "$WORK/kafka.log"; exit 1; }
        sleep 0.2
    done
}

# python_says EXPECTED: runs the program on standard input with $PYTHON; fails if it prints something else
python_says() {
    cat >"$WORK/program.py"
    says "$1" "$PYTHON" "$WORK/program.py"
}

# says EXPECTED COMMAND ...: prints what the command says; fails if that is not what was expected
says() {
    local expected=$1 seen
    shift
    seen=$("$@" 2>"$WORK/stderr") || { cat "$WORK/stderr"; echo "$seen"; exit 1; }
    echo "$seen"
    [ "$seen" = "$expected" ] || { echo "NOT AS BEFORE. Before it was:"; echo "$expected"; exit 1; }
}
