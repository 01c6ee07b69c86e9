"""Composite scores of distress, strength and manipulation, each after its paper."""

from __future__ import annotations

from workbench.evidence.formula import annual, positive, valuation
from workbench.evidence.ratios import current_ratio, gross_margin

COMPOSITE_SCORES = ("altman_z2", "piotroski_f", "beneish_m")
"""The scores of a fiscal year; ``altman_z`` needs a price as well."""


@valuation("operating")
def altman_z(
    current_assets: float,
    current_liabilities: float,
    retained_earnings: float,
    ebit: float,
    market_cap: float,
    revenue: float,
    total_assets: float,
    total_liabilities: float,
) -> float:
    """Altman Z of 1968 for listed manufacturers: above 2.99 safe, below 1.81 distressed.

    1.2 X1 + 1.4 X2 + 3.3 X3 + 0.6 X4 + 1.0 X5 with X1 working capital / assets, X2 retained earnings /
    assets, X3 EBIT / assets, X4 market value of equity / liabilities, X5 revenue / assets.
    Source: Altman, Journal of Finance 23 (1968), in its usual decimal form.
    """
    assets = positive(total_assets, "assets")
    return (
        1.2 * (current_assets - current_liabilities) / assets
        + 1.4 * retained_earnings / assets
        + 3.3 * ebit / assets
        + 0.6 * market_cap / positive(total_liabilities, "liabilities")
        + 1.0 * revenue / assets
    )


@annual("operating")
def altman_z2(
    current_assets: float,
    current_liabilities: float,
    retained_earnings: float,
    ebit: float,
    total_equity: float,
    total_assets: float,
    total_liabilities: float,
) -> float:
    """Altman Z'' for firms outside manufacturing and emerging markets, without the constant.

    6.56 X1 + 3.26 X2 + 6.72 X3 + 1.05 X4 with X1 working capital / assets, X2 retained earnings / assets,
    X3 EBIT / assets, X4 book equity / liabilities. Above 2.6 safe, below 1.1 distressed.
    Source: Altman, Hotchkiss and Wang, Corporate Financial Distress, 4th ed. (2019), after Altman (1993).
    """
    assets = positive(total_assets, "assets")
    return (
        6.56 * (current_assets - current_liabilities) / assets
        + 3.26 * retained_earnings / assets
        + 6.72 * ebit / assets
        + 1.05 * total_equity / positive(total_liabilities, "liabilities")
    )


@annual("operating")
def piotroski_f(
    net_profit: float,
    net_profit_before: float,
    cfo: float,
    total_assets: float,
    total_assets_before: float,
    total_assets_before2: float,
    long_term_debt: float,
    long_term_debt_before: float,
    current_assets: float,
    current_assets_before: float,
    current_liabilities: float,
    current_liabilities_before: float,
    comparable_shares: float,
    comparable_shares_before: float,
    gross_profit: float,
    gross_profit_before: float,
    revenue: float,
    revenue_before: float,
) -> float:
    """Piotroski F-score, 0 (weak) to 9 (strong): one point for each sign of strength that holds.

    Profit, operating cash flow, rising return on assets, cash flow above profit, falling long-term debt to
    assets, rising current ratio, no new shares, rising gross margin, rising asset turnover. Returns and
    turnover are on opening assets, leverage on mean assets, as in the paper; ``comparable_shares`` are
    counts on one split basis. Source: Piotroski, Journal of Accounting Research 38 (2000).
    """
    opening, earlier = positive(total_assets_before, "assets"), positive(total_assets_before2, "assets")
    assets, assets_before = (total_assets + opening) / 2, (opening + earlier) / 2
    liquidity = current_ratio(current_assets, current_liabilities)
    liquidity_before = current_ratio(current_assets_before, current_liabilities_before)
    signals = (
        net_profit > 0,
        cfo > 0,
        net_profit / opening > net_profit_before / earlier,
        cfo > net_profit,
        long_term_debt / assets < long_term_debt_before / assets_before,
        liquidity > liquidity_before,
        comparable_shares <= comparable_shares_before,
        gross_margin(gross_profit, revenue) > gross_margin(gross_profit_before, revenue_before),
        revenue / opening > revenue_before / earlier,
    )
    return float(sum(signals))


@annual("operating")
def beneish_m(
    accounts_receivable: float,
    accounts_receivable_before: float,
    revenue: float,
    revenue_before: float,
    gross_profit: float,
    gross_profit_before: float,
    current_assets: float,
    current_assets_before: float,
    property_plant_equipment: float,
    property_plant_equipment_before: float,
    total_assets: float,
    total_assets_before: float,
    depreciation_amortization: float,
    depreciation_amortization_before: float,
    sga_expense: float,
    sga_expense_before: float,
    long_term_debt: float,
    long_term_debt_before: float,
    current_liabilities: float,
    current_liabilities_before: float,
    net_profit: float,
    cfo: float,
) -> float:
    """Beneish M-score of earnings manipulation, eight variables; above -1.78 is suspicious.

    -4.84 + 0.920 DSRI + 0.528 GMI + 0.404 AQI + 0.892 SGI + 0.115 DEPI - 0.172 SGAI + 4.679 TATA
    - 0.327 LVGI. TATA is (net profit - operating cash flow) / assets, the cash-flow form used since
    Beneish, Lee and Nichols (2013). Source: Beneish, Financial Analysts Journal 55 (1999).
    """
    receivables = accounts_receivable / positive(revenue, "revenue")
    receivables_before = accounts_receivable_before / positive(revenue_before, "revenue")
    margin = gross_margin(gross_profit, revenue)
    margin_before = gross_margin(gross_profit_before, revenue_before)
    soft = 1 - (current_assets + property_plant_equipment) / positive(total_assets, "assets")
    soft_before = 1 - (current_assets_before + property_plant_equipment_before) / positive(
        total_assets_before, "assets"
    )
    wear = depreciation_amortization / positive(
        depreciation_amortization + property_plant_equipment, "depreciable assets"
    )
    wear_before = depreciation_amortization_before / positive(
        depreciation_amortization_before + property_plant_equipment_before, "depreciable assets"
    )
    leverage = (long_term_debt + current_liabilities) / total_assets
    leverage_before = (long_term_debt_before + current_liabilities_before) / total_assets_before
    return (
        -4.84
        + 0.920 * receivables / positive(receivables_before, "receivables of the year before")
        + 0.528 * margin_before / positive(margin, "gross margin")
        + 0.404 * soft / positive(soft_before, "other assets of the year before")
        + 0.892 * revenue / revenue_before
        + 0.115 * wear_before / positive(wear, "depreciation")
        - 0.172
        * (sga_expense / revenue)
        / positive(sga_expense_before / revenue_before, "selling expense of the year before")
        + 4.679 * (net_profit - cfo) / total_assets
        - 0.327 * leverage / positive(leverage_before, "leverage of the year before")
    )
