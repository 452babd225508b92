"""The process ends while threads are at work in the native core."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys, threading, time
import verified_tok as vt

ranks = {bytes([b]): b for b in range(256)} | {b"he": 256, b"ll": 257, b"hell": 258, b"hello": 259}
tok = vt.from_tiktoken(ranks, r" ?\\p{L}+|[^\\p{L}]", {"<|end|>": 300})
text = "hello, hello! " * 20_000
ids = tok.encode(text)
few = list(ids[:100])
session, other = tok.session(text), tok.session(text)

class Lingers:
    def __del__(self, sleep=time.sleep):  # when Python is ending already, which lets the threads go on
        sleep(0.3)

lingers = Lingers()

def work():
    while True:
        CALL

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("done")
"""


@pytest.mark.parametrize(
    "call",
    [
        "tok.encode(text)",
        "tok.encode(text, threads=2)",
        "tok.encode_batch([text[:3000]] * 50)",
        "tok.encode_with_spans(text)",
        "tok.count(text)",
        "tok.decode(ids)",
        "tok.decode_batch(ids, offsets=[0, 50_000, len(ids)])",
        "tok.decode_batch(few for _ in range(50_000))",
        "tok.decode_batch(map(iter, [few] * 1000))",
        "session.update(text)",
        "session.fork().concat(other)",
    ],
)
def test_threads_that_do_not_end(call: str) -> None:
    """Python before 3.14 unwinds those that ask for its lock, which must not abort the process."""
    program = PROGRAM.replace("CALL", call)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")
