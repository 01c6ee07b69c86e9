"""The open workspace: everything a page or a command works with, in one object.

A workspace is a folder with ``strategy/``, ``prompts/`` and ``data/``. The program brings its own pages and
an original of those folders: the root of the repository in a source tree, ``workbench/bundle`` in an
installed wheel.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from workbench import pipelines
from workbench.delivery import Courier
from workbench.drafts import Drafts
from workbench.engine.agent import RunOptions
from workbench.engine.batch import BatchManager
from workbench.engine.jobs import JobManager
from workbench.engine.plan import Plan
from workbench.errors import StrategyError, WorkspaceError
from workbench.evaluate.groups import measured
from workbench.evidence.database import EvidenceDB
from workbench.evidence.slices import slice_names
from workbench.llm.base import CacheUse, Model
from workbench.llm.budget import DailyBudget
from workbench.llm.cache import Cached
from workbench.llm.formats import AnswerFormats
from workbench.llm.hosted import Hosted
from workbench.llm.presets import FILE_NAME, PresetsFile
from workbench.llm.router import Router
from workbench.records import Models, Run, Subject
from workbench.settings import Settings, load_settings
from workbench.store.runs import RunStore
from workbench.strategy.claims import Measured
from workbench.strategy.files import LoadedStrategy, check_name, load_strategy, read_strategy
from workbench.strategy.findings import Finding
from workbench.strategy.folder import StrategyFolder
from workbench.strategy.lint import Libraries, lint
from workbench.strategy.operators import FrozenOperators, OperatorLibrary
from workbench.strategy.prompts import FrozenPrompts, PromptLibrary

_PACKAGE = Path(__file__).parent
_PARTS = ("strategy", "prompts", "data/facts", "data/SOURCES.md")


def program_files() -> Path:
    """The folder that holds ``pages/`` and the original ``strategy/``, ``prompts/`` and ``data/facts/``."""
    bundle = _PACKAGE / "bundle"
    return bundle if bundle.is_dir() else _PACKAGE.parent


def is_workspace(folder: Path) -> bool:
    """Whether a folder has what a workspace needs."""
    return (folder / "strategy").is_dir() and (folder / "prompts").is_dir()


def find_workspace(home: Path | None = None) -> Path:
    """The folder of the workspace meant.

    The folder given, else ``WORKBENCH_HOME``, else the current folder when it is a workspace, else the
    source tree when the program runs from one.

    Raises:
        WorkspaceError: The folder named is no workspace, or none is named and none is found.
    """
    named = home or (Path(value) if (value := os.environ.get("WORKBENCH_HOME")) else None)
    if named is not None:
        folder = named.expanduser().resolve()
        if not is_workspace(folder):
            raise WorkspaceError(
                "this is not a workspace: it has no strategy/ and prompts/.",
                where=str(folder),
                remedy=f"Make one: workbench init {named}",
            )
        return folder
    for folder in (Path.cwd(), _PACKAGE.parent):
        if is_workspace(folder):
            return folder.resolve()
    raise WorkspaceError("there is no workspace here.", remedy="Make one: workbench init DIR")


def init_workspace(folder: Path) -> Path:
    """Lay out a new workspace: strategies, prompts and sample facts, the user's own to change.

    Returns:
        The folder, absolute.

    Raises:
        WorkspaceError: The folder already holds one of the parts, or cannot be written.
    """
    folder = folder.expanduser().resolve()
    taken = next((part for part in ("strategy", "prompts", "data") if (folder / part).exists()), None)
    if taken:
        raise WorkspaceError(
            f"there is already a {taken}/ in this folder; nothing was changed.",
            where=str(folder),
            remedy="Name another folder.",
        )
    try:
        for part in _PARTS:
            source, target = program_files() / part, folder / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(source, target)
    except OSError as error:
        raise WorkspaceError(
            f"the workspace cannot be written: {error.strerror or error}.",
            where=str(folder),
            remedy="Name another folder.",
        ) from error
    return folder


T = TypeVar("T")


class opened_once(cached_property[T]):
    """A ``cached_property`` of a workspace that two threads asking at once do not compute twice."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        with instance._opening:
            return super().__get__(instance, owner)


