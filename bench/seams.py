"""How far it is to the next seam, in real text: what an edit has to encode beside what changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer
from rich.console import Console
from rich.table import Table

from spec.campaign.texts import programs, translations
from verified_tok.fetch import open_family
from verified_tok.reference.pattern import Eps, Seq
from verified_tok.reference.pre_tokenizer import Stage
from verified_tok.reference.seam_table import SeamTable
from verified_tok.tokenizer import Tokenizer

FAMILIES = (
    *("qwen3", "qwen3.5", "gpt-oss", "llama-3.1", "deepseek-v3", "glm-4", "minimax", "gpt2"),
    *("claude", "gemma-3", "llama-2", "mistral-7b-v0.1"),
)
PER_TEXT = 6000
_TRANSLATED = re.compile(r'^msgstr(?:\[\d\])? "(.+)"$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Distances:
    """The distance from every place of a text to the next seam, in characters: 0 at a seam."""

    mean: float
    percentile_99: float
    largest: int

    @classmethod
    def of(cls, distances: npt.NDArray[np.int64]) -> Distances:
        """What is told of them."""
        return cls(float(distances.mean()), float(np.percentile(distances, 99)), int(distances.max()))

    def cells(self) -> tuple[str, str, str]:
        """The numbers as text."""
        return f"{self.mean:.2f}", f"{self.percentile_99:.0f}", str(self.largest)


def seams(
    families: Annotated[list[str] | None, typer.Argument(help="Names of families; many if none.")] = None,
    worst: Annotated[int, typer.Option("--worst", min=0, help="Show so many of the worst languages.")] = 3,
) -> None:
    """Print how far the next seam is, in real text, for the plain analysis and for the sharper one."""
    measured = Table(
        "", "text", *(f"{kind}\n{n}" for kind in ("plain", "sharp") for n in ("mean", "99%", "max"))
    )
    measured.add_column("farthest")
    for name in families or FAMILIES:
        tok = open_family(name)
        tables = plain_table(tok), tok.seams()
        for kind, texts in (("prose", languages()), ("code", sources())):
            plain, sharp = ([distances(table, text) for text in texts.values()] for table in tables)
            ranked = sorted(zip((far.mean() for far in sharp), texts, strict=True), reverse=True)
            measured.add_row(
                name,
                kind,
                *Distances.of(np.concatenate(plain)).cells(),
                *Distances.of(np.concatenate(sharp)).cells(),
                ", ".join(f"{text} {mean:.1f}" for mean, text in ranked[:worst]) if kind == "prose" else "",
            )
    Console().print(measured)


def languages() -> Mapping[str, str]:
    """Text in each of many languages: the sentences of a program's interface, one a line."""
    found = {name: "\n".join(_TRANSLATED.findall(text)) for name, text in translations().items()}
    return {name: text[-PER_TEXT:] for name, text in found.items() if text}


def sources() -> Mapping[str, str]:
    """Parts of programs."""
    return {name: text[:PER_TEXT] for name, text in programs().items() if text}


def plain_table(tok: Tokenizer) -> SeamTable:
    """The tokenizer's table by `crosses` alone.

    A pattern followed by nothing is the same pattern, but its alternatives are hidden from what would look
    for one that an earlier one shields (`stable`).
    """
    table = tok.seams()
    hidden = (Stage(Seq(stage.pat, Eps()), stage.behaviour, stage.invert) for stage in table.parts)
    return replace(table, parts=tuple(hidden))


def distances(table: SeamTable, text: str) -> npt.NDArray[np.int64]:
    """From every place inside a text, how many characters it is to the next seam or the end."""
    places = np.flatnonzero([*_are_seams(table, text), True])
    at = np.arange(len(text))
    return places[np.searchsorted(places, at)] - at


def _are_seams(table: SeamTable, text: str) -> Iterable[bool]:
    known: dict[str, bool] = {}
    for at in range(1, len(text)):
        pair = text[at - 1 : at + 1]
        if pair not in known:
            known[pair] = table.is_seam(pair[0], pair[1])
        yield known[pair]
