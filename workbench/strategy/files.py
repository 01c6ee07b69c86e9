"""Strategy files on disk: names that cannot leave their folder, and reading with file, line and remedy."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from workbench.errors import StrategyError
from workbench.permission import require_editor
from workbench.strategy import tree
from workbench.strategy.findings import Finding, KeyPath, schema_findings
from workbench.strategy.schema import STRATEGY_KINDS, Strategy

_NAME = re.compile(r"[^\W_][\w-]{0,63}")
_RESERVED = {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}
_STRATEGY: TypeAdapter[Strategy] = TypeAdapter(Strategy)


class Conflict(StrategyError):
    """The file was changed on disk since editing began.

    Attributes:
        base: What editing began from.
        disk: What is on disk now; empty when the file is gone.
        mine: What was to be saved.
    """

    def __init__(self, where: str, base: bytes, disk: bytes, mine: bytes) -> None:
        super().__init__(
            "the file was changed on disk since you opened it; nothing was saved.",
            where=where,
            remedy="Keep yours, keep the one on disk, or save yours under another name.",
        )
        self.base = base
        self.disk = disk
        self.mine = mine


@dataclass(frozen=True)
class LoadedStrategy:
    """A strategy that can be run.

    Attributes:
        strategy: The validated model.
        text: The whole file as text, so that a run can be repeated exactly.
        hash: sha256 of the file's bytes.
        path: The file, or None for a draft or a strategy out of an old run.
    """

    strategy: Strategy
    text: str
    hash: str
    path: Path | None = None

    @property
    def name(self) -> str:
        return self.strategy.name


def check_name(name: str, noun: str) -> str:
    """A name that is safe as a file name on every system; returned in Unicode normal form C.

    Letters of any script, digits, ``_`` and ``-``; at most 64 characters.

    Raises:
        StrategyError: Anything else, and names Windows reserves.
    """
    name = unicodedata.normalize("NFC", name)
    if name.lower() in _RESERVED:
        raise StrategyError(
            f"{name!r} cannot be the name of a {noun}: Windows reserves it.", remedy="Choose another name."
        )
    if not _NAME.fullmatch(name) or len(name.encode()) > 200:
        shown = name if len(name) <= 40 else name[:37] + "..."
        raise StrategyError(
            f"{shown!r} cannot be the name of a {noun}.",
            remedy="Use letters, digits, - and _ (at most 64), beginning with a letter or digit.",
        )
    return name


def read_file(path: Path) -> bytes:
    """The bytes of a file the analyst writes.

    Raises:
        StrategyError: Missing, unreadable or too large to be one.
    """
    try:
        tree.check_size(path.stat().st_size, path.name)
        return path.read_bytes()
    except OSError as error:
        raise StrategyError(
            f"the file cannot be read: {error.strerror}.",
            where=str(path),
            remedy="Check the name and its rights.",
        ) from None


def write_atomically(path: Path, data: bytes, *, new: bool = False) -> None:
    """Write a file so that a reader sees the old or the new one, and a crash leaves one of the two.

    Args:
        path: The file; its folder must exist.
        data: Its whole content.
        new: Refuse to replace an existing file.

    Raises:
        AccessError: Whoever asks may only read.
        StrategyError: The file exists although it must be new, or the disk refuses.
    """
    require_editor()
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".part", delete=False) as part:
            temporary = Path(part.name)
            try:
                part.write(data)
                part.flush()
                os.fsync(part.fileno())
                part.close()
                temporary.chmod(path.stat().st_mode if path.exists() else 0o644)
                if new:
                    path.hardlink_to(temporary)
                else:
                    temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
    except FileExistsError:
        raise StrategyError(
            "a file of this name exists.", where=path.name, remedy="Choose another name."
        ) from None
    except OSError as error:
        raise StrategyError(
            f"the file cannot be written: {error.strerror}.",
            where=str(path),
            remedy="Check free space and rights.",
        ) from None


def replace_file(path: Path, mine: bytes, base: bytes) -> None:
    """Replace a file, unless somebody else changed it first.

    Args:
        path: The file.
        mine: Its new content.
        base: The content that was edited.

    Raises:
        Conflict: The file is neither ``base`` nor ``mine`` already.
        StrategyError: It cannot be locked or written.
    """
    lock = FileLock(path.parent / ".lock", timeout=10)
    try:
        lock.acquire()
    except (OSError, Timeout) as error:
        remedy = "Check the rights of its folder, and that no other program holds it."
        raise StrategyError(f"the file cannot be locked: {error}.", where=str(path), remedy=remedy) from None
    try:
        disk = path.read_bytes() if path.is_file() else b""
        if disk not in (base, mine):
            raise Conflict(path.name, base, disk, mine)
        if disk != mine:
            write_atomically(path, mine)
    finally:
        lock.release()


def load_strategy(path: Path) -> LoadedStrategy:
    """Load a strategy file.

    Raises:
        StrategyError: Missing, unreadable, malformed or invalid; with file, line and remedy.
    """
    if not path.is_file():
        names = ", ".join(sorted(other.stem for other in path.parent.glob(f"*{path.suffix}")))
        raise StrategyError(
            f"there is no strategy {path.stem!r}.", where=path.name, remedy=f"There are: {names or 'none'}."
        )
    return read_strategy(read_file(path), path.name, path)


def read_strategy(data: bytes | str, where: str, path: Path | None = None) -> LoadedStrategy:
    """Read a strategy from bytes or text: a file, an unsaved draft, or the text an old run has kept.

    Raises:
        StrategyError: Malformed or invalid; with file, line and remedy.
    """
    data = data.encode() if isinstance(data, str) else data
    text = tree.decode(data, where)
    parsed = tree.parse(text, where)
    strategy, findings = validate(parsed, where)
    if strategy is None or findings:
        first = findings[0]
        raise StrategyError(first.what, where=first.where, remedy=first.remedy)
    return LoadedStrategy(strategy, text, hashlib.sha256(data).hexdigest(), path)


def validate(parsed: tree.Tree, where: str) -> tuple[Strategy | None, list[Finding]]:
    """Check a parsed file against the schema of its kind.

    Returns:
        The strategy where its types are right, and every error found; both may be there.
    """

    def place(path: KeyPath) -> str:
        return f"{where}:{parsed.line(path)}"

    value = parsed.value
    if not isinstance(value, Mapping):
        what = "a strategy is a mapping of keys to values."
        return None, [Finding("error", f"{where}:1", what, "Begin with `kind: chapters`.")]
    model = STRATEGY_KINDS.get(str(value.get("kind")))
    if model is None:
        what = f"kind is {value.get('kind')!r}." if "kind" in value else "kind is missing."
        remedy = f"Write one of: {', '.join(f'`kind: {kind}`' for kind in STRATEGY_KINDS)}."
        return None, [Finding("error", place(("kind",)), what, remedy, ("kind",))]
    try:
        strategy = _STRATEGY.validate_python(value)
    except ValidationError as error:
        return None, schema_findings(error, model, place, skip=1)
    return strategy, [
        Finding("error", place(problem.path), problem.what, problem.remedy, problem.path)
        for problem in strategy.problems()
    ]
