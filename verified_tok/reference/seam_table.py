"""The seams of a whole tokenizer, as a table over pairs of characters.

`Spec/Pipeline.lean` states what makes a pair of characters a seam (`Tokenizer.Seam`), and
`encode_append_of_seam` proves that such a pair cuts every text: no literal holds the two, the normalizer
works on both sides apart, and the patterns have a seam between what it makes of them. Tokenizers without a
pre-tokenizer have seams of another origin (`pairSeam_of_chars`): no merge joins the two.
What this module adds to the proof is the data: `verified_tok.tables` holds the probed character classes and
normal forms, and a flag of an added token takes away the pairs that it could act across.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, pairwise

import numpy as np
import numpy.typing as npt

from verified_tok.errors import InvalidText
from verified_tok.reference.charset import CharSet
from verified_tok.reference.classes import char_class
from verified_tok.reference.model import Encoder, complete, unmerged, without
from verified_tok.reference.normalizer import normalize_text
from verified_tok.reference.numbering import numbered
from verified_tok.reference.pattern import Pat, sets_in
from verified_tok.reference.pipeline import Pipeline
from verified_tok.reference.pre_tokenizer import Stage, cutting
from verified_tok.reference.regex import pat_of
from verified_tok.reference.seam import consumes, crosses, cuttable, is_seam
from verified_tok.reference.tables import FALLBACK_BYTES, FALLBACK_NAMES
from verified_tok.reference.unicode_form import (
    combining_classes,
    composites,
    compositions,
    decompose,
    decompositions,
    seconds,
)
from verified_tok.spec import (
    AddedToken,
    ByteLevel,
    Dialect,
    Literal,
    MergeBpe,
    Metaspace,
    Normalizer,
    Prepend,
    PreTokenizer,
    ReplaceAll,
    StripSpace,
    TokenizerSpec,
    UnicodeForm,
)
from verified_tok.text import check_text
from verified_tok.vocabulary import Merges, Vocabulary

_LIMIT = 0x110000
_SURROGATES = (0xD800, 0xE000)

NO, VOCABULARY, YES = 0, 1, 2
"""Whether the stages make a pair of classes a seam; `VOCABULARY`: if no merge joins the two characters."""
_UNKNOWN = 255


@dataclass(frozen=True)
class SeamTable:
    """Which pairs of neighbouring characters are seams, wherever they stand."""

    class_of: npt.NDArray[np.int32] = field(repr=False)
    """The class of every code point, shape (0x110000,); the patterns treat a class alike."""
    representatives: str
    """One character of each class."""
    parts: tuple[Stage, ...] = field(repr=False)
    """The stages that cut normalized text."""
    joined: bool
    """Whether what the stages leave whole may be cut where no merge joins two characters."""
    raw_pairs: frozenset[str] = field(repr=False)
    """The pairs that literals which match raw text hold."""
    normalized_pairs: frozenset[str] = field(repr=False)
    """The pairs that literals which match normalized text hold."""
    flagged: tuple[tuple[CharSet, CharSet], ...] = field(repr=False)
    """The pairs (one of the first set, one of the second) that a flag of an added token could act across."""
    normalizers: tuple[Normalizer, ...]
    """With what the pre-tokenizer's first stage does as one of them would, if it does so (`first_change`)."""
    changed: bool
    """Whether it does."""
    joins: VocabularyJoins | None = field(repr=False)
    _answers: npt.NDArray[np.uint8] = field(init=False, repr=False)
    """What `stages` holds, as far as it has been asked for: the analysis of a pair takes a tenth of a
    millisecond, and there may be hundreds of classes."""

    def __post_init__(self) -> None:
        size = len(self.representatives)
        object.__setattr__(self, "_answers", np.full((size, size), _UNKNOWN, dtype=np.uint8))

    @property
    def stages(self) -> npt.NDArray[np.uint8]:
        """What the stages say of each pair of classes, of normalized text: shape (classes, classes)."""
        for i, j in np.argwhere(self._answers == _UNKNOWN).tolist():
            self.answer(i, j)
        return self._answers

    def is_seam(self, x: str, y: str) -> bool:
        """Whether every text may be cut between the characters `x` and `y`: encoding both parts alone gives
        the same ids. Raises `InvalidText` if one of them is not a single character.
        """
        if len(check_text(x)) != 1 or len(check_text(y)) != 1:
            raise InvalidText(f"a seam is between two single characters, not between {x!r} and {y!r}")
        if x + y in self.raw_pairs or any(x in before and y in after for before, after in self.flagged):
            return False
        sides = beside(self.normalizers, x, y)
        return sides is not None and all(self._normalized(a, b) for a in sides[0] for b in sides[1])

    def _normalized(self, x: str, y: str) -> bool:
        if x + y in self.normalized_pairs:
            return False
        answer = self.answer(self.class_of[ord(x)], self.class_of[ord(y)])
        return answer == YES or (answer == VOCABULARY and self.joins is not None and self.joins.apart(x, y))

    def answer(self, i: int, j: int) -> int:
        """What the stages say of a pair of classes."""
        if self._answers[i, j] == _UNKNOWN:
            x, y = self.representatives[i], self.representatives[j]
            if is_seam(self.parts, x, y):
                self._answers[i, j] = YES
            elif self.joined and all(cuttable(stage, x, y) for stage in self.parts):
                self._answers[i, j] = VOCABULARY
            else:
                self._answers[i, j] = NO
        return int(self._answers[i, j])


