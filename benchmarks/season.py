"""The baseline over two Premier League seasons, beside three yardsticks on the same 760 matches.

- ``base rates``: the shares of home wins, draws and away wins in the season before;
- ``published``: the forecast FiveThirtyEight published before each match;
- ``penaltyblog``: Dixon and Coles' model fitted by that package (extra ``peers``) to all earlier goals, again
  every week, with its usual decay of 0.0018 a day; base rates where a club is new to the data.

The batch is the product as it is used: two worker processes, evidence, prompts, six agents, rules, storage.
No constant of the baseline was chosen on these matches: all come from the season 2016-17, which is not judged
here. Runs are stored in a new workspace, so that nothing is answered from an earlier run.
"""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.bench import conclude, new_workspace
from workbench.evaluate.forecasts import Contestant, Forecast, base_rates, judge, yardsticks
from workbench.evaluate.scoreboard import METRICS, difference, score, scoreboard
from workbench.evaluate.uncertainty import Estimate
from workbench.evidence.view import Match
from workbench.records import Outcome
from workbench.rules.poisson import OUTCOMES

COMPETITION = "English Premier League"
FIRST_DAY, LAST_DAY = dt.date(2017, 8, 1), dt.date(2019, 6, 30)
MATCHES = 760
DECAY = 0.0018

SECONDS_BOUND = 20.0
PUBLISHED_BOUND = 1.025
PEER_BOUND = 1.0
AGREEMENT_BOUND = 1e-9

PENALTYBLOG = Contestant("penaltyblog", "Dixon-Coles, weekly", "")


def run_seasons(workspace: Path) -> tuple[float, float]:
    """Run both seasons as a user would, in two worker processes: seconds by the clock, and of CPU."""
    command = [sys.executable, "-m", "workbench", "--workspace", str(workspace), "batch", "match"]
    which = ["--competition", COMPETITION, "--from", str(FIRST_DAY), "--to", str(LAST_DAY)]
    how = ["--strategy", "match", "--model", "baseline", "--processes", "2"]
    started, before = time.perf_counter(), os.times()
    subprocess.run([*command, *which, *how], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - started, cpu


def dixon_coles(judged: Sequence[Match], history: Sequence[Match]) -> Iterator[Forecast]:
    """penaltyblog's forecast of each match, fitted to what was played before the Monday of its week."""
    import penaltyblog

    rates = base_rates(history)
    for week, matches in groupby(judged, key=lambda match: match.date.isocalendar()[:2]):
        monday = dt.date.fromisocalendar(*week, 1)
        past = [match for match in history if match.date < monday]
        model = penaltyblog.models.DixonColesGoalModel(
            [match.home_goals for match in past],
            [match.away_goals for match in past],
            [match.home for match in past],
            [match.away for match in past],
            weights=penaltyblog.models.dixon_coles_weights(
                [match.date for match in past], DECAY, base_date=monday
            ),
        )
        model.fit()
        known = {club for match in past for club in (match.home, match.away)}
        for match in matches:
            probabilities: Mapping[Outcome, float] = rates[match.competition, match.season]
            if {match.home, match.away} <= known:
                said = model.predict(match.home, match.away).home_draw_away
                probabilities = {outcome: p / sum(said) for outcome, p in zip(OUTCOMES, said, strict=True)}
            yield Forecast(PENALTYBLOG, match, probabilities, None)


def disagreement(forecasts: Sequence[Forecast]) -> float:
    """How far our mean RPS of some forecasts is from penaltyblog's."""
    import penaltyblog

    theirs = penaltyblog.metrics.rps_average(
        [[forecast.probabilities[outcome] for outcome in OUTCOMES] for forecast in forecasts],
        [OUTCOMES.index(forecast.outcome) for forecast in forecasts],
    )
    return abs(value(score(forecasts, "rps")) - float(theirs))


def value(estimate: Estimate) -> float:
    assert estimate.value is not None, "there is not enough data"
    return estimate.value


def shown(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "–"
    return f"{estimate.value:.4f} ({estimate.low:.4f} … {estimate.high:.4f})"


def main() -> None:
    try:
        import penaltyblog
    except ImportError:
        sys.exit("This benchmark needs the extra peers: pip install 'analyst-workbench[peers]'")
    with new_workspace() as workspace:
        seconds, cpu = run_seasons(workspace.root)
        history = workspace.evidence.view(dt.date.max).matches(competition=COMPETITION)
        judgement = judge(workspace.store.outlines(pipeline="match"), history)
        workspace.store.close()
    assert not judgement.left_out, judgement.reasons
    judged = [match for match in history if FIRST_DAY <= match.date <= LAST_DAY]
    assert len(judged) == len(judgement.judged) == MATCHES
    baseline = [each.forecast for each in judgement.judged]
    others = yardsticks(judged, history)
    peer = list(dixon_coles(judged, history))

    print(f"{len(judged)} matches, penaltyblog {penaltyblog.__version__}, {os.cpu_count()} cores")
    for line in scoreboard([*baseline, *others, *peer]):
        figures = ", ".join(f"{metric} {shown(line.scores[metric])}" for metric in METRICS)
        print(f"{line.contestant.provider} {line.contestant.model}: n {line.matches}, {figures}")
    published = [forecast for forecast in others if forecast.contestant.model == "published"]
    for name, rival in (("published", published), ("penaltyblog", peer)):
        print(f"baseline minus {name}, RPS match by match: {shown(difference(baseline, rival, 'rps'))}")
    print(f"the batch took {cpu:.1f} s of CPU")
    mine = value(score(baseline, "rps"))
    conclude(
        ("our RPS against penaltyblog's on the same forecasts", disagreement(peer), AGREEMENT_BOUND),
        ("seconds for 760 matches on two processes", seconds, SECONDS_BOUND),
        ("baseline RPS by penaltyblog's", mine / value(score(peer, "rps")), PEER_BOUND),
        ("baseline RPS by the published forecast's", mine / value(score(published, "rps")), PUBLISHED_BOUND),
    )


if __name__ == "__main__":
    main()
