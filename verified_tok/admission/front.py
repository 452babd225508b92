"""What happens to a text before the model: added tokens, normalizer, pre-tokenizer."""

from __future__ import annotations

from collections.abc import Iterator

from verified_tok.admission.layout import shown
from verified_tok.admission.report import StageReport, TableUse
from verified_tok.reference.classes import file_name
from verified_tok.reference.regex import pat_of
from verified_tok.reference.seam import covers
from verified_tok.reference.seam_table import classes_of
from verified_tok.reference.unicode_form import TABLE as NORMALIZATION
from verified_tok.spec import (
    ByteLevel,
    Dialect,
    Digits,
    Literal,
    MergeBpe,
    Metaspace,
    Normalizer,
    Prepend,
    PreTokenizer,
    Punctuation,
    Regex,
    ReplaceAll,
    Split,
    SplitBehavior,
    StripSpace,
    TokenizerSpec,
    UnicodeForm,
)

_CLASSES = file_name(Dialect.ONIGURUMA)

# --- added tokens ------------------------------------------------------------------------------------

_FLAGS = {
    "lstrip": "the white space before goes with the literal",
    "rstrip": "the white space behind goes with the literal",
    "single_word": "only where no word character stands beside it",
    "normalized": "looked for in normalized text, in a second pass",
    "special": "decoding leaves them out on request",
}


def added_tokens(spec: TokenizerSpec) -> StageReport:
    """The report on the added tokens."""
    tokens = spec.added_tokens
    if not tokens:
        return StageReport("added tokens", ("nothing: there are none",), "no literal is cut out of a text")
    flagged = {flag: [t for t in tokens if getattr(t, flag)] for flag in _FLAGS}
    does = [f"cuts out {len(tokens)} literals: at the leftmost place where one begins, the longest"]
    does += [f"{len(some)} {flag}: {_FLAGS[flag]}" for flag, some in flagged.items() if some]
    bounded = [t for flag in ("lstrip", "rstrip", "single_word") for t in flagged[flag]]
    facts = []
    if bounded:
        facts.append("the theorems speak of literals alone, not of what lstrip, rstrip and single_word add")
    if isinstance(spec.model, MergeBpe):
        why = "the ids are those that the reference engine computes; a file that gives others is refused"
        entries = [t.content for t in tokens if t.content in spec.model.vocab]
        if entries:
            facts.append(
                f"entries of the vocabulary among them: {shown(entries)}; their ids do not come out where "
                "added tokens are switched off, unless they are nothing but white space"
            )
    else:
        why = "no literal begins with another one, so the longest is the only one that can be meant"
    return StageReport(
        stage="added tokens",
        does=tuple(does),
        why=why,
        tables=(TableUse.of(_CLASSES),) if bounded else (),
        theorems=("longest_eq_some_iff", "extract_spells"),
        facts=tuple(facts),
    )


# --- normalizer --------------------------------------------------------------------------------------


def normalizer(spec: TokenizerSpec) -> StageReport:
    """The report on the normalizer."""
    if not spec.normalizers:
        return StageReport("normalizer", ("nothing: there is none",), "text is encoded as it stands")
    names = []
    for stage in spec.normalizers:
        match stage:
            case UnicodeForm():
                names.append(NORMALIZATION)
            case ReplaceAll(Regex(), _) | StripSpace():
                names.append(_CLASSES)
    return StageReport(
        stage="normalizer",
        does=tuple(map(_normalizing, spec.normalizers)),
        why="each segment between added tokens is normalized by itself, as in the reference engine; what "
        "characters do is taken from tables, never from another Unicode library",
        tables=tuple(TableUse.of(name) for name in dict.fromkeys(names)),
        facts=tuple(fact for stage in spec.normalizers if (fact := _lost_by(stage))),
    )


def _normalizing(stage: Normalizer) -> str:
    match stage:
        case UnicodeForm(form):
            return (
                f"brings text into {form} as the engine does: marks that are newer than it keep their order"
            )
        case ReplaceAll(pattern, content):
            return f"replaces {_pattern(pattern)} by {content!r}"
        case Prepend(text):
            return f"puts {text!r} in front of a segment that is not empty"
        case StripSpace(left, right):
            ends = " and ".join(name for name, on in (("front", left), ("end", right)) if on)
            return f"takes white space off the {ends} of a segment" if ends else "nothing: Strip of no side"


def _lost_by(stage: Normalizer) -> str | None:
    """What decoding cannot give back."""
    match stage:
        case UnicodeForm(form):
            return f"text that is not in {form} comes back in {form}"
        case ReplaceAll(pattern, content):
            return f"{content!r} in a text itself is not told from a replaced {_pattern(pattern)} in decoding"
        case StripSpace(left, right) if left or right:
            return "white space that is taken off does not come back"
        case _:
            return None


# --- pre-tokenizer -----------------------------------------------------------------------------------


