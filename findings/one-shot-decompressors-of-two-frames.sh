#!/usr/bin/env bash
# The formats of lz4, zstd and gzip allow several frames one after the other. One-shot decompressors of Python disagree
# on two of them: lz4 4.4.5 and zstandard 0.25.0 return the first frame without an error, and so did cramjam 2.11.0 with
# lz4, where 2.14.0 reads both. pyarrow 26.0.1 reads both of zstd and gzip, but refuses two of lz4 in decompress() and
# takes them as a stream.
. "$(dirname "$0")/support/common.sh"
python_with lz4==4.4.5 zstandard==0.25.0 cramjam==2.14.0 pyarrow==26.0.1
"$PYTHON" -m pip install -q --disable-pip-version-check --target "$WORK/old" cramjam==2.11.0
says "cramjam 2.11.0: one" env PYTHONPATH="$WORK/old" "$PYTHON" - <<'PY'
import cramjam
import lz4.frame

two = lz4.frame.compress(b"one") + lz4.frame.compress(b"two")
print("cramjam 2.11.0:", bytes(cramjam.lz4.decompress(two)).decode())
PY
python_says "lz4: one
zstandard: one
gzip: onetwo
cramjam: onetwo onetwo onetwo
pyarrow zstd, gzip: onetwo onetwo
pyarrow lz4: Lz4 compressed input contains more than one frame
pyarrow lz4 as a stream: onetwo" <<'PY'
import gzip

import cramjam
import lz4.frame
import pyarrow as pa
import zstandard

packer = zstandard.ZstdCompressor()
two = {
    "lz4": lz4.frame.compress(b"one") + lz4.frame.compress(b"two"),
    "zstd": packer.compress(b"one") + packer.compress(b"two"),
    "gzip": gzip.compress(b"one") + gzip.compress(b"two"),
}
print("lz4:", lz4.frame.decompress(two["lz4"]).decode())
print("zstandard:", zstandard.decompress(two["zstd"]).decode())
print("gzip:", gzip.decompress(two["gzip"]).decode())
print("cramjam:", *(bytes(getattr(cramjam, name).decompress(data)).decode() for name, data in two.items()))
whole = [pa.decompress(two[name], decompressed_size=6, codec=name, asbytes=True).decode() for name in ("zstd", "gzip")]
print("pyarrow zstd, gzip:", *whole)
try:
    pa.decompress(two["lz4"], decompressed_size=6, codec="lz4", asbytes=True)
except OSError as error:
    print("pyarrow lz4:", error)
print("pyarrow lz4 as a stream:", pa.input_stream(pa.BufferReader(two["lz4"]), compression="lz4").read().decode())
PY
