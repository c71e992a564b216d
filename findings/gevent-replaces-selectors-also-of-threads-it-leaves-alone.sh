#!/usr/bin/env bash
# gevent 26.9.0: monkey.patch_all(thread=False) leaves threads as the system has them, but replaces
# selectors.DefaultSelector in them, too. An asyncio loop in such a thread ends with LoopExit as soon as it has nothing
# to do but to wait for another thread. With gevent's original selector the same loop waits.
. "$(dirname "$0")/support/common.sh"
python_with gevent==26.9.0
python_says "DefaultSelector: LoopExit
the original one: called from another thread" <<'PY'
from gevent import monkey

monkey.patch_all(thread=False)

import asyncio
import selectors
import threading


def run(make_selector, ended):
    loop = asyncio.SelectorEventLoop(make_selector())
    heard = []

    def called():
        heard.append("called from another thread")
        loop.stop()

    def work():
        try:
            loop.run_forever()
        except BaseException as error:
            heard.append(type(error).__name__)
        ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    ended.wait(1)
    if not ended.is_set():
        loop.call_soon_threadsafe(called)
    thread.join(10)
    return heard[0]


print("DefaultSelector:", run(selectors.DefaultSelector, threading.Event()))
print("the original one:", run(monkey.get_original("selectors", "DefaultSelector"), threading.Event()))
PY
