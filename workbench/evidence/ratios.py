"""Financial ratios as plain functions, one formula each (see ``formula`` for how they are worked out).

Amounts are in the currency of the statements, shares of one are fractions (0.25 is 25 %), and flows cover
one fiscal year. Capital expenditure and dividends are positive outflows.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.evidence.formula import NotMeaningful, annual, mean, positive, valuation

DAYS_A_YEAR = 365


# --- profitability -----------------------------------------------------------------------------------


@annual("operating")
def gross_margin(gross_profit: float, revenue: float) -> float:
    """Gross profit / revenue."""
    return gross_profit / positive(revenue, "revenue")


@annual("any")
def operating_margin(operating_profit: float, revenue: float) -> float:
    """Operating profit / revenue."""
    return operating_profit / positive(revenue, "revenue")


@annual("any")
def net_margin(net_profit: float, revenue: float) -> float:
    """Profit attributable to the parent / revenue."""
    return net_profit / positive(revenue, "revenue")


@annual("any")
def roe(net_profit: float, equity_parent: float, equity_parent_before: float) -> float:
    """Return on equity: profit attributable to the parent / mean of opening and closing equity.

    Equity includes preference shares and perpetual bonds where a bank has them, so its ROE is lower here
    than the one it publishes.

    Undefined when either equity is not positive: two negatives would make a loss look like a return.
    """
    return net_profit / mean(equity_parent, equity_parent_before, "equity")


@annual("any")
def roa(net_profit: float, total_assets: float, total_assets_before: float) -> float:
    """Return on assets: profit attributable to the parent / mean of opening and closing total assets."""
    return net_profit / mean(total_assets, total_assets_before, "assets")


@annual("operating")
def interest_bearing_debt(short_term_debt: float, long_term_debt: float) -> float:
    """Short-term debt (with the part of long-term debt due within a year) + long-term debt; no leases."""
    return short_term_debt + long_term_debt


@annual("operating")
def roic(
    ebit: float,
    total_equity: float,
    total_equity_before: float,
    interest_bearing_debt: float,
    interest_bearing_debt_before: float,
) -> float:
    """Return on invested capital before tax: EBIT / mean of opening and closing equity plus debt.

    Before tax because the facts hold no tax charge; do not compare it with an after-tax cost of capital.
    """
    opening = total_equity_before + interest_bearing_debt_before
    closing = total_equity + interest_bearing_debt
    return ebit / mean(closing, opening, "invested capital")


# --- growth ------------------------------------------------------------------------------------------


@annual("any")
def revenue_growth(revenue: float, revenue_before: float) -> float:
    """Revenue / revenue of the year before - 1."""
    return revenue / positive(revenue_before, "revenue of the year before") - 1


@annual("any")
def profit_growth(net_profit: float, net_profit_before: float) -> float:
    """Net profit / net profit of the year before - 1; undefined after a loss, where its sign would lie."""
    return net_profit / positive(net_profit_before, "net profit of the year before") - 1


# --- cash --------------------------------------------------------------------------------------------


@annual("operating")
def cash_conversion(cfo: float, net_profit: float) -> float:
    """Operating cash flow / net profit; undefined in a loss year."""
    return cfo / positive(net_profit, "net profit")


@annual("operating")
def accruals(net_profit: float, cfo: float, total_assets: float, total_assets_before: float) -> float:
    """(Net profit - operating cash flow) / mean total assets: the part of profit that is not cash.

    Source: Sloan, The Accounting Review 71 (1996), in the cash-flow form of Hribar and Collins (2002).
    """
    return (net_profit - cfo) / mean(total_assets, total_assets_before, "assets")


@annual("operating")
def fcf(cfo: float, capex: float) -> float:
    """Free cash flow: operating cash flow - capital expenditure, in currency units."""
    return cfo - capex


@annual("operating")
def fcf_margin(fcf: float, revenue: float) -> float:
    """Free cash flow / revenue."""
    return fcf / positive(revenue, "revenue")


@annual("operating")
def capex_to_revenue(capex: float, revenue: float) -> float:
    """Capital expenditure / revenue."""
    return capex / positive(revenue, "revenue")


@annual("operating")
def capex_to_depreciation(capex: float, depreciation_amortization: float) -> float:
    """Capital expenditure / depreciation and amortisation: above 1 the asset base grows."""
    return capex / positive(depreciation_amortization, "depreciation")


@annual("any")
def payout(cash_dividends: float, net_profit: float) -> float:
    """Cash dividends / net profit of the same fiscal year; undefined in a loss year.

    The dividends are those declared out of the year's profit where they name their fiscal year, else those
    paid during it.
    """
    return cash_dividends / positive(net_profit, "net profit")


@annual("operating")
def dividend_cover(fcf: float, cash_dividends: float) -> float:
    """Free cash flow / cash dividends: below 1 the dividend is not earned in cash."""
    return fcf / positive(cash_dividends, "dividends")


# --- debt and liquidity ------------------------------------------------------------------------------


@annual("operating")
def net_cash(cash: float, interest_bearing_debt: float) -> float:
    """Cash - interest-bearing debt, in currency units; negative is net debt."""
    return cash - interest_bearing_debt


@annual("operating")
def debt_to_equity(interest_bearing_debt: float, total_equity: float) -> float:
    """Interest-bearing debt / total equity."""
    return interest_bearing_debt / positive(total_equity, "equity")


@annual("operating")
def net_gearing(net_cash: float, total_equity: float) -> float:
    """(Interest-bearing debt - cash) / total equity; negative with net cash.

    The second of the three red lines for Chinese developers (2020), which asks for at most 1.
    """
    return -net_cash / positive(total_equity, "equity")


@annual("operating")
def debt_to_assets(total_liabilities: float, total_assets: float) -> float:
    """Total liabilities / total assets (资产负债率)."""
    return total_liabilities / positive(total_assets, "assets")


@annual("operating")
def debt_to_assets_ex_advances(
    total_liabilities: float, total_assets: float, contract_liabilities: float
) -> float:
    """Liabilities / assets, both without customer prepayments, which are settled in goods and not in cash.

    The first of the three red lines for Chinese developers (2020), which asks for at most 0.7.
    """
    assets = positive(total_assets - contract_liabilities, "assets without prepayments")
    return (total_liabilities - contract_liabilities) / assets


@annual("operating")
def cash_to_short_debt(cash: float, short_term_debt: float) -> float:
    """Cash / debt due within a year; the third red line for Chinese developers (2020) asks for at least 1."""
    return cash / positive(short_term_debt, "short-term debt")


@annual("operating")
def cfo_to_debt(cfo: float, interest_bearing_debt: float) -> float:
    """Operating cash flow / interest-bearing debt."""
    return cfo / positive(interest_bearing_debt, "interest-bearing debt")


@annual("operating")
def interest_cover(ebit: float, interest_expense: float) -> float:
    """EBIT / interest expense. Capitalised interest is in neither."""
    return ebit / positive(interest_expense, "interest expense")


@annual("operating")
def current_ratio(current_assets: float, current_liabilities: float) -> float:
    """Current assets / current liabilities."""
    return current_assets / positive(current_liabilities, "current liabilities")


@annual("operating")
def goodwill_to_equity(goodwill: float, total_equity: float) -> float:
    """Goodwill / total equity."""
    return goodwill / positive(total_equity, "equity")


# --- working capital ---------------------------------------------------------------------------------


@annual("operating")
def asset_turnover(revenue: float, total_assets: float, total_assets_before: float) -> float:
    """Revenue / mean of opening and closing total assets."""
    return revenue / mean(total_assets, total_assets_before, "assets")


@annual("operating")
def receivable_days(accounts_receivable: float, revenue: float) -> float:
    """Year-end trade receivables in days of revenue."""
    return DAYS_A_YEAR * accounts_receivable / positive(revenue, "revenue")


@annual("operating")
def inventory_days(inventory: float, operating_cost: float) -> float:
    """Year-end inventory in days of cost of revenue."""
    return DAYS_A_YEAR * inventory / positive(operating_cost, "cost of revenue")


@annual("operating")
def payable_days(accounts_payable: float, operating_cost: float) -> float:
    """Year-end trade payables in days of cost of revenue."""
    return DAYS_A_YEAR * accounts_payable / positive(operating_cost, "cost of revenue")


# --- banks -------------------------------------------------------------------------------------------


@annual("financial")
def net_interest_to_assets(
    net_interest_income: float, total_assets: float, total_assets_before: float
) -> float:
    """Net interest income / mean total assets.

    Lies below the net interest margin a bank publishes, which divides by interest-earning assets only.
    """
    return net_interest_income / mean(total_assets, total_assets_before, "assets")


@annual("financial")
def fee_share(fee_income: float, revenue: float) -> float:
    """Net fee and commission income / operating income."""
    return fee_income / positive(revenue, "revenue")


@annual("financial")
def impairment_to_revenue(credit_impairment: float, revenue: float) -> float:
    """Credit impairment loss / operating income: how much of the income bad loans take."""
    return credit_impairment / positive(revenue, "revenue")


@annual("any")
def equity_to_assets(total_equity: float, total_assets: float) -> float:
    """Total equity / total assets: a bank's plain leverage, not its regulatory capital ratio."""
    return total_equity / positive(total_assets, "assets")


