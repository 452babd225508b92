"""Regular expressions, read by us and by the engines: the same cuts on hostile text, or a refusal."""

from __future__ import annotations

import itertools
import random
import unicodedata
from functools import cache

import pytest
from engines import TokenizersSplit, our_matches, our_spans, tiktoken_matches
from hostile import ATOMS, text
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from real_regexes import OF_FILES, OF_TIKTOKEN

from spec.tables import probe_tiktoken, probe_tokenizers
from verified_tok.errors import PatternError
from verified_tok.reference.charset import ALL, CharSet
from verified_tok.reference.classes import char_class
from verified_tok.reference.pattern import Chr, Eps, NotAhead, Pat, first_match, split
from verified_tok.reference.regex import DEPTH_LIMIT, parse, pat_of
from verified_tok.spec import Dialect, Literal, Regex

SCALARS = "".join(ALL)


def varied(rng: random.Random) -> list[str]:
    """All characters of the smaller categories, by Python, and some of the others, shuffled."""
    large = {"Ll", "Lo", "Cn", "Co", "Cs"}
    chars = [c for c in SCALARS if unicodedata.category(c) not in large] + rng.sample(SCALARS, 4000)
    rng.shuffle(chars)
    return chars


# --- the regexes of real tokenizers ------------------------------------------------------------------


@cache
def of_file(name: str) -> tuple[Pat, TokenizersSplit]:
    return parse(OF_FILES[name]), TokenizersSplit(OF_FILES[name])


@pytest.mark.parametrize("name", OF_FILES)
@settings(max_examples=300, deadline=None)
@given(sample=text())
def test_regexes_of_files_cut_as_tokenizers_does(name: str, sample: str) -> None:
    pat, engine = of_file(name)
    assert our_spans(pat, sample) == engine.spans(sample)


@pytest.mark.parametrize("name", OF_FILES)
def test_regexes_of_files_cut_characters_of_all_classes_as_tokenizers_does(name: str) -> None:
    """In random neighbourhoods, and each between a letter, a space, a digit or a stop."""
    pat, engine = of_file(name)
    rng = random.Random(name)
    chars = varied(rng)
    for sample in ("".join(chars), "".join(c + rng.choice("a 1.\n'") for c in chars)):
        assert our_spans(pat, sample) == engine.spans(sample)


@pytest.mark.parametrize("name", OF_TIKTOKEN)
def test_regexes_for_tiktoken_match_as_tiktoken_does(name: str) -> None:
    rng = random.Random(name)
    samples = ["".join(rng.choices(ATOMS, k=rng.randint(0, 9))) for _ in range(1500)]
    chars = varied(rng)
    samples += ["".join(chars[i : i + 8]) for i in range(0, len(chars), 8)]
    pat = parse(OF_TIKTOKEN[name], Dialect.RUST_REGEX)
    for sample, expected in zip(samples, tiktoken_matches(OF_TIKTOKEN[name], samples), strict=True):
        assert our_matches(pat, sample) == expected, ascii(sample)


# --- regexes of a grammar ----------------------------------------------------------------------------

members = [
    "a",
    "b",
    "k",
    "s",
    "t",
    "1",
    " ",
    "é",
    "ſ",
    "ß",
    r"\n",
    r"\r",
    r"\-",
    r"\]",
    r"\\",
    r"\x41",
    r"\u00e9",
]
properties = [
    r"\p{L}",
    r"\P{L}",
    r"\p{Lu}",
    r"\p{N}",
    r"\p{M}",
    r"\p{Han}",
    r"\s",
    r"\S",
    r"\d",
    r"\D",
    r"\w",
    r"\W",
]
ranges = ["a-k", "s-z", "0-9", "A-Z", "一-龥", r"\x61-\x66", "!-/", "-", r"\u0300-\u036f"]


