"""Runs the whole check, says what it finds as it goes, and keeps it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .audit import Verdict, constant_problems, theorem_verdicts
from .check import Checker, Result, check_modules, compiled_path
from .modules import ModuleGraph, module_graph, root_module, unreached_files
from .olean import Constant, constants
from .project import Problem, Project, theorem_names
from .source_rules import source_problems


@dataclass
class Report:
    """What the check found so far; each finding is also printed with `say`. No problem: it passed."""

    project: Project
    say: Callable[[str], None]
    problems: list[Problem] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    modules: int = 0
    cached: int = 0
    warnings: int = 0

    def add(self, problem: Problem) -> None:
        """Records and prints one reason to fail."""
        self.problems.append(problem)
        self.say(str(problem))

    def add_sources(self) -> ModuleGraph:
        """All that can be said without Lean: the lakefile, the imports, files left out, forbidden words."""
        graph = module_graph(self.project, root_module(self.project))
        self.modules = len(graph.order)
        found = [
            *self.project.configuration_problems(),
            *graph.problems,
            *unreached_files(self.project, graph),
        ]
        for module in graph.order:
            found += source_problems(self.project, module)
        for problem in found:
            self.add(problem)
        return graph

    def add_result(self, result: Result) -> None:
        """Lean's verdict on one module."""
        name, where = result.module.name, self.project.relative(result.module.path)
        if result.blocked_by:
            self.add(Problem(where, f"not checked: {', '.join(result.blocked_by)} failed"))
        elif result.was_cached:
            self.cached += 1
        else:
            self.say(f"{name}: {'ok' if result.passed else 'failed'}, {result.seconds:.1f} s")
        for message in result.messages:
            place, text = f"{where}:{message.line}:{message.column}", f"{message.severity}: {message.text}"
            if message.fails:
                self.add(Problem(place, text))
            else:
                self.warnings += message.severity == "warning"
                self.say(f"{place}: {text}")

    def add_compiled(self, graph: ModuleGraph, tree: Path) -> None:
        """What the compiled files show: every declaration of every module, and the manifest's theorems."""
        own: dict[str, Constant] = {}
        for module in graph.order:
            for constant in constants(compiled_path(tree, module.name)):
                own[constant.name] = constant
                for problem in constant_problems(constant):
                    self.add(Problem(f"{self.project.relative(module.path)}: {problem.where}", problem.what))
        self.verdicts, problems = theorem_verdicts(theorem_names(self.project), own)
        for problem in problems:
            self.add(problem)

    def summary(self) -> str:
        """One line: what was checked, and the verdict."""
        axioms = sorted({axiom for verdict in self.verdicts for axiom in verdict.axioms})
        theorems = f"{len(self.verdicts)} theorems of the manifest"
        if self.verdicts:
            theorems += f" (axioms named: {', '.join(axioms) or 'none'})"
        verdict = "passed" if not self.problems else f"FAILED with {len(self.problems)} problems"
        modules = f"{self.modules} modules ({self.cached} from the cache)"
        return f"{modules}, {self.warnings} warnings, {theorems}: {verdict}"


def check_with_wasm(report: Report, cache: Path, jobs: int) -> None:
    """The whole check by the fetched checker. Raises LeanToolError when it cannot run."""
    graph = report.add_sources()
    checker = Checker(cache)
    with checker.compiled_tree() as tree:
        passed = True
        for result in check_modules(checker, graph, tree, jobs):
            report.add_result(result)
            passed = passed and result.passed
        if passed:
            report.add_compiled(graph, tree)


def axioms_table(verdicts: list[Verdict]) -> str:
    """The theorems of the manifest, each with the axioms that it rests on."""
    width = max((len(verdict.name) for verdict in verdicts), default=0)
    return "\n".join(f"{v.name:{width}}  {', '.join(v.axioms) or 'none'}" for v in verdicts)