# --- price against the newest statement --------------------------------------------------------------


@valuation("any")
def market_cap(statement_price: float, shares: float) -> float:
    """Price in the currency of the statements x shares outstanding, both on one split basis."""
    return statement_price * shares


@valuation("any")
def pe(market_cap: float, net_profit: float) -> float:
    """Price to earnings of the last fiscal year; undefined in a loss year."""
    return market_cap / positive(net_profit, "net profit")


@valuation("any")
def pb(market_cap: float, equity_parent: float) -> float:
    """Price to book; undefined with negative equity."""
    return market_cap / positive(equity_parent, "equity")


@valuation("any")
def ps(market_cap: float, revenue: float) -> float:
    """Price to revenue."""
    return market_cap / positive(revenue, "revenue")


@valuation("operating")
def ev(
    market_cap: float,
    interest_bearing_debt: float,
    total_equity: float,
    equity_parent: float,
    cash: float,
) -> float:
    """Enterprise value: market cap + interest-bearing debt + minority interest at book - cash."""
    return market_cap + interest_bearing_debt + (total_equity - equity_parent) - cash


@valuation("operating")
def ev_fcf(ev: float, fcf: float) -> float:
    """Enterprise value / free cash flow: years of today's free cash flow that buy the business."""
    return positive(ev, "enterprise value") / positive(fcf, "free cash flow")