def classes() -> st.SearchStrategy[str]:
    """Bracketed classes, with nesting and intersections."""
    union = st.lists(st.sampled_from([*members, *properties, *ranges[:-2]]), min_size=1, max_size=3).map(
        "".join
    )
    flat = st.builds("[{}{}]".format, st.sampled_from(["", "^"]), union)
    deep = st.lists(st.one_of(union, flat), min_size=1, max_size=2).map("".join)
    both = st.lists(deep, min_size=1, max_size=2).map("&&".join)
    return st.builds("[{}{}]".format, st.sampled_from(["", "^"]), both)


def regexes() -> st.SearchStrategy[str]:
    """Regular expressions, most of which the parser understands."""
    one = st.one_of(
        st.sampled_from([*members[:-2], *properties, ".", r"\z", "$", r"\.", "!"]).filter(lambda s: s != " "),
        classes(),
    )
    quantifiers = ["", "", "?", "*", "+", "{2}", "{1,3}", "{0,2}", "{2,}", "?+", "*+", "++", "{1,2}+"]
    repeated = st.builds("{}{}".format, one, st.sampled_from(quantifiers))
    ascii_words = st.sampled_from(
        ["'s", "'t|'re", "k", "ll", "[sdmt]|ll|ve|re", "[a-z]", "t+", "s?", "['’]d", "st"]
    )
    folded = ascii_words.map("(?i:{})".format)
    return st.recursive(
        st.one_of(repeated, folded),
        lambda inner: st.one_of(
            st.lists(inner, min_size=2, max_size=3).map("".join),
            st.lists(inner, min_size=2, max_size=3).map("|".join).map("(?:{})".format),
            st.builds("{}{})".format, st.sampled_from(["(?!", "(?=", "(?>", "(?:", "("]), inner),
            st.builds("(?:{}){}".format, inner, st.sampled_from(["?", "{2}", "{0,2}"])),
        ),
        max_leaves=6,
    )


short_texts = st.lists(
    st.sampled_from([*"abkst1²é ſß!-'’KST", "\n", "\r", "中", "ﬆ", "\u212a"]), max_size=8
).map("".join)


@pytest.mark.parametrize("dialect", Dialect)
@settings(max_examples=40, deadline=None)
@given(regex=st.one_of(classes(), st.sampled_from(properties)))
def test_a_class_that_is_understood_has_the_engines_members(dialect: Dialect, regex: str) -> None:
    """Of all scalar values."""
    pat = parsed(regex, dialect)
    assert isinstance(pat, Chr)
    engine = {
        Dialect.ONIGURUMA: probe_tokenizers.regex_class,
        Dialect.RUST_REGEX: probe_tiktoken.regex_class,
    }[dialect]
    assert engine(regex) == pat.chars


def parsed(regex: str, dialect: Dialect) -> Pat:
    try:
        return parse(regex, dialect)
    except PatternError:
        assume(False)
        raise


@settings(max_examples=1000, deadline=None)
@given(regexes(), st.lists(short_texts, min_size=1, max_size=6))
def test_what_is_understood_cuts_as_tokenizers_does(regex: str, samples: list[str]) -> None:
    pat, engine = parsed(regex, Dialect.ONIGURUMA), TokenizersSplit(regex)
    for sample in samples:
        assert our_spans(pat, sample) == engine.spans(sample)


@settings(max_examples=500, deadline=None)
@given(regexes(), st.lists(short_texts, min_size=1, max_size=6))
def test_what_is_understood_matches_as_tiktoken_does(regex: str, samples: list[str]) -> None:
    pat = parsed(regex, Dialect.RUST_REGEX)
    # tiktoken cannot encode an empty match.
    assume(not any(p.start == p.stop for sample in samples for p in split(pat, sample)))
    assert [our_matches(pat, sample) for sample in samples] == tiktoken_matches(regex, samples)


SCRAPS = [
    *["(", "(?:", "(?i:", "(?>", "(?!", "(?=", ")", "[", "[^", "]", "-", "&&", "^", "$", ".", "|", "?", "*"],
    *["+", "{", "}", "{2}", "{1,3}", "{,2}", "{2,}", ",", "1", "\\", r"\p{L}", r"\p{", r"\S", r"\s", r"\n"],
    *[r"\z", "s", "t", "k", "é", "ß", r"\x{", "[:alpha:]", "(?<", "(?i)", r"\b", r"\A", r"\1", "&", "--"],
    *["~~", "\n", " ", "'", r"\x41", r"\u0041", r"\x{1F600}", r"\h", r"\R", r"\X", r"\K", r"\-", r"\e"],
    *[r"\0", r"\c", r"\Z", "#", "<", ">"],
]
"""What a regular expression may be made of, understood or not."""


