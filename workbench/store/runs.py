"""The runs: the only writer of ``data/runs.db``.

A run is one row that starts as ``running`` and is finished once. Each report is written in one transaction
with its calls as soon as its agent is done, so a killed process loses the agents in flight and nothing
else. A running run belongs to the process that started it; when that process is gone, whoever looks next
marks the run ``interrupted``, and ``resume`` lets another process take it over with its finished reports.
"""

from __future__ import annotations

import datetime as dt
import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Literal, TypedDict, Unpack

from sqlite_utils import Database as Connection

from workbench.errors import InputError, StoreError
from workbench.records import FAILURES, Models, PipelineName, Receipt, Report, Run, RunStatus, Verdict
from workbench.store import rows
from workbench.store.backups import back_up_daily
from workbench.store.batch_records import ItemKey
from workbench.store.batches import BatchStore, begin_item
from workbench.store.database import Database, insert, utc_now
from workbench.store.deliveries import DeliveryStore
from workbench.store.migrations import migrations
from workbench.store.outcomes import OutcomeStore
from workbench.store.owners import Owner, interrupt_orphans
from workbench.store.pace import Pace, usual_pace
from workbench.store.payments import Payments
from workbench.store.rows import Planned, Row, RunRow, Texts
from workbench.store.signals import SignalStore
from workbench.store.strategies import StrategyStore

FinalStatus = Literal["done", "failed", "cancelled"]
Order = Literal["newest", "oldest", "highest", "lowest", "subject"]


class RunFilter(TypedDict, total=False):
    """What a list of runs may be narrowed by; None means no restriction.

    ``subject`` is the key of a subject, e.g. ``600519.SH``; ``text`` appears in the run's id, subject,
    strategy, models, verdict, tags or note, or the subject is one of ``also``: those which ``text`` names in
    another language than the run.
    """

    run_id: str | None
    pipeline: PipelineName | None
    subject: str | None
    strategy: str | None
    strategy_hash: str | None
    status: RunStatus | None
    label: str | None
    text: str | None
    also: Sequence[str]
    starred: bool | None
    tag: str | None
    batch_id: str | None


RESUMABLE: frozenset[RunStatus] = frozenset({"interrupted", "cancelled"})

_ORDERS: dict[Order, str] = {
    "newest": "started desc, run_id desc",
    "oldest": "started, run_id",
    "highest": "score desc nulls last, started desc",
    "lowest": "score nulls last, started desc",
    "subject": "subject_title, as_of, started",
}

_NOTE = "select body from notes n where n.run_id = r.run_id order by id desc limit 1"

_EQUAL = {
    "run_id": "run_id",
    "pipeline": "pipeline",
    "subject": "subject_key",
    "strategy": "strategy",
    "strategy_hash": "strategy_hash",
    "status": "status",
    "label": "label",
    "starred": "starred",
    "batch_id": "batch_id",
}
_TAGS = "select group_concat(tag) from tags t where t.run_id = r.run_id"
_SEARCHED = (
    "r.run_id",
    "r.subject_title",
    "r.strategy",
    "r.specialist_model",
    "r.aggregator_model",
    "r.verdict",
    f"({_TAGS})",
    f"({_NOTE})",
)

_FAILURES = ", ".join(f"'{status}'" for status in sorted(FAILURES))

_LIST = f"""
    select r.*,
        json_extract(verdict, '$.confidence') as confidence,
        json_extract(verdict, '$.counted') as counted,
        json_extract(verdict, '$.total') as total,
        json_array_length(verdict, '$.warnings') as warnings,
        (select count(*) from reports p where p.run_id = r.run_id and p.status in ({_FAILURES})) as failed,
        (select sum(cost) from calls c where c.run_id = r.run_id and not c.cache_hit) as cost,
        (select json_group_array(tag) from tags t where t.run_id = r.run_id) as tags,
        ({_NOTE}) as note
    from (select * from runs r {{where}} order by {{order}} limit ? offset ?) r
    order by {{order}}
"""


