"""How fast the feed of signals answers with 5,000 of them on record: the queries of a page, and the page.

The page is run as a browser would have it run, by Streamlit's own test harness: filters, twelve cards with
their reports read and added up, banner and all.
"""

from __future__ import annotations

import datetime as dt
import os
import statistics
import time
from collections.abc import Callable

from streamlit import config
from streamlit.testing.v1 import AppTest

from benchmarks.bench import ROOT, conclude, new_workspace
from tests.signal_samples import finished_signal
from workbench.records import Urgency
from workbench.store.signals import SignalStore

SIGNALS = 5_000
ROUNDS = 7
CARDS = 12
BOUND_S = 0.5

FIGURES: tuple[tuple[Urgency, float], ...] = (("FLASH", 0.9), ("ALERT", 0.7), ("NOTE", 0.5), ("FYI", 0.2))
TICKERS = ("AAPL", "MSFT", "600519.SH", "00700.HK")


def median_s(call: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def queries(signals: SignalStore) -> None:
    signals.counts()
    signals.events()
    signals.tickers()
    signals.counts(urgencies=("ALERT",), tickers=("MSFT",))
    signals.find(limit=CARDS, offset=240, urgencies=("ALERT",), tickers=("MSFT",))


def main() -> None:
    with new_workspace() as workspace:
        first = dt.date(2020, 1, 1)
        for n in range(SIGNALS):
            urgency, impact = FIGURES[n % 4]
            day = first + dt.timedelta(days=n % 1500)
            ticker = TICKERS[n // 4 % 4]
            finished_signal(workspace.store, str(n), day, urgency, impact, tickers=(ticker,))
        os.environ["WORKBENCH_HOME"] = str(workspace.root)
        config.set_option("server.address", "127.0.0.1")
        app = AppTest.from_file(str(ROOT / "workbench" / "app.py"), default_timeout=60)
        app.run()
        app.switch_page("../pages/signals.py").run()
        asked = [TICKERS[n % 4] for n in range(ROUNDS)]
        rest = iter(asked)
        page = median_s(lambda: app.multiselect(key="signals.ticker").set_value([next(rest)]).run())
        assert sum(asked[-1][:6] in element.value for element in app.markdown) >= CARDS
        looks = median_s(workspace.store.signals.second_looks)
        conclude(
            ("queries of a filtered page, s", median_s(lambda: queries(workspace.store.signals)), BOUND_S),
            ("the filtered page, s", page, BOUND_S),
            ("25,000 second looks, s", looks, 2 * BOUND_S),
        )


if __name__ == "__main__":
    main()
