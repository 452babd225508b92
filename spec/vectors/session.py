"""Vectors for `Spec/Session.lean` and `Spec/Pipeline.lean`: texts, edits and patches of a small tokenizer."""

from __future__ import annotations

import random
from collections.abc import Iterator

from spec.vectors import lean_text as lean
from spec.vectors.small import ALPHABET, definitions, text, tokenizer
from verified_tok.tokenizer import Tokenizer

TEXTS = ("", "a", "ab aba", "<a>", "\n<a>", "a<a>b", "<<a>>", "ab\n\n ab", "a \n", "  aba  <b")
RANDOM_TEXTS = 6
EDITS = 12
CONCATS = 3


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/Session.lean`."""
    imports = [f"VerifiedTok.Spec.{name}" for name in ("Pipeline", "Session", "Tables")]
    return lean.module("Whole texts, edits and patches", imports, _body())


def _body() -> Iterator[str]:
    tok, rng = tokenizer(), random.Random("session")
    yield from definitions()
    yield "/-! Texts -/"
    for s in (*TEXTS, *(_text(rng, 4, 12) for _ in range(RANDOM_TEXTS))):
        yield lean.example(f"small.encode {text(s)}", lean.nats(tok.encode(s).tolist()))
    yield ""
    yield "/-! Seams -/"
    yield "def seams : List (Nat × Nat) :="
    seams = [(x, y) for x in ALPHABET for y in ALPHABET if tok.seams().is_seam(x, y)]
    yield f"  {lean.pairs((ord(x), ord(y)) for x, y in seams)}"
    yield "def pair (x y : Nat) : Bool := seams.contains (x, y)"
    yield "def subset (p q : Nat → Bool) : Bool := alphabet.all fun c => !p c || q c"
    yield lean.example(
        "alphabet.flatMap (fun x => (alphabet.filter fun y =>\n"
        "      isSeam subset small.stages x y && !holdsPair small.literals x y).map (x, ·))",
        "seams",
    )
    yield ""
    yield "def parts (p : Patch) := (p.keepFront, p.new, p.keepBack)"
    yield "def both (s : Session Nat) := (s.text, s.ids)"
    yield ""
    yield "/-! Edits -/"
    for _ in range(EDITS):
        yield from _edit(tok, rng)
    yield "/-! Two texts become one -/"
    for _ in range(CONCATS):
        yield from _concat(tok, rng)


def _text(rng: random.Random, least: int, most: int) -> str:
    return "".join(rng.choices(ALPHABET, k=rng.randint(least, most)))


def _edit(tok: Tokenizer, rng: random.Random) -> Iterator[str]:
    old, new = _text(rng, 6, 11), _text(rng, 0, 3)
    start, stop = sorted(rng.choices(range(len(old) + 1), k=2))
    session = tok.session(old)
    ids, spans = session.ids.tolist(), session.spans.tolist()
    patch = session.edit(start, stop, new)
    # The tokens cover the text, so those that are kept end and begin at the cuts that the session took.
    lo = spans[patch.keep_front - 1][1] if patch.keep_front else 0
    hi = spans[len(ids) - patch.keep_back][0] if patch.keep_back else len(old)
    lean_patch = f"⟨{patch.keep_front}, {lean.nats(patch.new.tolist())}, {patch.keep_back}⟩"
    before, put = f"⟨{text(old)}, {lean.nats(ids)}⟩", text(new)
    given = f"editPatch small.encode {before} {start} {stop} {put} {lo} {hi}"
    yield lean.example(f"parts (Session.{given})", f"parts {lean_patch}")
    yield lean.example(f"Patch.apply {lean_patch} {lean.nats(ids)}", lean.nats(session.ids.tolist()))
    near = f"Session.editNear pair small.encode {before} {start} {stop} {put}"
    yield lean.example(f"both ({near})", f"both ⟨{text(session.text)}, {lean.nats(session.ids.tolist())}⟩")
    yield ""


def _concat(tok: Tokenizer, rng: random.Random) -> Iterator[str]:
    first, second = _text(rng, 3, 9), _text(rng, 3, 9)
    s, t = tok.session(first), tok.session(second)
    listed = " ".join(f"⟨{text(one.text)}, {lean.nats(one.ids.tolist())}⟩" for one in (s, t))
    s.concat(t)
    is_seam = tok.seams().is_seam
    lo = next((p for p in range(len(first) - 1, 0, -1) if is_seam(*first[p - 1 : p + 1])), 0)
    hi = next((p for p in range(1, len(second)) if is_seam(*second[p - 1 : p + 1])), len(second))
    yield lean.example(f"cutBefore pair {text(first)} {len(first) - 1}", str(lo))
    yield lean.example(f"cutAfter pair {text(second)} {len(second) - 1} 1", str(hi))
    yield lean.example(
        f"both (Session.concat small.encode {listed} {lo} {hi})",
        f"both ⟨{text(s.text)}, {lean.nats(s.ids.tolist())}⟩",
    )
    yield ""