class RunStore:
    """The runs of one workspace.

    Args:
        path: The database file; ``locks/`` beside it holds the lock files of running processes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = Database(path, migrations)
        self._owner = Owner(path.parent / "locks")
        self.batches = BatchStore(self._db, self._owner)
        self.outcomes = OutcomeStore(self._db)
        self.payments = Payments(self._db)
        self.signals = SignalStore(self._db)
        self.deliveries = DeliveryStore(self._db)
        self.strategies = StrategyStore(self._db)
        back_up_daily(path)
        self._owner.sweep()
        self.interrupt_orphans()

    # -- writing a run ---------------------------------------------------------------------------------

    def start(
        self,
        plan: Planned,
        models: Models,
        *,
        retry_of: str | None = None,
        repeat: int = 0,
        item: ItemKey | None = None,
    ) -> str:
        """Record that a run begins, alone or for an item of a batch; its id sorts by time."""
        started = utc_now()
        with self._db.write() as db:
            run_id = _free_id(db, started)
            row, texts = rows.run_row(run_id, plan, models, started=started, owner=self._owner.claim())
            _keep(db, texts)
            why = {"retry_of": retry_of, "repeat": repeat, "batch_id": item.batch_id if item else None}
            insert(db, "runs", [row | why])
            if item:
                begin_item(db, item, run_id)
        return run_id

    def save_report(self, run_id: str, report: Report) -> None:
        """Record what one agent returned. A second report of the same agent is ignored: the first one counts.

        Raises:
            StoreError: The run is not running in this process.
        """
        row, calls, texts = rows.report_rows(run_id, report, saved=utc_now())
        with self._db.write() as db:
            self._require_ours(db, run_id)
            _keep(db, texts)
            if insert(db, "reports", [row], ignore=True):
                insert(db, "calls", calls)

    def finish(
        self,
        run_id: str,
        *,
        status: FinalStatus,
        verdict: Verdict | None = None,
        receipt: Receipt | None = None,
        error: str = "",
    ) -> None:
        """Record how a run ended, once.

        Raises:
            StoreError: The run is not running in this process.
        """
        with self._db.write() as db:
            self._require_ours(db, run_id)
            db.execute(
                "update runs set status = ?, finished = ?, verdict = ?, receipt = ?, error = ?"
                " where run_id = ?",
                [status, utc_now(), rows.as_json(verdict), rows.as_json(receipt), error, run_id],
            )

    @contextmanager
    def together(self) -> Iterator[None]:
        """One transaction for all that is written inside it by this thread; all or nothing.

        Raises:
            StoreError: As from what is written.
        """
        with self._db.write():
            yield

    def resume(self, run_id: str) -> dict[str, Report]:
        """Take over an interrupted or cancelled run and return the reports it already has, by agent.

        Raises:
            StoreError: There is no such run, or it is in a state that cannot go on.
        """
        self.interrupt_orphans()
        owner = self._owner.claim()
        with self._db.write() as db:
            status = _require(db, run_id)["status"]
            if status not in RESUMABLE:
                raise StoreError(
                    f"the run is {status}; only an interrupted or cancelled run can be resumed.",
                    where=run_id,
                    remedy="" if status == "running" else "Start it again as a new run.",
                )
            fresh = {"status": "running", "owner": owner, "finished": None, "verdict": None, "error": ""}
            db.table("runs").update(run_id, fresh)
        return {report.agent: report for report in self.load(run_id).reports}

    def interrupt_orphans(self) -> int:
        """Mark what dead processes were running as interrupted, and return how much it was."""
        return interrupt_orphans(self._db, self._owner)

    # -- reading ---------------------------------------------------------------------------------------

    def load(self, run_id: str) -> Run:
        """A run with all its reports and calls.

        Raises:
            StoreError: There is no such run.
        """
        return self.load_many([run_id])[0]

    def load_many(self, run_ids: Sequence[str]) -> list[Run]:
        """Several runs, in the order asked for.

        Raises:
            StoreError: One of them does not exist.
        """
        self.interrupt_orphans()
        with self._db.read() as db:
            return [_load(db, run_id) for run_id in run_ids]

    def outlines(self, **filters: Unpack[RunFilter]) -> list[Run]:
        """Every run that matches, newest first, with its reports but without long texts.

        Evidence, calls and the text of the strategy are left empty: thousands of runs are read in seconds.
        """
        self.interrupt_orphans()
        where, values = _where(filters)
        with self._db.read() as db:
            found = list(db.query(f"select * from runs r {where} order by {_ORDERS['newest']}", values))
            named = f"select run_id from runs r {where}"
            reports: dict[str, list[Report]] = {row["run_id"]: [] for row in found}
            for row in db.query(f"select * from reports where run_id in ({named})", values):
                no_evidence = {row["evidence_hash"]: "{}"}
                reports[row["run_id"]].append(rows.report_record(row, (), no_evidence))
        return [rows.run_record(row, "", reports[row["run_id"]]) for row in found]

    def resolve(self, text: str) -> str:
        """The id of the run that ``text`` names: a whole id, or the beginning or end of exactly one.

        Raises:
            InputError: No run or several runs are named so.
        """
        asked = text.strip()
        with self._db.read() as db:
            found = db.execute(
                "select run_id from runs where run_id = :text or (length(:text) >= 4 and"
                " (substr(run_id, 1, length(:text)) = :text or substr(run_id, -length(:text)) = :text))"
                " order by run_id = :text desc, started desc limit 4",
                {"text": asked},
            ).fetchall()
        ids = [row[0] for row in found]
        if len(ids) == 1 or asked in ids:
            return str(ids[0])
        if not ids:
            raise InputError(f"there is no run {asked[:60]!r}.", remedy="See 'workbench runs'.")
        raise InputError(f"{asked!r} may be {', '.join(ids[:3])}.", remedy="Give more of the id.")

    def find(
        self, *, order: Order = "newest", limit: int = 50, offset: int = 0, **filters: Unpack[RunFilter]
    ) -> list[RunRow]:
        """One page of the runs that match every filter given."""
        self.interrupt_orphans()
        where, values = _where(filters)
        with self._db.read() as db:
            found = db.query(_LIST.format(where=where, order=_ORDERS[order]), [*values, limit, offset])
            return [rows.list_row(row) for row in found]

    def count(self, **filters: Unpack[RunFilter]) -> int:
        """How many runs match every filter given."""
        where, values = _where(filters)
        with self._db.read() as db:
            return int(db.execute(f"select count(*) from runs r {where}", values).fetchone()[0])

    def judged(self, pipeline: PipelineName) -> list[tuple[str, dt.date]]:
        """The subjects of finished runs, by key, each with the days as of which it was judged."""
        with self._db.read() as db:
            found = db.execute(
                "select distinct subject_key, as_of from runs where pipeline = ? and status = 'done'"
                " order by 1, 2",
                [pipeline],
            ).fetchall()
        return [(key, dt.date.fromisoformat(day)) for key, day in found]

    def repeat_of(self, run_id: str) -> int:
        """Which repeat of its question a run is.

        Raises:
            InputError: There is no such run.
        """
        with self._db.read() as db:
            return int(_require(db, run_id, "repeat")["repeat"])

    def next_repeat(self, run: Run) -> int:
        """The first repeat of a run's question that no run has been yet."""
        with self._db.read() as db:
            found = db.execute(
                "select max(repeat) from runs where subject_key = ? and as_of = ? and strategy_hash = ?"
                " and specialist_model = ? and aggregator_model = ?",
                [
                    run.subject.key,
                    run.as_of.isoformat(),
                    run.strategy_hash,
                    run.models.specialist,
                    run.models.aggregator,
                ],
            ).fetchone()
        return int(found[0] or 0) + 1

    def values(self, column: Literal["pipeline", "strategy", "label", "status", "subject_key"]) -> list[str]:
        """The distinct values of a column, for the choices of a filter."""
        with self._db.read() as db:
            found = db.query(f"select distinct {column} from runs where {column} is not null order by 1")
            return [row[column] for row in found]

    def pace(self, run_id: str) -> Pace | None:
        """How long earlier runs of the same agents with the same models took; None while there is none."""
        with self._db.read() as db:
            return usual_pace(db, run_id)

    # -- marks of the reader ---------------------------------------------------------------------------

    def star(self, run_id: str, starred: bool = True) -> None:
        """Set or remove the star of a run."""
        with self._db.write() as db:
            _require(db, run_id)
            db.table("runs").update(run_id, {"starred": int(starred)})

    def tag(self, run_id: str, tags: Iterable[str]) -> None:
        """Replace the tags of a run."""
        with self._db.write() as db:
            _require(db, run_id)
            db.table("tags").delete_where("run_id = ?", [run_id])
            names = {tag.strip() for tag in tags} - {""}
            db.table("tags").insert_all({"run_id": run_id, "tag": tag} for tag in sorted(names))

    def note(self, run_id: str, text: str) -> None:
        """Set the note of a run; earlier notes are kept as rows but no longer shown."""
        with self._db.write() as db:
            _require(db, run_id)
            db.table("notes").insert({"run_id": run_id, "body": text, "written": utc_now()})

    # -- details ---------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the database and of the runs of this process, as its end would."""
        self._owner.release()
        self._db.close()

    def _require_ours(self, db: Connection, run_id: str) -> None:
        row = _require(db, run_id, "status, owner")
        if row["status"] != "running" or row["owner"] != self._owner.claim():
            state = "running in another process" if row["status"] == "running" else row["status"]
            raise StoreError(f"the run is {state} and takes no more results from here.", where=run_id)