def scrambled(real: str) -> st.SearchStrategy[str]:
    """A real regex after a few accidents."""
    accident = st.tuples(st.integers(0, len(real)), st.integers(0, 3), st.sampled_from(["", *SCRAPS]))

    def apply(accidents: list[tuple[int, int, str]]) -> str:
        regex = real
        for at, length, scrap in accidents:
            regex = regex[:at] + scrap + regex[at + length :]
        return regex

    return st.lists(accident, min_size=1, max_size=3).map(apply)


anything = st.one_of(
    st.lists(st.sampled_from(SCRAPS), min_size=1, max_size=8).map("".join),
    st.sampled_from([r for r in OF_TIKTOKEN.values() if len(r) < 200]).flatmap(scrambled),
    st.sampled_from([r for r in OF_FILES.values() if len(r) < 200]).flatmap(scrambled),
)


@settings(max_examples=1000, deadline=None)
@given(anything, st.lists(st.one_of(short_texts, text(5)), min_size=1, max_size=4))
def test_nothing_is_accepted_that_tokenizers_reads_otherwise(regex: str, samples: list[str]) -> None:
    pat, engine = parsed(regex, Dialect.ONIGURUMA), TokenizersSplit(regex)
    for sample in samples:
        assert our_spans(pat, sample) == engine.spans(sample)


@settings(max_examples=500, deadline=None)
@given(anything, st.lists(st.one_of(short_texts, text(5)), min_size=1, max_size=4))
def test_nothing_is_accepted_that_tiktoken_reads_otherwise(regex: str, samples: list[str]) -> None:
    pat = parsed(regex, Dialect.RUST_REGEX)
    assume(not any(p.start == p.stop for sample in samples for p in split(pat, sample)))
    assert [our_matches(pat, sample) for sample in samples] == tiktoken_matches(regex, samples)


# --- what is refused, and where ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("regex", "position", "reason"),
    [
        ("a(b", 1, "the group is not closed"),
        ("a)b", 1, "unmatched parenthesis"),
        ("a[b", 1, "the class is not closed"),
        (r"\p{Lx}", 2, "the class 'Lx' is not in the probed tables"),
        (r"\p{L", 3, "expected '}'"),
        (r"\pL", 2, "expected '{'"),
        (r"a\b", 1, r"the escape \b is not understood"),
        (r"(a)\1", 3, r"the escape \1 is not understood"),
        ("(?<=a)b", 0, "this kind of group is not understood"),
        ("(?<name>a)", 0, "this kind of group is not understood"),
        ("(?i)a", 0, "this kind of group is not understood"),
        ("^a", 0, "'^' is not understood here"),
        ("a*?", 2, "lazy or repeated quantifier"),
        ("a**", 2, "lazy or repeated quantifier"),
        ("a{2}+", 5, "'+' after '}' repeats the repetition"),
        ("x(ab)*", 1, "unlimited repetition of more than one character class"),
        ("(?!a)?", 5, "nothing to repeat"),
        ("b(?:|a){2}", 7, "prefers to match nothing"),
        ("(?:a|(?>1|b*)){1,2}", 14, "or does so at some places only"),
        ("*a", 0, "'*' is not understood here"),
        ("a{3,1}", 1, "the bounds are in the wrong order"),
        ("a{,2}", 2, "expected a number"),
        ("a{1000}", 2, "more than 300 repetitions"),
        ("(?:(?:a?){200}b){200}", 0, "the pattern nests deeper than 300"),
        ("(" * 51 + ")" * 51, 50, "brackets nest deeper than 50"),
        ("[" * 3000, 50, "brackets nest deeper than 50"),
        ("a" * 3000, 0, "the pattern nests deeper than 300"),
        ("a|" * 3000, 0, "the pattern nests deeper than 300"),
        ("(?i:" + "a" * 3000 + ")", 0, "the pattern nests deeper than 300"),
        ("(?:" * 3 + "a" + "{90}){90}){90}){90}", 0, "the pattern nests deeper than 300"),
        ("[a-z-9]", 4, "'-' between members of a class must be escaped"),
        ("[z-a]", 1, "the range is in the wrong order"),
        (r"[\d-z]", 1, "this range is not understood"),
        ("[[:alpha:]]", 1, "a POSIX class is not understood"),
        ("[]a]", 1, "']' is not understood here"),
        ("[a&&]", 4, "']' is not understood here"),
        (r"[^[^\d\D]]", 0, "must hold a character beyond ASCII"),
        (r"\xe9", 0, "this escape of a code point is not understood"),
        (r"\ud800", 0, "no Unicode scalar value"),
        (r"\x{110000}", 0, "no Unicode scalar value"),
        (r"\x{}", 0, "expected hexadecimal digits"),
        ("(?i:ſ)", 4, "ignoring case is exact only for"),
        ("(?i:[^a])", 4, "ignoring case in a negated class"),
        ("(?i:[a-c&&b])", 4, "ignoring case in an intersection"),
        ("(?i:'st)", 6, "'st' would also match a single character"),
        ("(?i:(?:a|f)(?:i|b))", 11, "'fi' would also match a single character"),
        ("\\", 1, "the pattern ends too early"),
    ],
)
def test_a_refusal_shows_the_place(regex: str, position: int, reason: str) -> None:
    with pytest.raises(PatternError) as caught:
        parse(regex)
    assert reason in str(caught.value)
    assert caught.value.position == position
    assert caught.value.pattern == regex


