"""Tokenizers by their name on the Hugging Face hub; needs the extra `hf`."""

from __future__ import annotations

from pathlib import Path

from verified_tok.errors import FetchError, InvalidOption, MissingDependency


def download(repo_id: str, revision: str | None) -> Path:
    """The path of a model repository's `tokenizer.json`. Raises `MissingDependency`, `FetchError`,
    `InvalidOption`."""
    if not isinstance(repo_id, str) or not isinstance(revision, str | None):
        raise InvalidOption(f"a repository and its revision are named by strs, not {repo_id!r}, {revision!r}")
    try:
        from huggingface_hub import hf_hub_download
    except ImportError as error:
        raise MissingDependency(
            "from_pretrained needs huggingface_hub: pip install 'verified-tok[hf]'"
        ) from error
    try:
        path = hf_hub_download(repo_id, "tokenizer.json", revision=revision)
    except (OSError, ValueError) as error:
        where = f"{repo_id!r}" + (f" at {revision!r}" if revision else "")
        raise FetchError(f"no tokenizer.json from the hub for {where}: {error}") from error
    return Path(path)
