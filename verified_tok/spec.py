"""What a tokenizer is, as immutable data: the result of loading a file, before any of it runs.

The stages stand in the order in which text goes through them: added tokens, normalizer,
pre-tokenizer, model, post-processor; the decoder goes the other way.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A literal that is cut out of the text before the model sees it.

    `normalized` literals match normalized text, the others raw text. `lstrip` / `rstrip` let the match
    take white space beside it, `single_word` refuses a match beside a word character. `special` tokens
    are those that decoding can skip.
    """

    id: int
    content: str
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    normalized: bool = False
    special: bool = False


@dataclass(frozen=True, slots=True)
class Literal:
    """A pattern that is a plain string."""

    text: str


@dataclass(frozen=True, slots=True)
class Regex:
    """A pattern given as regular-expression text; `reference.regex.parse` turns it into a `Pat`."""

    text: str


class Dialect(enum.Enum):
    """Whose character classes a regular expression means: they differ between engines and versions."""

    ONIGURUMA = "oniguruma"  # Hugging Face tokenizers
    RUST_REGEX = "rust-regex"  # tiktoken


# --- normalizer stages -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UnicodeForm:
    """Unicode normalization as the reference engine does it; `form` is "NFC" or "NFKC", else ValueError."""

    form: str

    def __post_init__(self) -> None:
        if self.form not in ("NFC", "NFKC"):
            raise ValueError(f"the form is 'NFC' or 'NFKC', not {self.form!r}")


@dataclass(frozen=True, slots=True)
class ReplaceAll:
    """Every match of `pattern` becomes `content`."""

    pattern: Literal | Regex
    content: str


@dataclass(frozen=True, slots=True)
class Prepend:
    """`text` goes in front of a non-empty segment."""

    text: str


@dataclass(frozen=True, slots=True)
class StripSpace:
    """White space goes from the ends of a segment."""

    left: bool
    right: bool


Normalizer = UnicodeForm | ReplaceAll | Prepend | StripSpace

# --- pre-tokenizer stages ----------------------------------------------------------------------------


class SplitBehavior(enum.Enum):
    """What happens to the delimiters (the matches of a `Split`)."""

    REMOVED = "Removed"
    ISOLATED = "Isolated"
    MERGED_WITH_PREVIOUS = "MergedWithPrevious"
    MERGED_WITH_NEXT = "MergedWithNext"
    CONTIGUOUS = "Contiguous"


@dataclass(frozen=True, slots=True)
class Split:
    """Cut each piece at the matches of `pattern`; with `invert` the gaps are the delimiters."""

    pattern: Literal | Regex
    behavior: SplitBehavior
    invert: bool
    dialect: Dialect = Dialect.ONIGURUMA


@dataclass(frozen=True, slots=True)
class ByteLevel:
    """Map each UTF-8 byte to its printable character; with `use_regex` first cut by GPT-2's pattern."""

    add_prefix_space: bool
    use_regex: bool


@dataclass(frozen=True, slots=True)
class Digits:
    """Cut numeric characters from the rest, each alone if `individual_digits`."""

    individual_digits: bool


@dataclass(frozen=True, slots=True)
class Punctuation:
    """Cut at punctuation characters."""

    behavior: SplitBehavior


@dataclass(frozen=True, slots=True)
class Metaspace:
    """Spaces become `replacement`, and `split` cuts before each; `prepend_scheme` ("always", "first" or
    "never") says which pieces get one in front."""

    replacement: str
    prepend_scheme: str
    split: bool


PreTokenizer = Split | ByteLevel | Digits | Punctuation | Metaspace

# --- model -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class MergeBpe:
    """BPE with an explicit merge list (Hugging Face): a merge's rank is its place in the list.

    `vocab` maps a token's text to its id; the text is in byte-level characters or in plain text with
    byte-fallback entries such as `<0x0A>`. `merges` holds (left id, right id, result id).
    """

    vocab: Mapping[str, int]
    merges: Sequence[tuple[int, int, int]]
    ignore_merges: bool
    byte_fallback: bool
    unk_token: str | None
    fuse_unk: bool


@dataclass(frozen=True, slots=True, eq=False)
class RankBpe:
    """BPE by ranks of byte strings (tiktoken): two tokens merge if their concatenation has a rank, and
    that rank is the result's id. A piece that is itself an entry is that one id."""

    ranks: Mapping[bytes, int]


Model = MergeBpe | RankBpe

# --- decoder stages ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ByteLevelDecode:
    """Map printable characters back to bytes."""


@dataclass(frozen=True, slots=True)
class ReplaceDecode:
    """Replace a literal inside every token."""

    pattern: Literal
    content: str


@dataclass(frozen=True, slots=True)
class ByteFallbackDecode:
    """Tokens such as `<0x0A>` become the byte they name."""


@dataclass(frozen=True, slots=True)
class FuseDecode:
    """Join all tokens into one string before the stages that follow."""


@dataclass(frozen=True, slots=True)
class StripDecode:
    """Take at most `start` copies of `content` from the front and `stop` from the end."""

    content: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class MetaspaceDecode:
    """`replacement` becomes a space; the first is dropped unless `prepend_scheme` is "never"."""

    replacement: str
    prepend_scheme: str


Decoder = ByteLevelDecode | ReplaceDecode | ByteFallbackDecode | FuseDecode | StripDecode | MetaspaceDecode

# --- post-processor stages ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TrimOffsets:
    """The ByteLevel post-processor: leading and trailing white space leaves a token's character offsets.

    It changes no ids, and acts only when `trim_offsets` is set in the file.
    """

    add_prefix_space: bool


@dataclass(frozen=True, slots=True)
class Template:
    """Special tokens around a single text: ids before it and ids after it (`add_special_tokens=True`)."""

    before: tuple[int, ...]
    after: tuple[int, ...]


PostProcessor = TrimOffsets | Template


def around(stages: Iterable[PostProcessor]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The ids that `add_special_tokens` puts before and after a text."""
    templates = (stage for stage in stages if isinstance(stage, Template))
    return next(((stage.before, stage.after) for stage in templates), ((), ()))


@dataclass(frozen=True, slots=True, eq=False)
class TokenizerSpec:
    """A loaded tokenizer, named by the SHA-256 of the file (or rank table) that it came from.

    Two specs are the same tokenizer if and only if their `sha256` are equal. `pads_batches` says that the
    file asks for batches padded to their longest text; it concerns no text's own ids, and the kit never pads.
    A `RankBpe` has no decoder stages: its tokens are bytes as they stand.
    """

    sha256: str
    source: str  # "tokenizer.json" or "tiktoken"
    added_tokens: tuple[AddedToken, ...]
    normalizers: tuple[Normalizer, ...]
    pre_tokenizers: tuple[PreTokenizer, ...]
    model: Model
    decoders: tuple[Decoder, ...]
    post_processors: tuple[PostProcessor, ...]
    pads_batches: bool = False
    named: bool = field(default=False, init=False, repr=False)
    """Whether `sha256` is known to name just this content, as after loading; a copy with other parts is not
    so named."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TokenizerSpec) and self.sha256 == other.sha256

    def __hash__(self) -> int:
        return hash(self.sha256)