def test_the_dialects_differ() -> None:
    line_end, possessive = "a$", "a{1,2}+a"
    assert first_match(parse(line_end, Dialect.ONIGURUMA), "a\n", 0) == 1
    assert first_match(parse(line_end, Dialect.RUST_REGEX), "a\n", 0) is None
    assert first_match(parse(possessive, Dialect.ONIGURUMA), "aa", 0) == 2
    assert first_match(parse(possessive, Dialect.RUST_REGEX), "aa", 0) is None
    with pytest.raises(PatternError):
        parse("(?i:ss)", Dialect.ONIGURUMA)
    assert first_match(parse("(?i:ss)", Dialect.RUST_REGEX), "ſS", 0) == 2


def test_groups_that_may_only_look_are_not_repeated() -> None:
    """Oniguruma refuses them, and so do we; a group that captures, or is atomic, is another thing."""
    for regex in (
        *(
            "(?:a|(?=b))?",
            "(?:(?!b)|a|c){2}",
            "(?:a|$)?",
            "(?:a|(?:(?=b)|c)){0,2}",
            "(?:(?=b)|)?",
            "(?:a|(?=b)){1}",
        ),
        *("(?:(?:a|(?=b)))?", "(?=b)?", "(?:(?=b))?"),
    ):
        with pytest.raises(PatternError, match="nothing to repeat"):
            parse(regex)
        with pytest.raises(Exception, match="target of repeat operator is invalid"):
            TokenizersSplit(regex)
    for regex in ("(a|(?=b))?", "(?>a|(?=b))?", "(?:a|(?=b)c)?", "(?:a|)?", "(?:(?=b)a|c)?"):
        for sample in ("ab", "b", "bca", "cab"):
            assert our_spans(parse(regex), sample) == TokenizersSplit(regex).spans(sample)
    assert parse("(?:a|(?=b))?", Dialect.RUST_REGEX)


choices = st.sampled_from(
    ["", "a", "1", "11", "b*", "a?", "[ab]?+", "(?!b)b*", "(?=1)", "(?>1|b*)", "(?:|ab)"]
)
repeated_choices = st.builds(
    "{}{}){}{}".format,
    st.sampled_from(["(", "(?:", "(?>"]),
    st.lists(choices, min_size=2, max_size=3).map("|".join),
    st.sampled_from(["{2}", "{1,3}", "{0,2}", "{12}", "?", "?+"]),
    st.sampled_from(["", "1", "1b", "(?!a)"]),
)
of_three_letters = [
    "".join(letters) for size in range(5) for letters in itertools.product("ab1", repeat=size)
]


