"""The schema of ``data/runs.db``, as numbered steps.

Rows are inserted once; only the state of a run and its marks (star, tags) change later. Long texts live
in ``texts`` under their sha256 and are named from everywhere else by hash, so a prompt template, a
strategy or an evidence page that a thousand runs share is stored once. What a list needs to sort and
filter by is a column; what is only shown is JSON, and columns that repeat a JSON value are generated from
it so that the two cannot disagree.

A released step never changes: a new need is a new step at the end.
"""

from __future__ import annotations

from sqlite_utils import Database, Migrations

migrations = Migrations("runs")


@migrations()
def m001_runs(db: Database) -> None:
    """Runs with their reports, calls and marks."""
    db.executescript(
        """
        create table texts (
            hash text primary key,
            body text not null
        );
        create table runs (
            run_id text primary key,
            pipeline text not null,
            status text not null,
            subject_key text not null,
            subject_title text not null,
            subject text not null,
            as_of text not null,
            strategy text not null,
            strategy_hash text not null,
            strategy_text_hash text not null references texts(hash),
            prompt_version text not null,
            language text not null,
            specialist_model text not null,
            aggregator_model text not null,
            agents text not null,
            started text not null,
            finished text,
            retry_of text references runs(run_id),
            batch_id text references batches(batch_id),
            owner text not null,
            verdict text,
            receipt text,
            error text not null default '',
            starred integer not null default 0,
            score real as (json_extract(verdict, '$.score')) stored,
            label text as (json_extract(verdict, '$.label')) stored
        );
        create index runs_by_start on runs(started);
        create index runs_by_status on runs(status);
        create index runs_by_subject on runs(subject_key, started);
        create index runs_by_strategy on runs(strategy, started);
        create index runs_by_batch on runs(batch_id);

        create table reports (
            run_id text not null references runs(run_id),
            agent text not null,
            title text not null,
            role text not null,
            scale text not null,
            status text not null,
            evidence_hash text not null references texts(hash),
            draft text,
            revised text,
            error text not null default '',
            saved text not null,
            primary key (run_id, agent)
        );
        create table calls (
            run_id text not null,
            agent text not null,
            position integer not null,
            stage text not null,
            attempt integer not null,
            requested_model text not null,
            resolved_model text not null,
            params text not null,
            system_hash text not null references texts(hash),
            prompt_hash text not null references texts(hash),
            prompt_version text not null,
            template_hash text not null,
            reply_hash text not null references texts(hash),
            input_tokens integer,
            cached_tokens integer,
            output_tokens integer,
            cost real,
            cost_source text not null,
            latency_s real not null,
            cache_hit integer not null,
            error text not null,
            started text not null,
            primary key (run_id, agent, position),
            foreign key (run_id, agent) references reports(run_id, agent)
        );
        create table batches (
            batch_id text primary key,
            pipeline text not null,
            title text not null,
            spec text not null,
            status text not null,
            owner text not null,
            created text not null,
            finished text
        );
        create table tags (
            run_id text not null references runs(run_id),
            tag text not null,
            primary key (run_id, tag)
        );
        create table notes (
            id integer primary key,
            run_id text not null references runs(run_id),
            body text not null,
            written text not null
        );
        create index notes_by_run on notes(run_id);
        """
    )


@migrations()
def m002_outcomes_and_chats(db: Database) -> None:
    """What happened after the as-of date, and the follow-up questions asked about a subject."""
    db.executescript(
        """
        create table outcomes (
            id integer primary key,
            subject_key text not null,
            as_of text not null,
            measure text not null,
            value real,
            observed text,
            source text not null,
            recorded text not null
        );
        create index outcomes_by_subject on outcomes(subject_key, as_of, measure);
        create table chats (
            chat_id text primary key,
            subject_key text not null,
            subject text not null,
            run_id text references runs(run_id),
            model text not null,
            started text not null
        );
        create table chat_messages (
            id integer primary key,
            chat_id text not null references chats(chat_id),
            role text not null,
            body text not null,
            details text not null default '{}',
            written text not null
        );
        create index chat_messages_by_chat on chat_messages(chat_id);
        """
    )