@valuation("operating")
def ev_ebit(ev: float, ebit: float) -> float:
    """Enterprise value / EBIT."""
    return positive(ev, "enterprise value") / positive(ebit, "EBIT")


@valuation("operating")
def fcf_yield(fcf: float, market_cap: float) -> float:
    """Free cash flow / market cap; negative when cash flows out."""
    return fcf / positive(market_cap, "market cap")


@valuation("any")
def dividend_yield(dividend_per_share: float, price: float) -> float:
    """Cash dividends per share of a full year / price, before tax.

    The year is the last fiscal year whose final dividend has gone ex. Counting ex-dates of the last twelve
    months instead, which is done only where dividends name no fiscal year, counts two finals whenever a
    company pays a little earlier than the year before.
    """
    return dividend_per_share / positive(price, "price")


# --- price history -----------------------------------------------------------------------------------


def price_position(closes: Sequence[float]) -> float:
    """Share of the earlier closes that lie below the last one: 0 is the lowest of the window, 1 the highest.

    Args:
        closes: Closing prices on one split basis, oldest first, the current one last.

    Raises:
        NotMeaningful: Fewer than 24 closes.
    """
    if len(closes) < MIN_CLOSES:
        raise NotMeaningful(f"only {len(closes)} closes in five years, {MIN_CLOSES} are needed")
    *earlier, last = closes
    return sum(close < last for close in earlier) / len(earlier)


MIN_CLOSES = 24
"""Closes below which a position within the price history says nothing: two years of month ends."""


def drawdown(closes: Sequence[float]) -> float:
    """Fall of the last close from the highest of the window, 0 (at the high) to 1.

    Raises:
        NotMeaningful: There is no close.
    """
    if not closes:
        raise NotMeaningful("there is no price")
    return 1 - closes[-1] / max(closes)