def _load(db: Connection, run_id: str) -> Run:
    row = _require(db, run_id)
    reports = list(db.query("select * from reports where run_id = ?", [run_id]))
    calls: dict[str, list[Row]] = {report["agent"]: [] for report in reports}
    for call in db.query("select * from calls where run_id = ? order by agent, position", [run_id]):
        calls[call["agent"]].append(call)
    texts = _texts(db, {row["strategy_text_hash"], *rows.named_texts(reports, chain(*calls.values()))})
    return rows.run_record(
        row,
        texts[row["strategy_text_hash"]],
        [rows.report_record(report, calls[report["agent"]], texts) for report in reports],
    )


def _require(db: Connection, run_id: str, columns: str = "*") -> Row:
    found: Row | None = next(db.query(f"select {columns} from runs where run_id = ?", [run_id]), None)
    if found is None:
        raise InputError(f"there is no run {run_id[:60]!r}.", remedy="See 'workbench runs'.")
    return found


def _free_id(db: Connection, started: str) -> str:
    """An id no run has; hundreds of a batch begin within the second that it tells."""
    second = started[:19].replace("-", "").replace(":", "").replace("T", "-")
    while True:
        run_id = f"{second}-{secrets.token_hex(3)}"
        if not db.conn.execute("select 1 from runs where run_id = ?", [run_id]).fetchone():
            return run_id