@settings(max_examples=150, deadline=None)
@given(repeated_choices, repeated_choices)
def test_what_may_match_nothing_is_repeated_as_tokenizers_does_or_not_at_all(one: str, other: str) -> None:
    """Oniguruma's repetitions end with an empty one; so `(?:|a){2}` is not `(?:|a)(?:|a)`."""
    for regex in (one, f"(?:{one}|{other}){{2}}b"):
        try:
            pat = parse(regex)
        except PatternError:
            continue
        engine = TokenizersSplit(regex)
        for sample in of_three_letters:
            assert our_spans(pat, sample) == engine.spans(sample)


@pytest.mark.parametrize(
    "regex", ["(?:a?b?){2}1", "(?:ab|b*){1,3}a", "(?:a|){3}1", "(?:[ab]?1?){0,2}b", "((?=a)(?!b)){2}a"]
)
def test_what_would_rather_match_something_is_repeated(regex: str) -> None:
    for sample in of_three_letters:
        assert our_spans(parse(regex), sample) == TokenizersSplit(regex).spans(sample)


@pytest.mark.parametrize("regex", [r"\w", r"\W", r"[\w]", r"[\W]", r"[^\w\s]", r"[\w-]", r"[[\w]&&[^a]]"])
def test_a_word_character_is_another_in_brackets(regex: str) -> None:
    """Oniguruma's `[\\w]` lacks ² ³ ¹ ¼ ½ ¾, which its `\\w` holds; of every character."""
    pat = parse(regex)
    assert isinstance(pat, Chr)
    assert pat.chars == probe_tokenizers.regex_class(regex)


@pytest.mark.parametrize(
    "regex",
    [
        "[^b]?[^a]|[^b]?a",
        "xa*a|xa*b",
        "(?:a|b)c?c|[ab]c?d",
        "(?:xa?)b|xa?a",
        "x(?:a?b|a?a)",
        "(?:a{1,2}b|a+a)",
    ],
)
def test_what_the_rust_engine_takes_out_of_alternatives_is_refused(regex: str) -> None:
    with pytest.raises(PatternError, match="begin with the same choice"):
        parse(regex, Dialect.RUST_REGEX)
    assert our_spans(parse(regex), "kaxaab") == TokenizersSplit(regex).spans("kaxaab")


@pytest.mark.parametrize("regex", ["ab|ac", "'s|'t|'re", "a?b|c?b", "a?b|b", "(?:ab|cd)x|(?:ab|cd)y"])
def test_alternatives_that_begin_alike_in_one_length_are_not(regex: str) -> None:
    samples = ["ab", "acb", "cbb", "'re's", "abyabxcdy"]
    pat = parse(regex, Dialect.RUST_REGEX)
    assert [our_matches(pat, sample) for sample in samples] == tiktoken_matches(regex, samples)


def test_small_readings() -> None:
    assert parse("") == Eps()
    assert parse(r"\P{N}") == Chr(~char_class("N", Dialect.ONIGURUMA))
    assert parse("(?i:k)") == Chr(CharSet.of("kK\u212a"))
    assert parse("(?!a)") == NotAhead(Chr(CharSet.of("a")))
    assert pat_of(Regex("a+")) == parse("a+")
    assert [first_match(pat_of(Literal("a+")), t, 0) for t in ("a+", "aa")] == [2, None]


def test_a_literal_or_regex_at_the_limit_of_depth_still_matches() -> None:
    long = "ab" * (DEPTH_LIMIT // 2)
    assert first_match(pat_of(Literal(long)), long, 0) == DEPTH_LIMIT
    assert first_match(parse(long), long, 0) == DEPTH_LIMIT
    for refused in (Literal(long + "a"), Regex(long + "a")):
        with pytest.raises(PatternError):
            pat_of(refused)
