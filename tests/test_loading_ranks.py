"""The loader of rank tables, with tiktoken as judge of what they mean."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from verified_tok import spec
from verified_tok.errors import InvalidText, InvalidTokenizerFile, UnsupportedTokenizer
from verified_tok.families import FAMILIES, RankFile
from verified_tok.loading import from_ranks
from verified_tok.reference.aligned import Aligned
from verified_tok.reference.pre_tokenizer import pre_tokenize

RANKS = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"the": 257}
PATTERN = r"\p{L}+|\p{N}{1,3}"
SPECIAL = {"<|end|>": 300, "<|a|>": 299}


def file_of(ranks: Mapping[bytes, int]) -> bytes:
    return b"".join(base64.b64encode(piece) + b" %d\n" % rank for piece, rank in ranks.items())


def encoding(ranks: Mapping[bytes, int] = RANKS) -> tiktoken.Encoding:
    return tiktoken.Encoding("test", pat_str=PATTERN, mergeable_ranks=dict(ranks), special_tokens=SPECIAL)


def test_the_spec_of_a_rank_table():
    loaded = from_ranks(RANKS, PATTERN, SPECIAL)
    assert loaded.source == "tiktoken"
    assert isinstance(loaded.model, spec.RankBpe)
    assert dict(loaded.model.ranks) == RANKS
    assert loaded.added_tokens == (
        spec.AddedToken(299, "<|a|>", special=True),
        spec.AddedToken(300, "<|end|>", special=True),
    )
    assert (loaded.normalizers, loaded.decoders, loaded.post_processors) == ((), (), ())
    with pytest.raises(TypeError):
        loaded.model.ranks[b"new"] = 1  # type: ignore[index]


@given(st.text(st.sampled_from("thex 12345,\n<|é世"), max_size=30))
def test_text_between_matches_is_dropped_as_in_tiktoken(text: str):
    loaded = from_ranks(RANKS, PATTERN, {})
    pieces = [piece.text for piece in pre_tokenize(loaded.pre_tokenizers, Aligned.of(text))]
    assert "".join(pieces) == encoding().decode(encoding().encode_ordinary(text))
    assert [id for piece in pieces for id in encoding().encode_ordinary(piece)] == encoding().encode_ordinary(
        text
    )


def test_ranks_come_as_a_mapping_as_a_file_or_as_its_path(tmp_path: Path):
    path = tmp_path / "x.tiktoken"
    path.write_bytes(file_of(RANKS) + b"\n")
    backwards = dict(reversed(RANKS.items()))
    forms = [RANKS, backwards, file_of(RANKS), file_of(RANKS).replace(b"\n", b"\r\n"), path, str(path)]
    assert len({from_ranks(form, PATTERN, SPECIAL) for form in forms}) == 1


def test_the_name_depends_on_everything_that_ids_depend_on():
    nfc = (spec.UnicodeForm("NFC"),)
    same = from_ranks(RANKS, PATTERN, dict(reversed(SPECIAL.items())), nfc)
    assert same == from_ranks(RANKS, PATTERN, SPECIAL, nfc)
    others = [
        from_ranks(RANKS, PATTERN, SPECIAL),
        from_ranks(RANKS, PATTERN, SPECIAL, (spec.UnicodeForm("NFKC"),)),
        from_ranks(RANKS, PATTERN, {**SPECIAL, "<|b|>": 301}, nfc),
        from_ranks(RANKS, PATTERN, {**SPECIAL, "<|end|>": 301}, nfc),
        from_ranks(RANKS, PATTERN + "| ", SPECIAL, nfc),
        from_ranks({**RANKS, b"he": 258}, PATTERN, SPECIAL, nfc),
        from_ranks({**RANKS, b"the": 258}, PATTERN, SPECIAL, nfc),
    ]
    assert len({loaded.sha256 for loaded in [same, *others]}) == len(others) + 1
    assert re.fullmatch("[0-9a-f]{64}", same.sha256)


@pytest.mark.parametrize("name", [f.name for f in FAMILIES.values() if isinstance(f.file, RankFile)])
def test_real_rank_files_load(name: str, family_file: Callable[[str], Path]):
    file = FAMILIES[name].file
    assert isinstance(file, RankFile)
    loaded = from_ranks(family_file(name), file.pattern, file.special_tokens, file.normalizers)
    assert isinstance(loaded.model, spec.RankBpe)
    judge = tiktoken.Encoding(
        name,
        pat_str=file.pattern,
        mergeable_ranks=dict(loaded.model.ranks),
        special_tokens=dict(file.special_tokens),
    )
    ids = {token.id: token.content.encode() for token in loaded.added_tokens}
    ids |= {rank: piece for piece, rank in loaded.model.ranks.items()}
    assert ids == {id: judge.decode_single_token_bytes(id) for id in ids}
    assert max(ids) == judge.max_token_value


WITHOUT_A = {piece: rank for piece, rank in RANKS.items() if piece != b"a"}


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        (file_of(RANKS) + b"dGg=\n", r"line 259: base64 and a rank are expected, not 'dGg='"),
        (file_of(RANKS) + b"dGg= 1 2\n", "line 259: base64 and a rank"),
        (file_of(RANKS) + b"d?Gg= 300\n", "line 259: base64 and a rank"),
        (file_of(RANKS) + b"dGg= x\n", "line 259: base64 and a rank"),
        (file_of(RANKS) + b"dGg= 300\n", r"line 259: b'th' has the rank 256 already"),
        (b'{"model": {}}', "line 1: base64 and a rank are expected"),
        (b"", "256 of the 256 bytes have no rank, first 0x00"),
        (WITHOUT_A, "1 of the 256 bytes have no rank, first 0x61"),
        ({**RANKS, b"": 400}, "non-empty bytes are expected, not b''"),
        ({**RANKS, "x": 400}, "non-empty bytes are expected, not 'x'"),
        ({**RANKS, b"he": -1}, "b'he' has the rank -1, not an integer"),
        ({**RANKS, b"he": 2**32}, "b'he' has the rank 4294967296, not an integer"),
        ({**RANKS, b"he": True}, "b'he' has the rank True, not an integer"),
        ({**RANKS, b"he": 256}, "b'he' and b'th' have the same rank 256"),
    ],
)
def test_malformed_ranks(ranks: Any, message: str):
    with pytest.raises(InvalidTokenizerFile, match=message):
        from_ranks(ranks, PATTERN, SPECIAL)


@pytest.mark.parametrize("ranks", [WITHOUT_A, {**RANKS, b"he": 256}])
def test_tiktoken_cannot_use_such_ranks_either(ranks: dict[bytes, int]):
    with pytest.raises(BaseException) as panic:  # noqa: PT011 - a panic is not an Exception
        encoding(ranks).encode_ordinary("that")
    assert "PanicException" in type(panic.value).__name__


@pytest.mark.parametrize(
    ("special_tokens", "message"),
    [
        ({"": 300}, "a special token without content"),
        ({"<|x|>": 256}, "the id 256 belongs to b'th' already"),
        ({"<|x|>": 300, "<|y|>": 300}, r"special_tokens.<\|y\|>: the id 300 belongs to '<\|x\|>' already"),
        ({"<|x|>": -1}, "an integer from 0"),
        ({"<|x|>": "300"}, "an integer is expected, not a string: '300'"),
    ],
)
def test_malformed_special_tokens(special_tokens: Any, message: str):
    with pytest.raises(InvalidTokenizerFile, match=message):
        from_ranks(RANKS, PATTERN, special_tokens)


def test_what_is_not_supported_is_named():
    with pytest.raises(UnsupportedTokenizer) as refused:
        from_ranks(RANKS, r"(\p{L})\1+", {"<|x|>": 300, "<|x|>y": 301, "<|y|>": 302})
    assert [problem.field for problem in refused.value.problems] == ["pattern", "special_tokens.<|x|>y"]


@pytest.mark.parametrize(
    ("pattern", "special_tokens"),
    [(None, SPECIAL), ("[\ud800]", SPECIAL), (PATTERN, {b"<|x|>": 300}), (PATTERN, {"<|\udc00|>": 300})],
)
def test_a_pattern_or_a_literal_that_is_no_text(pattern: Any, special_tokens: Any):
    with pytest.raises(InvalidText):
        from_ranks(RANKS, pattern, special_tokens)
