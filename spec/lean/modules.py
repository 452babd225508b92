"""The modules below `lean/` and the order in which they can be checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .errors import LeanToolError
from .lexer import Token, tokens
from .project import Problem, Project

CORE_LIBRARIES = ("Init", "Std")
"""What may be imported besides the project's own modules. Without `Lean` nobody can write an elaborator."""

_MODIFIERS = {"public", "private", "meta"}
BUILD_DIRECTORIES = (".lake", "build", "out")


@dataclass(frozen=True)
class Import:
    """One line of a module's header."""

    name: str
    line: int


@dataclass(frozen=True)
class Module:
    """A source file: its text is read once, so that what is hashed is what Lean sees."""

    name: str
    path: Path
    source: str
    is_module: bool
    imports: tuple[Import, ...]


@dataclass
class ModuleGraph:
    """The modules that the root reaches, dependencies first, and what is wrong with the import lines."""

    order: list[Module] = field(default_factory=list)
    own_imports: dict[str, list[str]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def read_module(name: str, path: Path) -> Module:
    """Reads a source file and its header. Raises LeanToolError when it cannot be read."""
    try:
        source = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LeanToolError(f"{path}: cannot be read: {error}") from None
    is_module, imports = _header(tokens(source))
    return Module(name, path, source, is_module, tuple(imports))


def _header(words: Iterator[Token]) -> tuple[bool, list[Import]]:
    """Reads `module`, `prelude` and the import lines, and stops at the first word that is none of them."""
    is_module = False
    imports = []
    for word in words:
        if word.text == "module":
            is_module = True
        elif word.text == "import":
            name = next(words, None)
            if name is not None and name.text == "all":
                name = next(words, None)
            if name is not None:
                imports.append(Import(name.text, name.line))
        elif word.text not in _MODIFIERS and word.text != "prelude":
            break
    return is_module, imports


def module_path(project: Project, name: str) -> Path:
    """The file of a module of the project."""
    return project.lean.joinpath(*name.split(".")).with_suffix(".lean")


def module_name(project: Project, path: Path) -> str:
    """The module of a file below `lean/`."""
    return ".".join(path.relative_to(project.lean).with_suffix("").parts)


def source_files(project: Project) -> list[Path]:
    """Every Lean file below `lean/`, build output left out."""
    files = (path.relative_to(project.lean) for path in project.lean.rglob("*.lean"))
    return sorted(project.lean / path for path in files if path.parts[0] not in BUILD_DIRECTORIES)


def root_module(project: Project) -> Module:
    """The module that must reach all others. Raises LeanToolError when its file is missing."""
    path = module_path(project, project.library())
    if not path.is_file():
        raise LeanToolError(f"{path}: no such file, and the lakefile's library begins there")
    return read_module(project.library(), path)


def module_graph(project: Project, start: Module) -> ModuleGraph:
    """The modules reached from `start`. Missing files, foreign imports and cycles become problems."""
    graph = ModuleGraph()
    library = project.library()
    in_progress: list[str] = []

    def visit(module: Module) -> None:
        name, where = module.name, project.relative(module.path)
        if not module.is_module:
            graph.problems.append(Problem(f"{where}:1", "the file does not begin with 'module'"))
        in_progress.append(name)
        graph.own_imports[name] = []
        for item in module.imports:
            if item.name.split(".")[0] in CORE_LIBRARIES:
                continue
            place = f"{where}:{item.line}"
            if item.name.split(".")[0] != library:
                graph.problems.append(
                    Problem(place, f"import of '{item.name}': only {library}, Init and Std may be imported")
                )
            elif item.name in in_progress:
                cycle = " -> ".join([*in_progress[in_progress.index(item.name) :], item.name])
                graph.problems.append(Problem(place, f"the imports form a circle: {cycle}"))
            elif not module_path(project, item.name).is_file():
                graph.problems.append(Problem(place, f"import of '{item.name}': no such file"))
            else:
                graph.own_imports[name].append(item.name)
                if item.name not in graph.own_imports:
                    visit(read_module(item.name, module_path(project, item.name)))
        in_progress.pop()
        graph.order.append(module)

    visit(start)
    return graph


def unreached_files(project: Project, graph: ModuleGraph) -> list[Problem]:
    """The files that no import leads to: Lake and this check would pass them over in silence."""
    reached = {module.path for module in graph.order}
    root = project.relative(module_path(project, project.library()))
    return [
        Problem(project.relative(path), f"not reached from {root}: import it there")
        for path in source_files(project)
        if path not in reached
    ]
