"""The native search for added tokens against the reference's."""

from __future__ import annotations

import os
import random
import time

import hostile
import less_simd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spec.campaign import texts
from verified_tok._core import native
from verified_tok.fetch import open_family
from verified_tok.native.literals import kind_arrays, literal_arrays, pair_filter
from verified_tok.reference.added_tokens import Literals, extract
from verified_tok.reference.pipeline import Pipeline, normalized, pipeline
from verified_tok.spec import AddedToken

PASSES = ("raw", "normalized")
Found = list[tuple[int, int, int]]


def image_of(p: Pipeline) -> native.Image:
    return native.Image.of({**literal_arrays(p), **kind_arrays()})


def tiny(tokens: list[AddedToken]) -> Pipeline:
    literals = Literals.of((token.content, token) for token in tokens)
    return Pipeline(literals, Literals.of([]), (), (), lambda piece: [])


def theirs(literals: Literals, text: str) -> Found:
    """The reference's parts, with places counted in bytes."""
    place = [len(text[:i].encode()) for i in range(len(text) + 1)]
    return [
        (place[part.start], place[part.stop], -1 if part.token is None else part.token.id)
        for part in extract(literals, text)
    ]


def assert_same(p: Pipeline, image: native.Image, text: str) -> None:
    for name in PASSES:
        expected = theirs(getattr(p, name), text)
        assert native.literal_parts(image, text.encode(), name == "normalized") == expected, (name, text)


CHARS = "ab<> \n\u3000é_.\u0301▁"
flags = st.fixed_dictionaries({flag: st.booleans() for flag in ("lstrip", "rstrip", "single_word")})
tokens = st.lists(
    st.tuples(st.text(CHARS, min_size=1, max_size=4), flags), max_size=12, unique_by=lambda token: token[0]
)
longer = st.lists(st.text(CHARS, max_size=6), max_size=30).map("".join)


@example([("a", {"rstrip": True}), (" b", {})], "a  b<")  # the first takes the second's space
@example([("a", {"rstrip": True}), (" ", {"lstrip": True})], "a b")  # … and all of it
@example([("ab", {"single_word": True}), ("b", {})], "aab b")  # a refused match hides what is inside
@example([("a", {}), ("a<b>", {})], "a<b" * 20)  # the longer literal ends behind the text
@given(tokens, longer)
def test_any_literals_with_any_flags(listed: list[tuple[str, dict[str, bool]]], text: str) -> None:
    p = tiny([AddedToken(id, content, **given) for id, (content, given) in enumerate(listed)])
    assert_same(p, image_of(p), text)


@pytest.mark.parametrize("flag", ["lstrip", "rstrip"])
def test_white_space_that_many_literals_ask_for(flag: str) -> None:
    p = tiny([AddedToken(0, " ", **{flag: True}), AddedToken(1, "<a>", lstrip=True, rstrip=True)])
    image, start = image_of(p), time.process_time()
    assert len(native.literal_parts(image, b" " * 100_000, False)) == 100_000
    assert time.process_time() - start < 2, "if each looked at all of it, it would be minutes"
    assert_same(p, image, " " * 50 + "<a>" + " " * 50)


@pytest.mark.parametrize("size", [0, 1, 2, 31, 32, 33, 34, 63, 64, 65, 66, 97, 130])
def test_at_every_place_of_a_text(size: int) -> None:
    """A literal of one byte and longer ones, wherever they stand in the blocks that the filter looks at."""
    p = tiny([AddedToken(0, "<a>"), AddedToken(1, "!"), AddedToken(2, "▁▁")])
    image = image_of(p)
    for place in range(size + 1):
        for literal in ("<a>", "!", "▁▁", "<", "▁"):
            assert_same(p, image, "x" * place + literal + "x" * (size - place))


def test_more_beginnings_than_the_filter_tells_apart() -> None:
    chars = [chr(c) for c in [*range(33, 127), *range(0xC0, 0x180), *range(0x4E00, 0x4F00)]]
    p = tiny([AddedToken(id, f"{a}{b}") for id, (a, b) in enumerate(zip(chars, chars[7:], strict=False))])
    image, rng = image_of(p), random.Random(1)
    for _ in range(50):
        start = rng.randrange(len(chars))
        assert_same(p, image, "".join(chars[start : start + 9]) + "".join(rng.choices(chars, k=40)))


def test_the_filter_lets_few_pairs_through() -> None:
    """The half-byte tables, too, tell up to eight groups apart exactly."""
    table = pair_filter([b"<|", b"<s", b"</", b"[", b"\xe2\x96"])
    first, second, (a, b, c, d) = table[:256], table[256:512], table[512:].reshape(4, 16)
    for lead in range(256):
        for follow in range(256):
            wanted = (lead == 0x3C and follow in b"|s/") or lead == 0x5B or (lead, follow) == (0xE2, 0x96)
            assert bool(first[lead] & second[follow]) == wanted
            halves = a[lead & 15] & b[lead >> 4] & c[follow & 15] & d[follow >> 4]
            assert bool(halves) == wanted


@pytest.mark.parametrize("family", ["gemma-3", "deepseek-llm", "deepseek-v4", "minimax", "olmo", "qwen3"])
def test_real_literals(family: str) -> None:
    tok, rng = open_family(family), random.Random(family)
    spec = tok.spec
    all_ids = [token.id for token in spec.added_tokens]
    for enabled in (all_ids, rng.sample(all_ids, len(all_ids) // 2)):
        p = pipeline(spec, frozenset(enabled), lambda piece: [])
        image = image_of(p)
        contents = [token.content for token in spec.added_tokens]
        for _ in range(30):
            parts = rng.choices(contents, k=4) + rng.choices(hostile.ATOMS, k=8)
            parts += [literal[: rng.randrange(len(literal)) + 1] for literal in rng.choices(contents, k=4)]
            rng.shuffle(parts)
            assert_same(p, image, "".join(parts))
            assert tok.normalize("".join(parts), enabled) == normalized(p, "".join(parts))
        for text in rng.sample(sorted(texts.programs().values()), 3):
            assert_same(p, image, text[:2000])


def test_machines_without_wide_instructions() -> None:
    """The tests above, and the normalizer's at every place, where nothing of this machine is used."""
    files = [__file__, os.path.join(os.path.dirname(__file__), "test_native_normalizer.py")]
    less_simd.assert_passing("none", "every_place or beginnings", *files)