class Workspace:
    """An open workspace. Its parts are opened when they are first used; threads may share it.

    Args:
        root: The folder.
        settings: What the environment says.
        share: How many processes share the limits of the model providers.
    """

    def __init__(self, root: Path, settings: Settings, share: int = 1) -> None:
        self.root = root
        self.settings = settings
        self._share = share
        self._opening = threading.RLock()
        self._measured: tuple[int, Sequence[Measured]] = (0, ())

    @classmethod
    def open(cls, home: Path | None = None) -> Workspace:
        """Open the workspace ``find_workspace`` finds, with its ``.env``.

        Raises:
            WorkspaceError: There is none.
            InputError: A setting cannot be used.
        """
        root = find_workspace(home)
        return cls(root, load_settings(root))

    def close(self) -> None:
        """Stop the runs this process carries out, which can be resumed, and close what was opened."""
        opened = vars(self)
        if "courier" in opened:
            self.courier.stop()
        if "jobs" in opened:
            self.jobs.close()
        if "store" in opened:
            self.store.close()

    @property
    def strategy_dir(self) -> Path:
        return self.root / "strategy"

    @property
    def prompts_dir(self) -> Path:
        return self.root / "prompts"

    @property
    def data_dir(self) -> Path:
        return self.root / "data"

    @opened_once
    def store(self) -> RunStore:
        return RunStore(self.data_dir / "runs.db")

    @opened_once
    def evidence(self) -> EvidenceDB:
        return EvidenceDB(self.data_dir / "evidence.db", self.data_dir / "facts")

    @opened_once
    def jobs(self) -> JobManager:
        """The runs this process carries out. Its thread starts with the first use."""
        return JobManager(self.store, self.model(), self.run_options, self.admit)

    @opened_once
    def batches(self) -> BatchManager:
        """The batches this process carries out."""
        return BatchManager(self.store.batches, self.admit)

    @opened_once
    def courier(self) -> Courier:
        """Who pushes loud signals to the targets of the settings, once started."""
        return Courier(lambda: self.store, self.settings)

    @opened_once
    def presets(self) -> PresetsFile:
        """``models.yaml``: models, sampling, limits, prices, budget."""
        return PresetsFile(self.root / FILE_NAME)

    @opened_once
    def budget(self) -> DailyBudget:
        """What may still be paid for today."""
        return DailyBudget(self.presets.read, self.store.payments)

    @opened_once
    def hosted(self) -> Hosted:
        """The language models. Ask them on the loop of ``jobs`` only."""
        return Hosted(
            self.settings,
            presets=self.presets.read,
            formats=AnswerFormats(self.data_dir / "cache.db"),
            budget=self.budget,
            share=self._share,
        )

    def run_options(self, cache: CacheUse = "use") -> RunOptions:
        """How the agents of a run are conducted, as far as the settings say."""
        return RunOptions(
            agent_deadline_s=self.settings.agent_deadline_s,
            sampling=self.presets.read().sampling,
            cache=cache,
        )

    def admit(self, models: Models) -> None:
        """Make sure that a run by these models may begin.

        Raises:
            BudgetError: They are paid for, and the budget of the day is spent.
        """
        if not models.baseline_only:
            self.budget.check()

    def model(self) -> Model:
        """Who answers the requests of every tier: the baseline, or language models behind the cache."""
        return Router(self.answers())

    def answers(self) -> Cached:
        """The language models, behind the answers already paid for."""
        return Cached(self.hosted, self.data_dir / "cache.db", server=self.settings.api_base)

    @property
    def drafts(self) -> Drafts:
        """The strategies for editing: drafts, saving, history."""
        return Drafts(self.strategy_folder, self.store.strategies)

    @property
    def prompts(self) -> PromptLibrary:
        return PromptLibrary(self.prompts_dir)

    @property
    def operators(self) -> OperatorLibrary:
        return OperatorLibrary(self.strategy_dir / "operators")

    @property
    def strategy_folder(self) -> StrategyFolder:
        """The strategy files, for editing and checking."""
        slices = {
            "chapters": slice_names("ticker"),
            "match": slice_names("match"),
            "news": slice_names("news"),
        }
        libraries = Libraries(self.operators, self.prompts, slices, self.measured())
        return StrategyFolder(self.strategy_dir, libraries)

    def measured(self) -> Sequence[Measured]:
        """What the returns on record say of groups of judgements; worked out anew once more are recorded."""
        version = self.store.outcomes.version()
        if version != self._measured[0]:
            runs = self.store.outlines(pipeline="chapters")
            self._measured = version, measured(runs, self.store.outcomes.find())
        return self._measured[1]

    def lint(self, name: str) -> list[Finding]:
        """Everything to mend in a strategy file, whether it can be used or not."""
        folder = self.strategy_folder
        try:
            return lint(folder.document(name), folder.libraries)
        except StrategyError as error:
            return [Finding("error", error.where, error.what, error.remedy)]

    def strategies(self) -> list[str]:
        """The names of the strategy files, sorted."""
        return sorted(path.stem for path in self.strategy_dir.glob("*.yaml"))

    def strategy(self, name: str) -> LoadedStrategy:
        """The strategy saved under a name.

        Raises:
            StrategyError: There is none, or its file is invalid.
        """
        return load_strategy(self.strategy_dir / f"{check_name(name, 'strategy')}.yaml")

    def strategy_of(self, run: Run) -> LoadedStrategy:
        """The strategy exactly as a run used it, whatever its file says today."""
        return read_strategy(run.strategy_text, f"{run.strategy}.yaml of run {run.run_id}")

    def default_models(self) -> Models:
        """The model of each tier: the environment's, else that of ``models.yaml``, else the baseline."""
        return self.settings.models(self.presets.read().models)

    def models(self, strategy: LoadedStrategy, model: str | None = None) -> Models:
        """The model of each tier: the one named for this run, else the strategy's, else the default."""
        if model:
            return Models(specialist=model, aggregator=model)
        wanted, default = strategy.strategy.models, self.default_models()
        return Models(
            specialist=wanted.specialist or default.specialist,
            aggregator=wanted.aggregator or default.aggregator,
        )

    def plan(self, strategy: LoadedStrategy, subject: Subject, as_of: dt.date) -> Plan:
        """The plan of one run, over a fresh point-in-time view.

        Raises:
            WorkbenchError: The strategy does not fit the subject, a prompt is missing, or nothing is known
                about the subject at that date.
        """
        view = self.evidence.view(as_of)
        return pipelines.build(strategy, subject, view=view, prompts=self.prompts, operators=self.operators)

    def planner(self, strategy: LoadedStrategy) -> Callable[[Subject, dt.date], Plan]:
        """Makes the plans of many runs, all with the prompts and operators there are now."""
        prompts = FrozenPrompts(self.prompts_dir)
        operators = FrozenOperators(self.strategy_dir / "operators")
        return lambda subject, as_of: pipelines.build(
            strategy, subject, view=self.evidence.view(as_of), prompts=prompts, operators=operators
        )
