"""One tokenizer and many sessions, used by several threads at once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from sys import getswitchinterval, setswitchinterval
from time import sleep

import pytest

import verified_tok as vt
from spec.campaign.texts import NAMED, programs, translations
from verified_tok.fetch import open_family

THREADS = 8


@pytest.fixture(autouse=True)
def eager_threads() -> Iterator[None]:
    """Python hands over between threads as often as it can."""
    before = getswitchinterval()
    setswitchinterval(1e-6)
    yield
    setswitchinterval(before)


@pytest.fixture(scope="module", params=["qwen3", "llama-2"])
def tok(request: pytest.FixtureRequest) -> vt.Tokenizer:
    return open_family(request.param)


TEXTS = [
    *(text[:2_000] for text in NAMED.values()),
    *(text[-3_000:] for text in [*programs().values()][:30]),
    *(text[-3_000:] for text in [*translations().values()][:30]),
]


def _work(tok: vt.Tokenizer, expected: dict[str, list[int]], seed: int) -> None:
    """Everything a tokenizer does, in a random order: nobody else's text gets in."""
    for text in random.Random(seed).sample(TEXTS, len(TEXTS)):
        ids = expected[text]
        assert tok.encode(text).tolist() == ids
        assert tok.count(text) == len(ids)
        assert tok.encode_with_spans(text).ids.tolist() == ids
        assert tok.encode_batch([text, "", text])[0].tolist() == ids + ids
        assert tok.decode(ids) == tok.decode_bytes(ids).decode(errors="replace")


def test_one_tokenizer_serves_several_threads(tok: vt.Tokenizer) -> None:
    expected = {text: tok.encode(text).tolist() for text in TEXTS}
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(partial(_work, tok, expected), range(THREADS)))


def test_first_texts_of_a_fresh_tokenizer_arrive_at_once(tok: vt.Tokenizer) -> None:
    """What is made at the first use is made by one thread, or by all alike."""
    expected = {text: tok.encode(text).tolist() for text in TEXTS[:8]}
    fresh = vt.Tokenizer(tok.spec)
    with ThreadPoolExecutor(THREADS) as threads:
        assert [ids.tolist() for ids in threads.map(fresh.encode, TEXTS[:8])] == list(expected.values())


def test_a_list_that_another_thread_empties(tok: vt.Tokenizer) -> None:
    """The texts of a batch are those that were there when it began."""
    given = [text * 20 for text in TEXTS]
    expected = tok.encode_batch(given)[0].tolist()
    for wait in (0.0005, 0.001, 0.002, 0.004):
        texts = [text * 20 for text in TEXTS]  # nobody else holds these

        def empty(texts: list[str] = texts, wait: float = wait) -> list[str]:
            sleep(wait)
            texts.clear()
            return [text[::-1] * 20 for text in TEXTS]  # where they were

        with ThreadPoolExecutor(1) as thread:
            thread.submit(empty)
            assert tok.encode_batch(texts)[0].tolist() in (expected, [])


def test_many_sessions_grow_at_once(tok: vt.Tokenizer) -> None:
    sessions = [tok.session() for _ in range(THREADS)]
    parts = [random.Random(n).choices([text[:200] for text in TEXTS], k=12) for n in range(THREADS)]

    def grow(n: int) -> None:
        for part in parts[n]:
            sessions[n].append(part)
        sessions[n].edit(3, 9, "é")

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(grow, range(THREADS)))
    for session, own in zip(sessions, parts, strict=True):
        text = "".join(own)
        assert session.text == text[:3] + "é" + text[9:]
        assert session.ids.tolist() == tok.encode(session.text).tolist()


def test_places_are_those_of_one_text_while_another_thread_changes_it(tok: vt.Tokenizer) -> None:
    short, long = "ab é " * 1_000, "ab é " * 20_000
    session = tok.session(long)
    expected = [tok.encode_with_spans(text).char_spans.tobytes() for text in (short, long)]

    def change() -> None:
        for _ in range(60):
            session.update(short)
            session.update(long)

    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(change)
        while not done.done():
            assert session.spans.tobytes() in expected
        done.result()
