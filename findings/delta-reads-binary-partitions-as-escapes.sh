#!/usr/bin/env bash
# deltalake 1.6.6: a table partitioned by a binary column, such as the keys of records, is written with the escapes that
# Delta's protocol wants (\u0061 for the byte a), and read without undoing them: for to_pyarrow_table() and SQL the
# bytes of the column are the text of the escapes, so a query for a key that was written finds no row. The same column
# is right where it is no partition.
. "$(dirname "$0")/support/common.sh"
python_with deltalake==1.6.6 pyarrow==26.0.1
python_says "$(cat <<'SEEN'
partitioned by None
  to_pyarrow_table(): [b'ab']
  SQL: [b'ab']
  rows of this key: 1
partitioned by ['key']
  to_pyarrow_table(): [b'\\u0061\\u0062']
  SQL: [b'\\u0061\\u0062']
  rows of this key: 0
SEEN
)" <<'PY'
import os
import tempfile

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

for partitions in (None, ["key"]):
    with tempfile.TemporaryDirectory(dir=os.path.dirname(__file__)) as folder:
        write_deltalake(folder, pa.table({"key": [b"ab"], "value": [1]}), partition_by=partitions)
        table = DeltaTable(folder)
        print(f"partitioned by {partitions}")
        print("  to_pyarrow_table():", table.to_pyarrow_table()["key"].to_pylist())
        print("  SQL:", pa.table(QueryBuilder().register("t", table).execute("select key from t"))["key"].to_pylist())
        again = pa.table(QueryBuilder().register("t", table).execute("select value from t where key = X'6162'"))
        print("  rows of this key:", again.num_rows)
PY
