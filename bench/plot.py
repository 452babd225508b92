"""The picture of the results: every engine's speed, cold and warm, on every kind of text."""

from __future__ import annotations

from pathlib import Path

from bench.engines import OURS
from bench.result import FOLDER, Result, load

_COLOURS = {OURS: "#c8102e"}


def plot(family: str, size: str = "1 MB") -> Path:
    """Draw `bench/results/encode.json` for one family; the path of the picture, which is there if there is
    anything to draw.

    Raises ImportError without matplotlib, FileNotFoundError before `python -m bench encode`.
    """
    from matplotlib.figure import Figure

    results = [r for r in load(FOLDER / "encode.json") if r.family == family and r.case.endswith(f", {size}")]
    states = [state for state in ("cold", "unseen", "warm") if any(r.case.startswith(state) for r in results)]
    path = FOLDER / f"encode-{family}.svg"
    if not states:
        return path
    figure = Figure(figsize=(4.2 * len(states), 3.6), layout="constrained")
    axes = figure.subplots(1, len(states), squeeze=False)[0]
    for state, axis in zip(states, axes, strict=True):
        _bars(axis, [r for r in results if r.case.startswith(state)])
        axis.set_title(state)
    axes[0].set_ylabel("MB/s, one core")
    axes[0].legend(fontsize="small")
    figure.suptitle(f"{family}, {size}: every output equal to the reference's")
    figure.savefig(path)
    return path


def _bars(axis: object, results: list[Result]) -> None:
    texts = list(dict.fromkeys(r.text for r in results))
    engines = list(dict.fromkeys(r.engine for r in results if r.samples))
    width = 0.85 / max(1, len(engines))
    for number, engine in enumerate(engines):
        bars = {r.text: r.middle for r in results if r.engine == engine and r.samples}
        places = [texts.index(text) + (number - len(engines) / 2) * width for text in bars]
        colour = _COLOURS.get(engine, f"{0.35 + 0.5 * number / len(engines):.2f}")
        axis.bar(places, list(bars.values()), width, align="edge", label=engine, color=colour)  # type: ignore[attr-defined]
    axis.set_xticks(range(len(texts)), texts, fontsize="small")  # type: ignore[attr-defined]
