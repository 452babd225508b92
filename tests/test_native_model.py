"""The native model against the reference: random small vocabularies, and pieces of real ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import hostile
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verified_tok._core import native
from verified_tok.fetch import open_family
from verified_tok.native import NotNative
from verified_tok.native.model import changes, sections
from verified_tok.reference.byte_level import CHAR_OF_BYTE, spell, unspell
from verified_tok.reference.model import encode_piece, encoder, without
from verified_tok.spec import ByteLevel, MergeBpe, Model, RankBpe

ALPHABET = "ab éж中仭國😀"
"""Characters of one to four bytes, some of which share bytes."""

Pieces = Callable[[bytes], list[tuple[int, int, int]]]


def natively(model: Model, byte_level: bool, banned: frozenset[int] = frozenset()) -> Pieces:
    engine = native.Engine([native.Image.of(sections(model, byte_level, banned))])

    def encode(piece: bytes) -> list[tuple[int, int, int]]:
        """By merging, and twice as texts are encoded: from tables, and from what the engine remembers."""
        rows = engine.encode_piece(piece)
        for _ in range(2):
            assert engine.encode(piece.decode()).tolist() == [id for id, _, _ in rows]
        return rows

    return encode


def by_reference(model: Model, byte_level: bool, banned: frozenset[int] = frozenset()) -> Pieces:
    made = without(encoder(model), banned)

    def encode(piece: bytes) -> list[tuple[int, int, int]]:
        if not byte_level:
            return [tuple(token) for token in encode_piece(made, piece.decode())]  # type: ignore[misc]
        text = spell(piece)
        byte_at = [place for place, char in enumerate(text) for _ in char.encode()]
        return [(id, byte_at[start], byte_at[stop - 1] + 1) for id, start, stop in encode_piece(made, text)]

    return encode


# --- random vocabularies -----------------------------------------------------------------------------


@st.composite
def merge_models(draw: st.DrawFn, symbols: list[str], fallback: bool) -> MergeBpe:
    """Vocabularies of some of the symbols and of merges in any order, so that later merges may have lower
    ranks; with names of bytes and an unknown token, or not, which merges may take, too."""
    known = draw(st.lists(st.sampled_from(symbols), min_size=1, unique=True))
    odd = ["<unk>", *(f"<0x{byte:02X}>" for byte in "é中".encode() if fallback)]
    tokens = [*known, *draw(st.lists(st.sampled_from(odd), unique=True, max_size=2))]
    merges: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(0, 25))):
        pair = draw(st.tuples(st.sampled_from(tokens), st.sampled_from(tokens)))
        if pair not in merges and len("".join(pair)) < 14:
            merges.append(pair)
            if "".join(pair) not in tokens:
                tokens.append("".join(pair))
    extra = ["<unk>", *draw(st.lists(st.text(symbols, min_size=2, max_size=4)))]
    names = [f"<0x{byte:02X}>" for byte in range(256)] if fallback else []
    if fallback and draw(st.booleans()):
        names = draw(st.lists(st.sampled_from(names), unique=True))
    vocab: dict[str, int] = {}
    for token in [*tokens, *extra, *names]:
        vocab.setdefault(token, len(vocab))
    merges = draw(st.permutations(merges))
    return MergeBpe(
        vocab=vocab,
        merges=tuple((vocab[a], vocab[b], vocab[a + b]) for a, b in merges),
        ignore_merges=draw(st.booleans()),
        byte_fallback=fallback,
        unk_token=draw(st.sampled_from([None, "<unk>"])),
        fuse_unk=draw(st.booleans()),
    )


PIECES = st.lists(st.text(ALPHABET, min_size=1, max_size=12), min_size=1, max_size=8)
SOME = st.frozensets(st.integers(0, 40), max_size=6)


@settings(max_examples=200)
@given(st.booleans().flatmap(lambda f: merge_models(list(ALPHABET), f)), PIECES, SOME)
def test_vocabularies_of_characters(model: MergeBpe, pieces: list[str], banned: frozenset[int]) -> None:
    for ban in (frozenset[int](), banned):
        ours, theirs = natively(model, False, ban), by_reference(model, False, ban)
        for piece in pieces:
            assert ours(piece.encode()) == theirs(piece.encode())


@settings(max_examples=200)
@given(merge_models([CHAR_OF_BYTE[b] for b in sorted(set(ALPHABET.encode()))], False), PIECES, SOME)
def test_vocabularies_of_bytes(model: MergeBpe, pieces: list[str], banned: frozenset[int]) -> None:
    for ban in (frozenset[int](), banned):
        ours, theirs = natively(model, True, ban), by_reference(model, True, ban)
        for piece in pieces:
            assert ours(piece.encode()) == theirs(piece.encode())


@st.composite
def whole_byte_models(draw: st.DrawFn) -> MergeBpe:
    """Vocabularies that have every byte, so that pieces are cut where no merge crosses: merges of the bytes
    of a few characters, in any order, and tokens that are whole pieces only."""
    symbols = [CHAR_OF_BYTE[byte] for byte in range(256)]
    tokens = [CHAR_OF_BYTE[byte] for byte in sorted(set("中仭國".encode()))]
    merges: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(0, 30))):
        pair = draw(st.tuples(st.sampled_from(tokens), st.sampled_from(tokens)))
        if pair not in merges and len("".join(pair)) < 14:
            merges.append(pair)
            tokens.append("".join(pair))
    whole = draw(st.lists(st.text("中仭國a", min_size=1, max_size=4)))
    vocab: dict[str, int] = {}
    for token in [*symbols, *tokens, *(spell(text.encode()) for text in whole)]:
        vocab.setdefault(token, len(vocab))
    return MergeBpe(
        vocab=vocab,
        merges=tuple((vocab[a], vocab[b], vocab[a + b]) for a, b in draw(st.permutations(merges))),
        ignore_merges=draw(st.booleans()),
        byte_fallback=False,
        unk_token=None,
        fuse_unk=False,
    )


@settings(max_examples=300)
@given(whole_byte_models(), st.lists(st.text("中仭國a", min_size=1, max_size=8), min_size=1), SOME)
def test_where_pieces_are_cut(model: MergeBpe, pieces: list[str], banned: frozenset[int]) -> None:
    for ban in (frozenset[int](), frozenset(256 + id for id in banned)):
        ours, theirs = natively(model, True, ban), by_reference(model, True, ban)
        for piece in pieces:
            assert ours(piece.encode()) == theirs(piece.encode())


def test_whole_pieces_are_no_parts_of_others() -> None:
    """A token that only a whole piece is, at the end, the beginning and in the middle of other pieces."""
    vocab = {CHAR_OF_BYTE[byte]: byte for byte in range(256)} | {spell("中國".encode()): 256}
    model = MergeBpe(vocab, (), ignore_merges=True, byte_fallback=False, unk_token=None, fuse_unk=False)
    ours, theirs = natively(model, True), by_reference(model, True)
    for piece in ("中國", "仭中國", "中國仭", "仭中國仭", "中國中國", "a中國", "中國a"):
        assert ours(piece.encode()) == theirs(piece.encode()), piece


def test_pieces_that_take_the_place_of_others() -> None:
    """More pieces than the table of recent ones has places, with the same first eight bytes."""
    pairs = [bytes([lower, upper]) for lower in range(98, 123) for upper in range(65, 91)]
    entries = [*(bytes([byte]) for byte in range(256)), b"aa", b"aaaa", b"aaaaaaaa", *pairs]
    ours, rng = natively(RankBpe({entry: id for id, entry in enumerate(entries)}), False), random.Random(0)
    for _ in range(40_000):
        a, b = rng.randrange(len(pairs)), rng.randrange(len(pairs))
        assert [id for id, _, _ in ours(b"aaaaaaaa" + pairs[a] + pairs[b])] == [258, 259 + a, 259 + b]


@settings(max_examples=200)
@given(merge_models([CHAR_OF_BYTE[b] for b in b"ab "], False))
def test_tokens_that_stay_apart(model: MergeBpe) -> None:
    """Exactly those whose bytes are merged into the two again, of all pairs."""
    engine = native.Engine([native.Image.of(sections(model, True, frozenset()))])
    theirs = by_reference(replace(model, ignore_merges=False), True)
    tokens = [(data, id) for text, id in model.vocab.items() if (data := unspell(text))]
    for left, a in tokens:
        for right, b in tokens:
            apart = engine.stay_apart(a, b)
            if apart is not None:
                assert apart == ([id for id, _, _ in theirs(left + right)] == [a, b])


@settings(max_examples=200)
@given(st.lists(st.text(ALPHABET, min_size=1, max_size=3)), PIECES, SOME, st.data())
def test_vocabularies_of_ranks(
    texts: list[str], pieces: list[str], banned: frozenset[int], data: st.DataObject
) -> None:
    """Cut anywhere, so that tokens end inside of characters."""
    bounds = data.draw(st.lists(st.tuples(st.integers(0, 8), st.integers(2, 12))))
    parts = [text.encode()[a:b] for text in texts for a, b in bounds]
    entries = dict.fromkeys([*(bytes([byte]) for byte in range(256)), *filter(None, parts)])
    ids = data.draw(st.permutations(range(256, len(entries))))
    model = RankBpe(dict(zip(entries, [*range(256), *ids], strict=True)))
    for ban in (frozenset[int](), frozenset(256 + id for id in banned)):
        ours, theirs = natively(model, False, ban), by_reference(model, False, ban)
        for piece in pieces:
            assert ours(piece.encode()) == theirs(piece.encode())


@settings(max_examples=100)
@given(merge_models(list(ALPHABET), True), SOME, PIECES)
def test_what_bans_change(model: MergeBpe, banned: frozenset[int], pieces: list[str]) -> None:
    if not changes(model, False, banned):
        before, after = by_reference(model, False), by_reference(model, False, banned)
        for piece in pieces:
            assert before(piece.encode()) == after(piece.encode())


def test_very_large_ids_are_left_to_the_reference() -> None:
    vocab = {CHAR_OF_BYTE[byte]: byte for byte in range(255)} | {CHAR_OF_BYTE[255]: 1 << 21}
    with pytest.raises(NotNative, match="2 \\*\\* 21"):
        sections(MergeBpe(vocab, (), False, False, None, False), True, frozenset())


def test_pairs_that_share_every_slot_but_for_their_group() -> None:
    """The table of pairs is made again, with more groups. Found by trying: their hashes end alike."""
    pairs = [(1571822, 1813257), (3501, 1128498)]
    ends = set()
    for left, right in pairs:
        mixed = (left << 21 | right) * 0x9E3779B97F4A7C15 % 2**64
        ends.add((mixed ^ mixed >> 32) % 2**32)
    assert len(ends) == 1
    (a, b), (c, d) = pairs
    vocab = {"a": a, "b": b, "c": c, "d": d, "ab": 1, "cd": 2}
    model = MergeBpe(vocab, ((a, b, 1), (c, d, 2)), False, False, None, False)
    ours, theirs = natively(model, False), by_reference(model, False)
    for piece in (b"ab", b"cd", b"abcdab", b"adcb"):
        assert ours(piece) == theirs(piece)


# --- real vocabularies -------------------------------------------------------------------------------

FAMILIES = ("qwen3", "gpt-oss", "llama-2", "gemma-3", "deepseek-v3", "cl100k", "claude", "glm-4")
"""GLM has hundreds of tokens that are whole pieces only."""


class Real(NamedTuple):
    """A real model, the same both ways, and texts of its tokens."""

    model: Model
    ours: Pieces
    theirs: Pieces
    texts: list[str]


@pytest.fixture(scope="module", params=FAMILIES)
def real(request: pytest.FixtureRequest) -> Real:
    """Each family is opened once: tests that want a family get it `indirect`."""
    spec = open_family(request.param).spec
    byte_level = any(isinstance(stage, ByteLevel) for stage in spec.pre_tokenizers)
    model, rng = spec.model, random.Random(request.param)
    entries = list(model.ranks if isinstance(model, RankBpe) else model.vocab)
    texts = [
        text
        for entry in rng.sample(entries, 3000)
        if (data := entry if isinstance(entry, bytes) else unspell(entry) if byte_level else entry.encode())
        if (text := data.decode(errors="ignore"))
    ]
    return Real(model, natively(model, byte_level), by_reference(model, byte_level), texts)


def test_tokens_beside_tokens(real: Real) -> None:
    _, ours, theirs, texts = real
    for place in range(0, len(texts) - 3, 3):
        for piece in ("".join(texts[place : place + 3]), *texts[place : place + 3]):
            assert ours(piece.encode()) == theirs(piece.encode()), piece


@pytest.mark.parametrize("real", ["gpt-oss", "qwen3", "glm-4"], indirect=True)
def test_rules_that_join_characters(real: Real) -> None:
    """Every kind of rule that joins the end of one character of three bytes to the beginning of another,
    with the characters that its tokens have parts of made whole: pieces are not cut there."""
    model, ours, theirs, texts = real
    rng = random.Random("".join(texts))
    assert isinstance(model, MergeBpe)
    spelled = {id: data for text, id in model.vocab.items() if (data := unspell(text)) is not None}
    whole, parts = [], []
    for a, b, _ in model.merges:
        left, right = spelled[a], spelled[b]
        if right[0] & 0xF0 == 0xE0:
            (whole if _is_text(left) and _is_text(right) else parts).append((left, right))
    assert len(parts) > 60
    for left, right in [*parts, *rng.sample(whole, 1500)]:
        for piece in _completed(left, right, rng):
            assert ours(piece) == theirs(piece), piece.decode()


def _is_text(data: bytes) -> bool:
    return data.decode(errors="ignore").encode() == data


def _completed(left: bytes, right: bytes, rng: random.Random) -> list[bytes]:
    """Texts in which the tokens stand beside each other; none if no text has them."""
    fronts = [
        b"",
        *(bytes([lead, *rng.choices(range(0x80, 0xC0), k=size)]) for lead in (0xE4, 0xE5) for size in (0, 1)),
    ]
    backs = [b"", *(bytes(rng.choices(range(0x80, 0xC0), k=size)) for size in (1, 1, 1, 2, 2, 2))]
    texts = [front + left + right + back for front in fronts for back in backs]
    return ["\u4e2d".encode() + text + "\u56fd".encode() for text in texts if _is_text(text)]


def test_hostile_pieces(real: Real) -> None:
    _, ours, theirs, _ = real
    rng = random.Random(0)
    scripts = ["привет мир", "العربية", "中文汉字测试", "日本語テスト", "한국어", "ไทย", "नमस्ते", "the end"]
    for _ in range(600):
        atoms = rng.choice([hostile.ATOMS, rng.choice(scripts), [chr(rng.randrange(0x4E00, 0xA000))]])
        piece = "".join(rng.choice(atoms) for _ in range(rng.choice([1, 5, 20, 200])))
        piece = piece.encode(errors="ignore").decode()
        assert ours(piece.encode()) == theirs(piece.encode()), piece


@pytest.mark.parametrize("real", ["qwen3"], indirect=True)
def test_long_pieces(real: Real) -> None:
    """Of one more symbol than `few` and of very many: runs of merges on a heap."""
    _, ours, theirs, _ = real
    for unit in ("a", " ", "ab", "the", "é", "中", "0", "\n", "=-"):
        for size in (63, 64, 65, 5_000):
            piece = (unit * size).encode()
            assert ours(piece) == theirs(piece), (unit, size)


def test_long_runs_that_are_searched(real: Real) -> None:
    """Of one letter, of a few, of words: with sizes around those from which on there is a search, and some
    for which it is given up."""
    _, ours, theirs, texts = real
    rng = random.Random("".join(texts))
    words = [text for text in texts if text.isalpha() and len(text) > 3]
    units = ["a", "=", " ", "aaab", "ab", "the", "é", "при", "中", *rng.sample(words, 6)]
    for unit in units:
        size = rng.choice([508, 509, 510, 511, 512, 700, 1500])
        run = (unit.encode() * size)[:size].decode(errors="ignore")
        for piece in (run, f"中{run}é"):  # the run may begin within the piece
            assert ours(piece.encode()) == theirs(piece.encode()), (unit, size)
    for atoms in (words, "ab", "aeiou", "the", "=-", "éñ"):
        piece = "".join(rng.choices(atoms, k=900))[:900]
        assert ours(piece.encode()) == theirs(piece.encode()), piece


@settings(max_examples=100)
@given(
    merge_models(["a", "b", "c", "<"], True),
    st.text("abcé", min_size=1, max_size=9),
    st.integers(500, 1600),
    st.text("abcé", max_size=5),
    st.text("abcé", max_size=5),
)
def test_long_runs_of_small_vocabularies(
    model: MergeBpe, unit: str, size: int, before: str, behind: str
) -> None:
    """Runs that repeat, with something else at their ends: they are encoded from shorter ones."""
    piece = (before + (unit * size)[:size] + behind).encode()
    assert natively(model, False)(piece) == by_reference(model, False)(piece)


@st.composite
def growing_models(draw: st.DrawFn) -> RankBpe:
    """Long tokens of one letter, some of them behind another one, in any order: long cycles of tokens, and
    runs that begin in another way than they go on."""
    tokens = [b"a", b"ba"] if draw(st.booleans()) else [b"a"]
    for _ in range(draw(st.integers(1, 12))):
        tokens.append(draw(st.sampled_from(tokens)) + draw(st.sampled_from(tokens[-3:])))
    some = [token for token in dict.fromkeys(tokens) if token.rfind(b"b") < 1 and 1 < len(token) < 300]
    singles = [bytes([byte]) for byte in range(256)]
    entries = [*singles, *(draw(st.permutations(some)) if draw(st.booleans()) else some)]
    return RankBpe({entry: id for id, entry in enumerate(entries)})


@settings(max_examples=300)
@given(
    growing_models(),
    st.sampled_from(["", "", "b", "aab"]),
    st.sampled_from([512, 700, 1500, 3000]),
    st.integers(0, 99),
    st.sampled_from(["", "", "b"]),
)
def test_long_runs_of_one_letter(model: RankBpe, before: str, size: int, more: int, behind: str) -> None:
    piece = (before + "a" * (size + more) + behind).encode()
    assert natively(model, False)(piece) == by_reference(model, False)(piece)
