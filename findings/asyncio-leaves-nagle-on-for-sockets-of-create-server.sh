#!/usr/bin/env bash
# asyncio sets TCP_NODELAY on the connections that a server accepts, but only where the socket says that its protocol is
# TCP. Sockets of socket.create_server() have protocol 0, and so have those that they accept; Nagle's algorithm stays on
# there, and the second of two small answers waits for the client's delayed acknowledgement. asyncio.start_server() by
# host and port asks getaddrinfo, which says 6. Seen with CPython 3.11 on Linux; uvloop 0.22.1 sets it in both.
. "$(dirname "$0")/support/common.sh"
python_with uvloop==0.22.1
python_says "asyncio, by host and port: protocol 6, TCP_NODELAY True
asyncio, socket.create_server(): protocol 0, TCP_NODELAY False
uvloop, by host and port: TCP_NODELAY True
uvloop, socket.create_server(): TCP_NODELAY True" <<'PY'
import asyncio
import socket

import uvloop


async def accepted(**where):
    """The socket of a connection that a server accepts."""
    found = asyncio.get_running_loop().create_future()
    server = await asyncio.start_server(lambda reader, writer: found.set_result(writer), **where)
    async with server:
        _, client = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
        writer = await found
        taken = writer.get_extra_info("socket")
        seen = taken.proto, bool(taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        client.close()
        writer.close()
    return seen


async def main(loop):
    for name, where in (
        ("by host and port", {"host": "127.0.0.1", "port": 0}),
        ("socket.create_server()", {"sock": socket.create_server(("127.0.0.1", 0))}),
    ):
        protocol, no_delay = await accepted(**where)
        shown = f"protocol {protocol}, " if loop == "asyncio" else ""
        print(f"{loop}, {name}: {shown}TCP_NODELAY {no_delay}")


asyncio.run(main("asyncio"))
uvloop.run(main("uvloop"))
PY