@migrations()
def m003_strategy_history(db: Database) -> None:
    """Every saved version of a strategy, and the unsaved draft of each."""
    db.executescript(
        """
        create table strategy_versions (
            id integer primary key,
            strategy text not null,
            hash text not null,
            text_hash text not null references texts(hash),
            author text not null,
            note text not null,
            saved text not null
        );
        create index strategy_versions_by_name on strategy_versions(strategy, saved);
        create table strategy_drafts (
            strategy text primary key,
            base_hash text not null,
            body text not null,
            edited text not null
        );
        """
    )


@migrations()
def m004_batch_items(db: Database) -> None:
    """What each batch consists of, and the sessions it was carried out in."""
    db.executescript(
        """
        alter table batches add column strategy text not null default '';
        alter table batches add column strategy_text_hash text references texts(hash);
        alter table batches add column begun text not null default '';
        alter table batches add column error text not null default '';
        create table batch_items (
            batch_id text not null references batches(batch_id),
            position integer not null,
            subject text not null,
            subject_key text not null,
            subject_title text not null,
            as_of text not null,
            run_id text references runs(run_id),
            error text not null default '',
            primary key (batch_id, position)
        ) without rowid;
        """
    )


@migrations()
def m005_payments(db: Database) -> None:
    """What was paid to providers, day by day."""
    db.execute(
        "create table payments"
        " (day text primary key, cost real not null, calls integer not null) strict, without rowid"
    )


@migrations()
def m006_blind(db: Database) -> None:
    """What a run hid from its models; runs before this hid nothing or say so in their strategy."""
    db.execute("alter table runs add column blind text not null default 'none'")


@migrations()
def m007_signals(db: Database) -> None:
    """The feed: the newest signal of each news item, the tickers it names, and whom it was delivered to.

    A trigger fills it, because whoever finishes a run, here or in a worker, finishes it with one update.
    """
    db.executescript(
        """
        create table signals (
            item text primary key,
            run_id text not null references runs(run_id),
            published text not null,
            urgency text not null,
            impact real not null,
            confidence real not null,
            event_type text,
            direction text,
            finished text not null,
            dismissed text
        ) without rowid;
        create index signals_by_day on signals(published);
        create index signals_by_urgency on signals(urgency, published);
        create table signal_tickers (
            ticker text not null,
            item text not null references signals(item),
            primary key (ticker, item)
        ) without rowid;
        create index signal_tickers_by_item on signal_tickers(item);
        create trigger signals_of_runs after update of verdict on runs
        when new.pipeline = 'signals' and new.status = 'done'
            and json_extract(new.verdict, '$.label') is not null
        begin
            delete from signal_tickers where item = new.subject_key;
            delete from signals where item = new.subject_key;
            insert into signals values (
                new.subject_key, new.run_id, new.as_of,
                json_extract(new.verdict, '$.label'),
                json_extract(new.verdict, '$.score'),
                json_extract(new.verdict, '$.confidence'),
                json_extract(new.verdict, '$.fields.event_type'),
                json_extract(new.verdict, '$.fields.direction'),
                new.finished, null
            );
            insert into signal_tickers
            select distinct json_extract(value, '$.ticker'), new.subject_key
            from json_each(new.verdict, '$.fields.tickers');
        end;
        update runs set verdict = verdict where pipeline = 'signals' and status = 'done';

        create table watchlist (ticker text primary key, added text not null) without rowid;

        create table deliveries (
            id integer primary key,
            item text not null,
            urgency text not null,
            target text not null,
            run_id text not null references runs(run_id),
            state text not null,
            attempts integer not null,
            due text not null,
            error text not null default '',
            updated text not null,
            unique (item, urgency, target)
        );
        """
    )


@migrations()
def m008_repeats(db: Database) -> None:
    """Which repeat of a question a run is; runs before this were asked it once."""
    db.execute("alter table runs add column repeat integer not null default 0")
