"""The model stage beside the reference engines: random vocabularies with every flag."""

from __future__ import annotations

import time

import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import BPE

from verified_tok.fetch import open_family
from verified_tok.reference.model import (
    Token,
    complete,
    encode_piece,
    encoder,
    initial_symbols,
    symbols,
    unmerged,
    without,
)
from verified_tok.reference.seam_table import VocabularyJoins
from verified_tok.spec import MergeBpe, RankBpe

CHARS = "abé中🙂"
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


@st.composite
def models(draw: st.DrawFn) -> MergeBpe:
    """Vocabularies that lack characters and bytes, with merges of whatever they hold."""
    chars = draw(st.lists(st.sampled_from(CHARS), unique=True))
    some = sorted({byte for char in CHARS for byte in char.encode()})
    named = [BYTES[byte] for byte in draw(st.lists(st.sampled_from(some), unique=True))]
    if draw(st.booleans()):
        named = sorted(BYTES, key=lambda name: int(name[3:5], 16) in some)  # those of the characters last
    vocab = {token: id for id, token in enumerate(["<unk>", *named, *chars])}
    merges: list[tuple[int, int, int]] = []
    pairs: set[tuple[int, int]] = set()
    for _ in range(draw(st.integers(0, 8))):
        tokens = list(vocab)
        left, right = draw(st.sampled_from(tokens[-18:])), draw(st.sampled_from(tokens[-18:]))
        if (vocab[left], vocab[right]) not in pairs and len(left + right) < 30:
            pairs.add((vocab[left], vocab[right]))
            merges.append((vocab[left], vocab[right], vocab.setdefault(left + right, len(vocab))))
    for entry in draw(st.lists(st.text(CHARS, min_size=2, max_size=4), max_size=2)):
        vocab.setdefault(entry, len(vocab))  # no merge reaches it
    return MergeBpe(
        vocab=vocab,
        merges=tuple(draw(st.permutations(merges))),
        ignore_merges=draw(st.booleans()),
        byte_fallback=draw(st.booleans()),
        unk_token=draw(st.sampled_from([None, "<unk>"])),
        fuse_unk=draw(st.booleans()),
    )


def engine(model: MergeBpe) -> Tokenizer:
    text = {id: token for token, id in model.vocab.items()}
    return Tokenizer(
        BPE(
            vocab=dict(model.vocab),
            merges=[(text[left], text[right]) for left, right, _ in model.merges],
            ignore_merges=model.ignore_merges,
            byte_fallback=model.byte_fallback,
            unk_token=model.unk_token,
            fuse_unk=model.fuse_unk,
        )
    )


def model(vocab: list[str], **fields: object) -> MergeBpe:
    flags = {"ignore_merges": False, "byte_fallback": False, "unk_token": None, "fuse_unk": False}
    return MergeBpe(vocab={token: id for id, token in enumerate(vocab)}, merges=(), **{**flags, **fields})  # type: ignore[arg-type]


@example(  # the bytes of a character come before the unknown one that waits
    model(["<unk>", "<0x61>"], byte_fallback=True, unk_token="<unk>", fuse_unk=True), "éaé"
)
@given(models(), st.text(CHARS, min_size=1, max_size=12))
def test_the_engine_gives_the_same_tokens(model: MergeBpe, piece: str) -> None:
    assert [token.id for token in encode_piece(encoder(model), piece)] == engine(model).encode(piece).ids


@given(models(), st.text(CHARS, max_size=12))
def test_if_no_character_is_unknown_each_becomes_its_own_symbols(model: MergeBpe, piece: str) -> None:
    """`initialSymbols_of_complete`"""
    ours = encoder(model)
    if complete(ours):
        expected = [id for char in piece for id in symbols(ours, char)]
        assert [symbol.id for symbol in initial_symbols(ours, piece)] == expected


@settings(max_examples=1500)
@given(
    models(),
    st.text(CHARS, min_size=1, max_size=6),
    st.text(CHARS, min_size=1, max_size=6),
    st.sets(st.integers(0, 20)),
)
def test_a_piece_may_be_cut_where_no_merge_joins(
    model: MergeBpe, front: str, back: str, banned: set[int]
) -> None:
    """`CharModel.encodePiece_append`: characters with a token, and such as fall back to bytes."""
    ours = without(encoder(model), banned)
    if not ours.whole and VocabularyJoins.of(model, ours).apart(front[-1], back[0]):
        whole = [token.id for token in encode_piece(ours, front + back)]
        assert whole == [token.id for part in (front, back) for token in encode_piece(ours, part)]