def seam_table(spec: TokenizerSpec, pipeline: Pipeline, banned: Set[int]) -> SeamTable:
    """The seams of a tokenizer with the added tokens that `pipeline` has, and a model that never answers with
    a banned token."""
    parts, all_cut = stages_of(spec.pre_tokenizers)
    marks, prefixes = first_change(spec.pre_tokenizers)
    class_of, representatives = classes_of([stage.pat for stage in parts])
    encoder, joins = None, None
    if all_cut and isinstance(spec.model, MergeBpe):
        encoder = without(unmerged(spec.model), banned)
        joins = VocabularyJoins.of(spec.model, encoder)
    return SeamTable(
        class_of=class_of,
        representatives=representatives,
        parts=tuple(parts),
        joined=encoder is not None and not encoder.whole,
        raw_pairs=frozenset(pairs_in(pipeline.raw.tokens)),
        normalized_pairs=frozenset(
            pairs_in(normalize_text(marks, literal) for literal in pipeline.normalized.tokens)
        ),
        flagged=tuple(dict.fromkeys(_flagged(spec.normalizers, pipeline, prefixes))),  # most are alike
        normalizers=(*spec.normalizers, *marks),
        changed=prefixes or bool(marks),
        joins=joins,
    )


# --- literals ----------------------------------------------------------------------------------------


def pairs_in(literals: Iterable[str]) -> Iterator[str]:
    """The pairs of neighbouring characters in literals (`holdsPair`)."""
    for literal in literals:
        for x, y in pairwise(literal):
            yield x + y


def acts_across(literal: str, token: AddedToken, prepends: bool) -> Iterator[tuple[CharSet, CharSet]]:
    """The pairs between which what an added token does depends on the other side.

    A literal that takes white space takes it across the cut; one that must stand alone asks what stands
    beside it; and text after a literal begins a segment, which a normalizer that prepends something tells.
    """
    if not (token.lstrip or token.rstrip or token.single_word or prepends):
        return  # as of most: some tokenizers have thousands
    head, tail, everything = CharSet.of(literal[0]), CharSet.of(literal[-1]), ~CharSet()
    space, word = (char_class(f"literal {name}", Dialect.ONIGURUMA) for name in ("space", "word"))
    if token.lstrip:
        yield space, head | space
    if token.rstrip:
        yield tail | space, space
    if token.single_word:
        yield word, head
        yield tail, word
    if prepends:
        yield tail | (space if token.rstrip else CharSet()), everything


def _flagged(
    normalizers: Sequence[Normalizer], pipeline: Pipeline, prefixes: bool
) -> Iterator[tuple[CharSet, CharSet]]:
    """The pairs of characters of raw text that a flag could act across, for all literals.

    Literals that match normalized text ask what raw characters become, and text behind them is not normalized
    anew; but the pre-tokenizer may put a prefix before it.
    """
    for literal, token in pipeline.raw.tokens.items():
        yield from acts_across(literal, token, prefixes or Prepend in map(type, normalizers))
    for literal, token in pipeline.normalized.tokens.items():
        for before, after in acts_across(literal, token, prefixes):
            yield sources(normalizers, before, behind=False), sources(normalizers, after, behind=True)


# --- the normalizer ----------------------------------------------------------------------------------


