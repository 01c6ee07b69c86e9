"""The tables of the evidence database, and each step that led to them. Released steps never change."""

from __future__ import annotations

from sqlite_utils import Database, Migrations

migrations = Migrations("evidence")


@migrations()
def create_tables(db: Database) -> None:
    # A date is NULL (nobody knows) or a real ISO day. Point-in-time comparisons are text comparisons and
    # hold only because of this check. IS and not =, because a check that comes to NULL passes; the modifier
    # because without it date() leaves 2019-02-30 as it is.
    day = "TEXT CHECK ({0} IS date({0}, '+0 days'))".format
    tables = {
        "instruments": f"""
            code TEXT NOT NULL, name TEXT NOT NULL, name_en TEXT, aliases TEXT, exchange TEXT, currency TEXT,
            industry TEXT, industry_kind TEXT, listed {day("listed")}, note TEXT""",
        "statements": f"""
            code TEXT NOT NULL, fiscal_year INTEGER NOT NULL, period_end {day("period_end")} NOT NULL,
            published {day("published")}, published_estimated INTEGER NOT NULL DEFAULT 0,
            currency TEXT NOT NULL, share_basis {day("share_basis")},
            item TEXT NOT NULL, value REAL NOT NULL""",
        "prices": f"""
            code TEXT NOT NULL, date {day("date")}, close REAL NOT NULL CHECK (close > 0),
            share_basis {day("share_basis")}""",
        "dividends": f"""
            code TEXT NOT NULL, ex_date {day("ex_date")}, cash_per_share REAL NOT NULL, fiscal_year INTEGER,
            kind TEXT CHECK (kind IN ('interim', 'final', 'special'))""",
        "events": f"""
            code TEXT NOT NULL, date {day("date")}, value REAL NOT NULL CHECK (value > 0), note TEXT,
            kind TEXT NOT NULL CHECK (kind IN ('split', 'share_count', 'new_business'))""",
        "matches": f"""
            competition TEXT NOT NULL, season TEXT NOT NULL, date {day("date")},
            home TEXT NOT NULL, away TEXT NOT NULL, home_goals INTEGER, away_goals INTEGER,
            home_xg REAL, away_xg REAL, home_nsxg REAL, away_nsxg REAL,
            ref_home REAL, ref_draw REAL, ref_away REAL""",
        "absences": f"""
            team TEXT NOT NULL, player TEXT NOT NULL, kind TEXT, detail TEXT, since {day("since")},
            until {day("until")}, published {day("published")}, source TEXT""",
        "documents": f"""
            kind TEXT NOT NULL, source TEXT NOT NULL, url TEXT, language TEXT, title TEXT NOT NULL, body TEXT,
            code TEXT, published {day("published")}, published_at TEXT, fetched_at TEXT""",
        "indicators": f"""
            name TEXT NOT NULL, period TEXT NOT NULL, value REAL NOT NULL, unit TEXT, source TEXT,
            published {day("published")}""",
    }
    for name, columns in tables.items():
        db.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, origin TEXT NOT NULL, {columns}) STRICT")
    for name, column in (
        ("instruments", "code"),
        ("statements", "code"),
        ("prices", "code"),
        ("dividends", "code"),
        ("events", "code"),
        ("matches", "home"),
        ("matches", "away"),
        ("matches", "competition"),
        ("absences", "team"),
        ("documents", "code"),
        ("documents", "published"),
        ("indicators", "name"),
    ):
        db.execute(f"CREATE INDEX {name}_{column} ON {name} ({column})")
    db.execute("CREATE TABLE facts_loaded (sha256 TEXT NOT NULL) STRICT")


@migrations()
def add_match_details(db: Database) -> None:
    """What became of a match beyond its 90 minutes, and what bookmakers offered before it."""
    statuses = "'played', 'scheduled', 'postponed', 'abandoned', 'awarded', 'cancelled'"
    for column in (
        f"status TEXT CHECK (status IN ({statuses}))",
        "round TEXT",
        *(f"{score}_{side} INTEGER" for score in ("extra", "pens") for side in ("home", "away")),
        *(f"odds_{side} REAL CHECK (odds_{side} > 1)" for side in ("home", "draw", "away")),
        "odds_source TEXT",
        "note TEXT",
    ):
        db.execute(f"ALTER TABLE matches ADD COLUMN {column}")


@migrations()
def add_items_and_relations(db: Database) -> None:
    """The identity of a document, and who supplies, buys from, owns or competes with whom."""
    db.execute("ALTER TABLE documents ADD COLUMN item TEXT")
    db.execute("CREATE INDEX documents_item ON documents (item)")
    db.execute("CREATE INDEX documents_kind ON documents (kind, published)")
    kinds = "'supplier', 'customer', 'partner', 'holding', 'shareholder', 'peer'"
    db.execute(
        f"""CREATE TABLE relations (id INTEGER PRIMARY KEY, origin TEXT NOT NULL, code TEXT NOT NULL,
            other TEXT NOT NULL, other_name TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ({kinds})),
            note TEXT, published TEXT CHECK (published IS date(published, '+0 days'))) STRICT"""
    )


@migrations()
def add_fetch_time_of_indicators(db: Database) -> None:
    """When a feed fetched a reading, beside the day it was published."""
    db.execute("ALTER TABLE indicators ADD COLUMN fetched_at TEXT")


@migrations()
def add_moved_matches(db: Database) -> None:
    """The day a fixture was put on instead, as a later row of its old day."""
    db.execute("ALTER TABLE matches ADD COLUMN moved_to TEXT CHECK (moved_to IS date(moved_to, '+0 days'))")