def joins_merge_by_merge(model: MergeBpe) -> set[tuple[str, str]]:
    """The pairs of `VocabularyJoins`, as its definition reads."""
    text = {id: token for token, id in model.vocab.items()}
    return {
        (end, begin)
        for left, right, _ in model.merges
        for end in (text[left][-1], *(name for name in [text[left][-6:]] if name in BYTES))
        for begin in (text[right][0], *(name for name in [text[right][:6]] if name in BYTES))
    }


@given(models())
def test_what_merges_join(model: MergeBpe) -> None:
    assert VocabularyJoins.of(model, unmerged(model)).pairs == joins_merge_by_merge(model)


@pytest.mark.parametrize("name", ["llama-2", "mistral-7b-v0.1", "gemma-3"])
def test_what_the_merges_of_real_tokenizers_join(name: str) -> None:
    model = open_family(name).spec.model
    assert isinstance(model, MergeBpe)
    joins = VocabularyJoins.of(model, unmerged(model))
    assert joins.pairs == joins_merge_by_merge(model)
    assert len(joins.known) == sum(len(token) == 1 for token in model.vocab)


@given(models(), st.text(CHARS, min_size=1, max_size=12))
def test_places(model: MergeBpe, piece: str) -> None:
    """Tokens lie in the piece; if nothing of it is unknown, they lie side by side and cover it, as the
    engine says."""
    ours = encoder(model)
    tokens = encode_piece(ours, piece)
    size = len(piece.encode())
    assert all(0 <= token.start < token.stop <= size for token in tokens)
    known = all(char in ours.chars or initial_symbols(ours, char) for char in piece)
    if known and ours.unk not in [symbol.id for symbol in initial_symbols(ours, piece)]:
        assert [token.start for token in tokens] == [0, *(token.stop for token in tokens[:-1])]
        assert tokens[-1].stop == size
        lengths = [len(char.encode()) for char in piece]
        ends = {sum(lengths[:n]): n for n in range(len(piece) + 1)}
        for token, expected in zip(tokens, engine(model).encode(piece).offsets, strict=True):
            if token.start in ends and token.stop in ends:
                assert (ends[token.start], ends[token.stop]) == expected


@given(models(), st.text(CHARS, min_size=1, max_size=12), st.sets(st.integers(0, 20)))
def test_banned_tokens_do_not_come_out(model: MergeBpe, piece: str, banned: set[int]) -> None:
    ours = encoder(model)
    last_resort = {
        id
        for char, id in ours.chars.items()
        if not model.byte_fallback or any(BYTES[byte] not in model.vocab for byte in char.encode())
    }
    stay = {*ours.byte_tokens, ours.unk, *last_resort}
    tokens = encode_piece(without(ours, banned), piece)
    assert banned.isdisjoint({token.id for token in tokens} - stay)
    if all(initial_symbols(ours, char) for char in piece):
        assert _covered(tokens) == set(range(len(piece.encode())))  # and no text is lost


def _covered(tokens: tuple[Token, ...]) -> set[int]:
    return {byte for token in tokens for byte in range(token.start, token.stop)}


@given(
    st.lists(st.binary(min_size=2, max_size=4), max_size=12, unique=True),
    st.lists(st.sampled_from(["a", "b", "é", "中", "ab", "aab"]), min_size=1, max_size=10).map("".join),
)
def test_rank_tables(entries: list[bytes], piece: str) -> None:
    words = [w.encode() for w in ("aa", "ab", "aab", "éa")] + [b"\xb8\xad", b"\xe4\xb8", b"a\xc3", *entries]
    ranks = {bytes([byte]): byte for byte in range(256)}
    for word in words:
        ranks.setdefault(word, len(ranks))
    theirs = tiktoken.Encoding("ranks", pat_str=r"[\s\S]+", mergeable_ranks=ranks, special_tokens={})
    tokens = encode_piece(encoder(RankBpe(ranks)), piece)
    assert [token.id for token in tokens] == theirs.encode_ordinary(piece)
    of = {id: data for data, id in ranks.items()}
    assert all(piece.encode()[token.start : token.stop] == of[token.id] for token in tokens)


def test_a_long_piece_takes_little_longer_than_linear_time() -> None:
    vocab = {char: id for id, char in enumerate("ab")}
    merges = []
    for left, right in [("a", "b"), ("ab", "ab"), ("b", "a"), ("abab", "abab"), ("a", "a"), ("aa", "aa")]:
        merges.append((vocab[left], vocab[right], vocab.setdefault(left + right, len(vocab))))
    ours = encoder(MergeBpe(vocab, tuple(merges), False, False, None, False))
    piece = "ababaabbaaaab" * 16_000  # 208,000 letters; a scan for each merge would take hours
    begin = time.process_time()
    tokens = encode_piece(ours, piece)
    assert time.process_time() - begin < 30
    assert tokens[-1].stop == len(piece)
