"""What the core and the reference must agree on, each about one random input."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from judge import survivor

import verified_tok as vt
from fuzz import inputs
from fuzz.oracle import Reference
from verified_tok.peer import Peer


class Disagreement(AssertionError):
    """The core says something else than the reference."""


@dataclass(frozen=True)
class Subject:
    """One tokenizer in the kit, in another engine if that reads its file, and in the reference."""

    name: str
    tok: vt.Tokenizer
    peer: Peer | None
    reference: Reference
    ids: list[int]

    @classmethod
    def of(cls, name: str, tok: vt.Tokenizer, peer: Peer | None) -> Subject:
        reference = Reference(tok.spec)
        return cls(name, tok, peer, reference, sorted(reference.texts))


Check = Callable[[Subject, Any], None]
"""Raises Disagreement."""


@dataclass(frozen=True)
class Claim:
    """Draws an input; `holds` looks at it. Inputs that are strings can be made smaller."""

    draw: Callable[[random.Random, Subject], Any]
    holds: Check
    weight: int
    """How often it is drawn, beside the others."""


def _equal(what: str, ours: object, theirs: object) -> None:
    if ours != theirs:
        raise Disagreement(f"{what}: {_short(ours)}, and by the reference {_short(theirs)}")


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) < 300 else f"{shown[:300]}…"


def _text(rng: random.Random, subject: Subject) -> str:
    return inputs.text(rng, subject.tok, subject.ids)


def _encoding(subject: Subject, text: str) -> None:
    tok, reference = subject.tok, subject.reference
    _equal("ids", tok.encode(text).tolist(), expected := reference.encode(text, reference.all))
    _equal("count", tok.count(text), len(expected))
    _equal(
        "ids without added tokens", tok.encode_ordinary(text).tolist(), reference.encode(text, frozenset())
    )


def _peer(subject: Subject, text: str) -> None:
    """Where the other engine panics, there is nothing to compare with."""
    expected = survivor(subject.peer.encode, text) if subject.peer is not None else None
    if expected is not None:
        _equal("ids, and by another engine", subject.tok.encode(text).tolist(), expected)


def _some_added_tokens(subject: Subject, text: str) -> None:
    some = frozenset(sorted(subject.reference.all)[::2])
    ours = subject.tok.encode(text, added_tokens=some).tolist()
    _equal("ids with some added tokens", ours, subject.reference.encode(text, some))


def _places(subject: Subject, text: str) -> None:
    ours, theirs = subject.tok.encode_with_spans(text), subject.reference.places(text, subject.reference.all)
    _equal("ids with places", ours.ids.tolist(), theirs.ids)
    _equal("spans of bytes", ours.byte_spans.tolist(), theirs.byte_spans)
    _equal("spans of characters", ours.char_spans.tolist(), theirs.char_spans)


def _pieces(subject: Subject, text: str) -> None:
    _equal("pieces", subject.tok.pre_tokenize(text), subject.reference.pieces(text))


def _batches(subject: Subject, texts: list[str]) -> None:
    tok, reference = subject.tok, subject.reference
    expected = [reference.encode(text, reference.all) for text in texts]
    for batch in (texts, np.array(texts, np.dtypes.StringDType())):
        ids, offsets = tok.encode_batch(batch)
        ours = [ids[start:stop].tolist() for start, stop in pairwise(offsets)]
        _equal(f"ids of a batch in a {type(batch).__name__}", ours, expected)
    theirs = [reference.decode(ids, False) for ids in expected]
    _equal("texts of a batch", tok.decode_batch(ids, offsets=offsets), theirs)


def _threads(subject: Subject, text: str) -> None:
    """Long enough to be cut at seams. On one thread it is what `_encoding` speaks about."""
    long = text * (600_000 // max(1, len(text)))
    alone = subject.tok.encode(long).tolist()
    _equal("ids by two threads", subject.tok.encode(long, threads=2).tolist(), alone)


def _decoding(subject: Subject, ids: list[int]) -> None:
    tok, reference = subject.tok, subject.reference
    for skip in (False, True):
        expected = reference.decode(ids, skip)
        _equal("text", tok.decode(ids, skip_special_tokens=skip), expected)
        _equal("bytes", tok.decode_bytes(ids, skip_special_tokens=skip), reference.decode_bytes(ids, skip))
        stream = tok.decode_stream(skip_special_tokens=skip)
        _equal("text of a stream", "".join([*map(stream.put, ids), stream.finish()]), expected)


def _session(subject: Subject, script: list[tuple[float, float, str]]) -> None:
    """Edits: where, how much goes, what comes."""
    session, text = subject.tok.session(), ""
    for where, gone, new in script:
        start = round(where * len(text))
        stop = start + round(gone * (len(text) - start))
        before = session.ids.copy()
        text = text[:start] + new + text[stop:]
        patch = session.update(text) if where < 0.3 else session.edit(start, stop, new)
        expected = subject.reference.encode(text, subject.reference.all)
        _equal(f"ids after {new!r} for {start}:{stop}", session.ids.tolist(), expected)
        _equal("ids by the patch", patch.apply(before).tolist(), expected)
    theirs = subject.reference.places(text, subject.reference.all)
    _equal("spans of a session", session.byte_spans.tolist(), theirs.byte_spans)
    _equal("text of a session", session.text, text)


def _script(rng: random.Random, subject: Subject) -> list[tuple[float, float, str]]:
    def edits() -> Iterator[tuple[float, float, str]]:
        for _ in range(rng.randrange(1, 8)):
            where = rng.choice([1.0, rng.random()])
            yield where, rng.choice([0, 0, rng.random() ** 3]), _text(rng, subject)[:300]

    return list(edits())


CLAIMS = {
    "encoding": Claim(_text, _encoding, 12),
    "peer": Claim(_text, _peer, 4),
    "some added tokens": Claim(_text, _some_added_tokens, 4),
    "places": Claim(_text, _places, 4),
    "pieces": Claim(_text, _pieces, 2),
    "batches": Claim(
        lambda rng, subject: [_text(rng, subject) for _ in range(rng.randrange(9))], _batches, 2
    ),
    "threads": Claim(_text, _threads, 1),
    "decoding": Claim(lambda rng, subject: inputs.some_ids(rng, subject.ids), _decoding, 4),
    "sessions": Claim(_script, _session, 4),
}
"""By what they are about."""