def beside(normalizers: Iterable[Normalizer], x: str, y: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """What may stand beside the cut between `x` and `y` in normalized text; None if the two sides cannot be
    normalized apart.

    A `Prepend` is left out: text behind a cut does not begin a segment.
    """
    before, after = frozenset((x,)), frozenset((y,))
    for stage in normalizers:
        match stage:
            case UnicodeForm(form):
                if not all(begins_apart(form, c) for c in before | after):
                    return None
                if any(normalize_text((stage,), c) != c for c in before):
                    return None
                after = frozenset[str]().union(*(heads(form, c) for c in after))
            case ReplaceAll(Literal(text), content) if len(text) == len(content) == 1:
                before = frozenset(content if c == text else c for c in before)
                after = frozenset(content if c == text else c for c in after)
            case ReplaceAll(pattern, _):
                pat = pat_of(pattern)
                if any(c in consumes(pat) for c in before | after) or crosses(pat, x, y):
                    return None
            case StripSpace():
                if any(c in char_class("strip", Dialect.ONIGURUMA) for c in before | after):
                    return None
    return before, after


def begins_apart(form: str, char: str) -> bool:
    """Whether a normal form may be begun afresh at a character, whatever stands before it: its decomposition
    begins with a character of class 0 that composes with nothing before it."""
    head = _head(form, char)
    return head not in combining_classes() and head not in seconds()


def heads(form: str, char: str) -> frozenset[str]:
    """The characters that may begin the normal form of a text that begins with `char`."""
    return _may_become(_head(form, char))


@cache
def _may_become(char: str) -> frozenset[str]:
    """What a character may become by composing with those after it."""
    found: set[str] = set()
    fresh = {char}
    while fresh:
        found |= fresh
        fresh = {composite for head in fresh for composite in composites(head)} - found
    return frozenset(found)


def sources(normalizers: Sequence[Normalizer], chars: CharSet, behind: bool) -> CharSet:
    """The characters that may become one of `chars` beside a cut, before it or behind it; maybe some more."""
    if beside(normalizers, _NEUTRAL, _NEUTRAL) is None:
        return ~CharSet()
    found = set()
    for char in _touched(normalizers):
        sides = beside(normalizers, _NEUTRAL, char) if behind else beside(normalizers, char, _NEUTRAL)
        if sides is not None and any(side in chars for side in sides[behind]):
            found.add(char)
    hangul = _HANGUL if chars & _HANGUL else CharSet()
    return chars | CharSet.of("".join(found)) | hangul


_NEUTRAL = "\ue000"  # for private use, so no normal form changes it
_HANGUL = CharSet([(0x1100, 0x11FF), (0xAC00, 0xD7A3)])


def _touched(normalizers: Iterable[Normalizer]) -> Iterator[str]:
    """The characters that a normalizer may change or join with others, but for Hangul."""
    for stage in normalizers:
        match stage:
            case UnicodeForm(form):
                yield from decompositions(form == "NFKC")
                yield from (pair[0] for pair in compositions())
            case ReplaceAll(Literal(text), _) if len(text) == 1:
                yield text


def _head(form: str, char: str) -> str:
    return next(decompose([(char, (0, 1))], compatible=form == "NFKC"))[0]


# --- stages ------------------------------------------------------------------------------------------


def stages_of(pre_tokenizers: Iterable[PreTokenizer]) -> tuple[list[Stage], bool]:
    """The pre-tokenizer's stages that cut text, up to the first that spells its bytes, or that changes the
    pieces of others (see `first_change`); and whether there is none of those, so that what the stages leave
    whole is what the model gets."""
    stages: list[Stage] = []
    for place, stage in enumerate(pre_tokenizers):
        prefixes = isinstance(stage, ByteLevel) and stage.add_prefix_space
        if place > 0 and (prefixes or isinstance(stage, Metaspace)):
            return stages, False
        by = cutting(stage)
        if by:
            stages.append(by)
        if isinstance(stage, ByteLevel):
            return stages, False
    return stages, True


def first_change(pre_tokenizers: Sequence[PreTokenizer]) -> tuple[tuple[Normalizer, ...], bool]:
    """What a stage that no other stands before does to text as a normalizer would: which characters it
    changes, and whether it puts something before text that begins a segment or follows a literal.

    Text that goes on from other text gets nothing in front (`pipeline.encode_with_spans`).
    """
    match pre_tokenizers:
        case (ByteLevel(add_prefix_space), *_):
            return (), add_prefix_space
        case (Metaspace(mark, scheme, _), *_):
            return (ReplaceAll(Literal(" "), mark),), scheme == "always"
        case _:
            return (), False


def classes_of(patterns: Sequence[Pat]) -> tuple[npt.NDArray[np.int32], str]:
    """The coarsest classes of characters that the patterns cannot tell apart, and the first one of each.

    No set ends or begins between two edges, so one character stands for all of them.
    """
    sets = dict.fromkeys(chars for pat in patterns for chars in sets_in(pat))
    edges = [chars.edges for chars in sets]
    places = np.array(sorted({0, *_SURROGATES, *chain.from_iterable(edges)} - {_LIMIT}))
    members = np.array([np.searchsorted(each, places, side="right") % 2 for each in edges], dtype=np.uint8)
    characters = places != _SURROGATES[0]  # these are none, so they make no class
    kinds = members.T.reshape(len(places), len(edges))[characters]
    numbers, first = numbered(kind.tobytes() for kind in kinds)
    number = np.zeros(len(places), dtype=np.int32)
    number[characters] = numbers
    class_of = np.repeat(number, np.diff(places, append=_LIMIT))
    return class_of, "".join(map(chr, places[characters][first].tolist()))


# --- vocabularies without a pre-tokenizer ------------------------------------------------------------


@dataclass(frozen=True)
class VocabularyJoins:
    """Where the parts of a vocabulary's merges meet: merges cross no other pair of symbols (`NoJoin`)."""

    pairs: frozenset[tuple[str, str]]
    """What a merge's left part ends with, and what its right part begins with, for every merge: characters,
    and names of byte tokens such as `<0x0A>`."""
    known: frozenset[str]
    """The characters that have a token of their own, by which merging begins."""
    complete: bool
    """Whether all other characters become bytes, so that none is unknown."""

    @classmethod
    def of(cls, model: MergeBpe, encoder: Encoder) -> VocabularyJoins:
        """The joins of a model, whose symbols are characters and bytes."""
        vocab, [left, right, _] = Vocabulary.of(model.vocab), Merges.of(model.merges).ids.T
        ends, begins = _symbols_at(vocab, _LAST, left), _symbols_at(vocab, _FIRST, right)
        numbers = np.unique(ends << 32 | begins)  # far fewer than merges
        pairs = frozenset(
            (end, begin)
            for number in numbers.tolist()
            for end in _spelled(number >> 32, _LAST)
            for begin in _spelled(number & 0xFFFFFFFF, _FIRST)
        )
        return cls(pairs, frozenset(encoder.chars), complete(encoder))

    def apart(self, x: str, y: str) -> bool:
        """Whether no merge joins a token that ends with the last symbol of `x` and one that begins with the
        first symbol of `y` (`CharModel.Apart`).

        An unknown character may be joined with others, and its token may stand behind bytes that follow it;
        so both must have a token, unless no character is unknown.
        """
        if not self.complete and not (x in self.known and y in self.known):
            return False
        return (self._symbol(x, _LAST), self._symbol(y, _FIRST)) not in self.pairs

    def _symbol(self, char: str, place: int) -> str:
        """The first or the last symbol of a character, as the vocabulary spells it."""
        return char if char in self.known else FALLBACK_NAMES[char.encode()[place]]


_FIRST, _LAST = 0, -1
_NAME = len(FALLBACK_NAMES[0])


def _symbols_at(vocab: Vocabulary, place: int, tokens: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    """What tokens begin or end with: the number of a character, or, from `_LIMIT` on, of a byte whose name is
    there."""
    data, offsets, ids = vocab.flat
    texts = np.flatnonzero(offsets[1:] > offsets[:-1])
    codes = np.frombuffer(data.tobytes().decode().encode("utf-32-le"), np.uint32)
    char_of_byte = np.cumsum((data & 0xC0) != 0x80) - 1
    found = np.zeros(len(ids), np.int64)
    found[texts] = codes[char_of_byte[offsets[texts] if place == _FIRST else offsets[texts + 1] - 1]]
    for token in np.flatnonzero(found == ord("<" if place == _FIRST else ">")):
        text = data[offsets[token] : offsets[token + 1]]
        name = (text[:_NAME] if place == _FIRST else text[-_NAME:]).tobytes().decode(errors="replace")
        if name in FALLBACK_BYTES:
            found[token] = _LIMIT + FALLBACK_BYTES[name]
    order = np.argsort(ids)
    return found[order[np.searchsorted(ids, tokens, sorter=order)]]


def _spelled(symbol: int, place: int) -> Iterator[str]:
    """A symbol as pairs have it. Where a byte's name is, its last or first character may be meant too."""
    if symbol < _LIMIT:
        yield chr(symbol)
    else:
        yield from (FALLBACK_NAMES[symbol - _LIMIT], FALLBACK_NAMES[symbol - _LIMIT][place])