def _keep(db: Connection, texts: Texts) -> None:
    insert(db, "texts", ({"hash": name, "body": body} for name, body in texts.items()), ignore=True)


def _texts(db: Connection, hashes: Iterable[str]) -> dict[str, str]:
    wanted = json.dumps(list(hashes))
    found = db.query("select hash, body from texts where hash in (select value from json_each(?))", [wanted])
    return {row["hash"]: row["body"] for row in found}


def _where(filters: RunFilter) -> tuple[str, list[object]]:
    """The SQL of the filters given, and its values."""
    conditions: list[str] = []
    values: list[object] = []

    def add(condition: str, *given: object) -> None:
        conditions.append(condition)
        values.extend(given)

    for name, column in _EQUAL.items():
        if (value := filters.get(name)) is not None:
            add(f"r.{column} = ?", value)
    if (tag := filters.get("tag")) is not None:
        add("exists (select 1 from tags t where t.run_id = r.run_id and t.tag = ?)", tag)
    if text := (filters.get("text") or "").strip():
        pattern = "%" + "".join(f"\\{c}" if c in "\\%_" else c for c in text) + "%"
        found = [f"{place} like ? escape '\\'" for place in _SEARCHED]
        found.append("r.subject_key in (select value from json_each(?))")
        also = json.dumps(list(filters.get("also", ())))
        add(f"({' or '.join(found)})", *[pattern] * len(_SEARCHED), also)
    return ("where " + " and ".join(conditions) if conditions else ""), values
