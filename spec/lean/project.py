"""What is checked: a Lake project beside a manifest of theorems."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .errors import LeanToolError

REPOSITORY = Path(__file__).resolve().parents[2]

LIBRARY_KEYS = frozenset({"name"})
PACKAGE_KEYS = frozenset(
    {"name", "version", "description", "keywords", "license", "defaultTargets", "lean_lib"}
)
"""The lakefile may say no more: options there (`leanOptions`, `moreLeanArgs`) could weaken the kernel."""


@dataclass(frozen=True)
class Problem:
    """One reason for the check to fail: where (a path with line and column, or a name), and what."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True)
class Project:
    """A directory with `lean/` (a Lake project) and `spec/theorems.toml` (the manifest; it may be absent)."""

    root: Path

    @property
    def lean(self) -> Path:
        """The Lake project."""
        return self.root / "lean"

    @property
    def manifest(self) -> Path:
        """The list of theorems that must exist."""
        return self.root / "spec" / "theorems.toml"

    def relative(self, path: Path) -> str:
        """`path` as it is printed: from the project's root if it lies below it, with forward slashes."""
        return (path.relative_to(self.root) if path.is_relative_to(self.root) else path).as_posix()

    def lakefile(self) -> dict[str, object]:
        """The parsed lakefile. Raises LeanToolError when there is none."""
        path = self.lean / "lakefile.toml"
        try:
            return tomllib.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            raise LeanToolError(
                f"{path}: no such file; --project must name a directory that holds lean/lakefile.toml"
            ) from None
        except tomllib.TOMLDecodeError as error:
            raise LeanToolError(f"{path}: {error}") from None

    def library(self) -> str:
        """The name of the one library, which is also its root module. Raises LeanToolError."""
        libraries = self.lakefile().get("lean_lib")
        if isinstance(libraries, list) and len(libraries) == 1 and isinstance(libraries[0].get("name"), str):
            name: str = libraries[0]["name"]
            return name
        raise LeanToolError(f"{self.lean / 'lakefile.toml'}: wanted exactly one [[lean_lib]] with a name")

    def configuration_problems(self) -> list[Problem]:
        """What could change the meaning of a build: unknown keys of the lakefile, or a second lakefile."""
        problems = []
        where = self.relative(self.lean / "lakefile.toml")
        settings = self.lakefile()
        libraries = settings.get("lean_lib")
        assert isinstance(libraries, list)
        unknown = [key for key in settings if key not in PACKAGE_KEYS]
        unknown += [f"lean_lib.{key}" for library in libraries for key in library if key not in LIBRARY_KEYS]
        problems += [
            Problem(where, f"the key '{key}' is not allowed: it could change what a build checks")
            for key in unknown
        ]
        other = self.lean / "lakefile.lean"
        if other.exists():
            problems.append(
                Problem(self.relative(other), "not allowed: Lake would read it in place of lakefile.toml")
            )
        return problems


def theorem_names(project: Project) -> list[str]:
    """The Lean names of the manifest, in its order; none when there is no manifest. Raises LeanToolError."""
    try:
        entries = tomllib.loads(project.manifest.read_text("utf-8")).get("theorem", [])
        return [str(entry["lean"]) for entry in entries]
    except FileNotFoundError:
        return []
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise LeanToolError(
            f"{project.manifest}: wanted [[theorem]] tables with the key 'lean' ({error!r})"
        ) from None


def cache_directory() -> Path:
    """Where downloads and compiled files go: below $VERIFIED_TOK_CACHE, or else ~/.cache/verified_tok."""
    configured = os.environ.get("VERIFIED_TOK_CACHE")
    base = Path(configured) if configured else Path.home() / ".cache" / "verified_tok"
    return base.expanduser().resolve() / "lean"
