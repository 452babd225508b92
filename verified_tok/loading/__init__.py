"""From tokenizer files to `TokenizerSpec`: every construct is read exactly or refused by name."""

from verified_tok.loading.hub import from_pretrained
from verified_tok.loading.ranks import from_ranks
from verified_tok.loading.tokenizer_json import load_json

__all__ = ["from_pretrained", "from_ranks", "load_json"]
