"""Vectors for `Spec/Session.lean` and `Spec/Pipeline.lean`: texts, edits and patches, of two tokenizers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from spec.vectors import lean_text as lean
from spec.vectors import small
from spec.vectors.small import text
from verified_tok.tokenizer import Tokenizer

TEXTS = ("", "a", "ab aba", "<a>", "\n<a>", "a<a>b", "<<a>>", "ab\n\n ab", "a \n", "  aba  <b")
MARKED_TEXTS = (
    *("", "a", " ", "ab", " ab", "  ab a", "éab", "abé é", "<a", "<a b", "a<a  b", ">b", "a>b", ">ba"),
    *("ab >b b", " >< ", "a ><b", "<a ><a", "é<a ab><b", "<a<a a"),
)
RANDOM_TEXTS = 6
EDITS = 8
CONCATS = 2


@dataclass(frozen=True)
class Subject:
    """A tokenizer, its Lean names, and the characters of texts for it."""

    tok: Tokenizer
    lean: str
    """The tokenizer."""
    encoder: str
    """Its `PartEncoder`."""
    pair: str
    """Its seams."""
    alphabet: str

    def text(self, rng: random.Random, least: int, most: int) -> str:
        """A random text."""
        return "".join(rng.choices(self.alphabet, k=rng.randint(least, most)))

    def seams(self) -> list[tuple[str, str]]:
        """The pairs of characters that are seams."""
        is_seam = self.tok.seams().is_seam
        return [(x, y) for x in self.alphabet for y in self.alphabet if is_seam(x, y)]


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/Session.lean`."""
    imports = [f"VerifiedTok.Spec.{name}" for name in ("Model", "Session", "Tables")]
    return lean.module("Whole texts, edits and patches", imports, _body())


def _body() -> Iterator[str]:
    plain = Subject(small.tokenizer(), "small", "smallPart", "smallSeam", small.ALPHABET)
    marked = Subject(small.marked_tokenizer(), "marked", "markedPart", "markedSeam", small.MARKED_ALPHABET)
    yield from small.definitions()
    yield "def smallPart : PartEncoder Nat := small.encodePart small.normalize"
    yield from small.marked_definitions()
    yield "def markedPart : PartEncoder Nat := marked.encodePart (normalizeEach mark)"
    yield "def parts (p : Patch) := (p.keepFront, p.new, p.keepBack)"
    yield "def both (s : Session Nat) := (s.text, s.ids)"
    yield ""
    for subject in (plain, marked):
        yield f"def {subject.pair}s : List (Nat × Nat) :="
        yield f"  {lean.pairs((ord(x), ord(y)) for x, y in subject.seams())}"
        yield f"def {subject.pair} (x y : Nat) : Bool := {subject.pair}s.contains (x, y)"
    yield "def subset (p q : Nat → Bool) : Bool := alphabet.all fun c => !p c || q c"
    yield lean.example(
        "alphabet.flatMap (fun x => (alphabet.filter fun y =>\n"
        "      isSeam subset small.stages x y && !holdsPair small.literals x y).map (x, ·))",
        "smallSeams",
    )
    yield ""
    for subject, texts in ((plain, TEXTS), (marked, MARKED_TEXTS)):
        yield from _examples(subject, texts)


def _examples(subject: Subject, texts: tuple[str, ...]) -> Iterator[str]:
    rng = random.Random(subject.lean)
    yield "/-! Texts -/"
    for s in (*texts, *(subject.text(rng, 4, 12) for _ in range(RANDOM_TEXTS))):
        yield lean.example(f"{subject.lean}.encode {text(s)}", lean.nats(subject.tok.encode(s).tolist()))
    yield ""
    yield "/-! Edits -/"
    for _ in range(EDITS):
        yield from _edit(subject, rng)
    yield "/-! Two texts become one -/"
    for _ in range(CONCATS):
        yield from _concat(subject, rng)
    yield "/-! Chunks between seams -/"
    yield from _chunks(subject, rng)


def _edit(subject: Subject, rng: random.Random) -> Iterator[str]:
    old, new = subject.text(rng, 6, 11), subject.text(rng, 0, 3)
    start, stop = sorted(rng.choices(range(len(old) + 1), k=2))
    session = subject.tok.session(old)
    ids, spans = session.ids.tolist(), session.spans.tolist()
    patch = session.edit(start, stop, new)
    # The tokens cover the text, so those that are kept end and begin at the cuts that the session took.
    lo = spans[patch.keep_front - 1][1] if patch.keep_front else 0
    hi = spans[len(ids) - patch.keep_back][0] if patch.keep_back else len(old)
    lean_patch = f"⟨{patch.keep_front}, {lean.nats(patch.new.tolist())}, {patch.keep_back}⟩"
    before, put = f"⟨{text(old)}, {lean.nats(ids)}⟩", text(new)
    given = f"editPatch {subject.encoder} {before} {start} {stop} {put} {lo} {hi}"
    yield lean.example(f"parts (Session.{given})", f"parts {lean_patch}")
    yield lean.example(f"Patch.apply {lean_patch} {lean.nats(ids)}", lean.nats(session.ids.tolist()))
    near = f"Session.editNear {subject.pair} {subject.encoder} {before} {start} {stop} {put}"
    yield lean.example(f"both ({near})", f"both ⟨{text(session.text)}, {lean.nats(session.ids.tolist())}⟩")
    yield ""


def _concat(subject: Subject, rng: random.Random) -> Iterator[str]:
    first, second = subject.text(rng, 3, 9), subject.text(rng, 3, 9)
    s, t = subject.tok.session(first), subject.tok.session(second)
    listed = " ".join(f"⟨{text(one.text)}, {lean.nats(one.ids.tolist())}⟩" for one in (s, t))
    s.concat(t)
    is_seam = subject.tok.seams().is_seam
    lo = next((p for p in range(len(first) - 1, 0, -1) if is_seam(*first[p - 1 : p + 1])), 0)
    hi = next((p for p in range(1, len(second)) if is_seam(*second[p - 1 : p + 1])), len(second))
    yield lean.example(f"cutBefore {subject.pair} {text(first)} {len(first) - 1}", str(lo))
    yield lean.example(f"cutAfter {subject.pair} {text(second)} {len(second) - 1} 1", str(hi))
    yield lean.example(
        f"both (Session.concat {subject.encoder} {listed} {lo} {hi})",
        f"both ⟨{text(s.text)}, {lean.nats(s.ids.tolist())}⟩",
    )
    yield ""


def _chunks(subject: Subject, rng: random.Random) -> Iterator[str]:
    s = subject.text(rng, 12, 14)
    seams = [p for p in range(1, len(s)) if subject.tok.seams().is_seam(s[p - 1], s[p])]
    places = [0, *seams[::2], len(s)]
    chunks = ", ".join(text(s[a:b]) for a, b in pairwise(places))
    ids = lean.nats(subject.tok.encode(s).tolist())
    yield lean.example(f"encodeChunks {subject.encoder} false [{chunks}]", ids)
    yield ""