def pre_tokenizer(spec: TokenizerSpec) -> StageReport:
    """The report on the pre-tokenizer."""
    stages = spec.pre_tokenizers
    if not stages:
        return StageReport(
            "pre-tokenizer",
            ("nothing: there is none",),
            "all text between two added tokens is one piece",
        )
    facts = [fact for stage in stages for fact in _lost_by_cutting(stage)]
    if (unused := _never_matches(spec)) is not None:
        facts.append(f"{unused!r} does not occur in normalized text, so the first stage never cuts")
    removing = [
        s for s in stages if isinstance(s, Split | Punctuation) and s.behavior is SplitBehavior.REMOVED
    ]
    keeps_matches = [s for s in removing if isinstance(s, Split) and s.invert]
    theorems = ["splitAll_ne_nil"]
    if not removing:
        theorems.append("splitAll_flatten")
    if any(_gap(s) is None for s in keeps_matches):
        theorems.append("firstMatch_of_covers")
    return StageReport(
        stage="pre-tokenizer",
        does=tuple(map(_cutting, stages)),
        why="a pattern is data whose list of successes is what a backtracking engine tries, in its order; "
        "the character classes are the engine's own",
        tables=tuple(TableUse.of(n) for n in dict.fromkeys(n for s in stages for n in _classes_of(s))),
        theorems=tuple(theorems),
        facts=tuple(facts),
    )


_BEHAVIOR = {
    SplitBehavior.REMOVED: "and drops it",
    SplitBehavior.ISOLATED: "and keeps it as a piece",
    SplitBehavior.MERGED_WITH_PREVIOUS: "and joins it to the piece before",
    SplitBehavior.MERGED_WITH_NEXT: "and joins it to the piece after",
    SplitBehavior.CONTIGUOUS: "and keeps neighbours of a kind together",
}


def _cutting(stage: PreTokenizer) -> str:
    match stage:
        case Split(pattern, behavior, invert, _):
            what = f"at all that is not {_pattern(pattern)}" if invert else f"at {_pattern(pattern)}"
            return f"cuts {what} {_BEHAVIOR[behavior]}"
        case ByteLevel(add_prefix_space, use_regex):
            prefix = "puts a space in front of a piece that has none; " if add_prefix_space else ""
            cut = "cuts by GPT-2's pattern; " if use_regex else ""
            return f"{prefix}{cut}writes each byte as its byte-level character"
        case Digits(individual_digits):
            how = "each a piece" if individual_digits else "runs of them a piece"
            return f"cuts numeric characters from the rest, {how}"
        case Punctuation(behavior):
            return f"cuts at each punctuation character {_BEHAVIOR[behavior]}"
        case Metaspace(replacement, prepend_scheme, split):
            prefix = {
                "always": f"puts {replacement!r} in front of every segment that has none; ",
                "first": f"puts {replacement!r} in front of the text if it has none; ",
                "never": "",
            }[prepend_scheme]
            cut = f" and cuts before each {replacement!r}" if split else ""
            return f"{prefix}writes a space as {replacement!r}{cut}"


def _classes_of(stage: PreTokenizer) -> tuple[str, ...]:
    match stage:
        case Split(Regex(), _, _, dialect):
            return (file_name(dialect),)
        case Digits() | Punctuation() | ByteLevel(use_regex=True):
            return (_CLASSES,)
        case _:
            return ()


def _lost_by_cutting(stage: PreTokenizer) -> Iterator[str]:
    match stage:
        case ByteLevel(add_prefix_space=True):
            yield "a text that does not begin with a space comes back with one in front"
        case Punctuation(SplitBehavior.REMOVED):
            yield "punctuation is dropped: decoding does not give it back"
        case Split(pattern, SplitBehavior.REMOVED, invert=False):
            yield f"the text of {_pattern(pattern)} is dropped: decoding does not give it back"
        case Split(_, SplitBehavior.REMOVED, invert=True):
            lost = _gap(stage)
            if lost is None:
                yield "the pattern matches at every character, so nothing is dropped"
            else:
                yield f"what the pattern does not match is dropped, as {lost!r} may be: it does not come back"


def _gap(stage: Split) -> str | None:
    """A character at which the pattern may fail to match; None if it matches at every character."""
    pat = pat_of(stage.pattern, stage.dialect)
    _, representatives = classes_of([pat])
    return next((char for char in representatives if not covers(pat, char)), None)


def _never_matches(spec: TokenizerSpec) -> str | None:
    """The character that the first stage cuts at, if the normalizer leaves none of it."""
    first, last = spec.pre_tokenizers[0], spec.normalizers[-1] if spec.normalizers else None
    match first, last:
        case Split(Literal(text)), ReplaceAll(Literal(replaced), content):
            return text if text == replaced and len(text) == 1 and text not in content else None
        case _:
            return None


def _pattern(pattern: Literal | Regex) -> str:
    if isinstance(pattern, Literal):
        return repr(pattern.text)
    return "/" + "".join(char if char.isprintable() else repr(char)[1:-1] for char in pattern.text) + "/"
