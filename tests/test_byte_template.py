"""The fixed template (`lean/VerifiedTok/Thm/ByteTemplate.lean`): a test is named for its theorem."""

from __future__ import annotations

from functools import cache

from hypothesis import example, given, settings
from hypothesis import strategies as st

import verified_tok as vt
from verified_tok.fetch import open_family
from verified_tok.reference.byte_template import (
    Message,
    Role,
    esc,
    parse,
    render,
    render_one,
    unesc,
)

PARTS = [b"<", b"|", b"\\", b"<|im_start|>", b"<|im_end|>", b"\n", b"user", b"a", b" b", b"\xc3\xa9"]
CONTENTS = st.lists(st.sampled_from(PARTS), max_size=6).map(b"".join)
MESSAGES = st.builds(Message, st.sampled_from(Role), CONTENTS)
TALKS = st.lists(MESSAGES, max_size=4)


@cache
def tokenizer() -> vt.Tokenizer:
    return open_family("qwen3")


@cache
def byte_ids() -> dict[bytes, int]:
    """The tokens of single bytes."""
    return {tokenizer().decode_bytes([id]): id for id in range(256)}


@given(CONTENTS)
@example(b"<\\|")
@example(b"<|<\\\\|")
def test_unesc_esc(content: bytes) -> None:
    assert unesc(esc(content)) == content
    assert b"<|" not in esc(content)


@given(TALKS)
def test_parse_render(talk: list[Message]) -> None:
    assert parse(render(talk)) == talk


@given(TALKS, st.integers(0), st.integers(0, 3), CONTENTS)
@settings(max_examples=200)
def test_parse_eq_some_iff(talk: list[Message], place: int, lost: int, new: bytes) -> None:
    """The parser accepts renderings and nothing else: so rendering is injective."""
    whole = render(talk)
    place %= len(whole) + 1
    text = whole[:place] + new + whole[place + lost :]
    found = parse(text)
    assert found is None or render(found) == text


def test_what_is_no_rendering() -> None:
    talk = [Message(Role.USER, b"a"), Message(Role.TOOL, b"b")]
    whole, whole_messages = render(talk), {0, len(render(talk[:1])), len(render(talk))}
    for stop in range(len(whole) + 1):
        assert (parse(whole[:stop]) is not None) == (stop in whole_messages)
    assert parse(whole[:-1] + b"x") is None
    assert parse(b"x" + whole) is None


@given(TALKS, TALKS)
@settings(max_examples=50)
def test_render_append(xs: list[Message], ys: list[Message]) -> None:
    assert render(xs + ys) == render(xs) + render(ys)


@given(TALKS, MESSAGES, TALKS)
@settings(max_examples=60)
def test_encode_render_insert(xs: list[Message], m: Message, ys: list[Message]) -> None:
    """On a real tokenizer: a message that is put in keeps the ids around it, and its own are its own."""

    def ids(talk: list[Message]) -> list[int]:
        return [int(id) for id in tokenizer().encode(render(talk).decode())]

    assert ids([*xs, *ys]) == ids(xs) + ids(ys)
    assert ids([*xs, m, *ys]) == ids(xs) + ids([m]) + ids(ys)


@given(TALKS, MESSAGES, TALKS)
@settings(max_examples=60)
def test_delta_insert(xs: list[Message], m: Message, ys: list[Message]) -> None:
    """Around it may be any ids that spell what is there: here one for every byte, as nobody encodes."""

    def letters(talk: list[Message]) -> list[int]:
        return [byte_ids()[bytes([b])] for b in render(talk)]

    own = [int(id) for id in tokenizer().encode(render_one(m).decode())]
    spelled = tokenizer().decode_bytes([*letters(xs), *own, *letters(ys)])
    assert spelled == render([*xs, m, *ys])
    assert parse(spelled) == [*xs, m, *ys]
