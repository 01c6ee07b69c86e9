"""What statement items and ratios are called in Chinese, and in which unit they are.

The order is the order in which statements are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Unit = Literal["amount", "fraction", "multiple", "days", "per_share", "shares"]
"""An amount is in currency units; a fraction of 0.25 is 25 %; per-share figures are currency per share."""

_NAMES: Mapping[Unit, Mapping[str, str]] = {
    "amount": {
        "revenue": "营业收入",
        "operating_cost": "营业成本",
        "gross_profit": "毛利",
        "net_interest_income": "利息净收入",
        "fee_income": "手续费净收入",
        "credit_impairment": "信用减值损失",
        "sga_expense": "销售及管理费用",
        "rnd_expense": "研发费用",
        "finance_cost": "财务费用",
        "interest_expense": "利息支出",
        "operating_profit": "营业利润",
        "ebit": "息税前利润",
        "net_profit": "归母净利润",
        "net_profit_ex_nonrecurring": "扣非归母净利润",
        "cash": "货币资金",
        "accounts_receivable": "应收账款",
        "other_receivables": "其他应收款",
        "prepayments": "预付款项",
        "inventory": "存货",
        "current_assets": "流动资产",
        "property_plant_equipment": "固定资产",
        "goodwill": "商誉",
        "total_assets": "总资产",
        "short_term_debt": "短期有息负债",
        "long_term_debt": "长期有息负债",
        "accounts_payable": "应付账款",
        "contract_liabilities": "预收款及合同负债",
        "current_liabilities": "流动负债",
        "total_liabilities": "总负债",
        "retained_earnings": "未分配利润",
        "equity_parent": "归母权益",
        "total_equity": "权益合计",
        "cfo": "经营现金流净额",
        "capex": "资本开支",
        "depreciation_amortization": "折旧摊销",
        "dividends_paid": "支付股利",
        "dividends_and_interest_paid": "分红及付息支出",
        "fcf": "自由现金流",
        "interest_bearing_debt": "有息负债",
        "net_cash": "净现金",
        "market_cap": "总市值",
        "ev": "企业价值",
    },
    "shares": {"shares_outstanding": "总股本"},
    "per_share": {
        "basic_eps": "基本每股收益",
        "price": "现价",
        "dividend_per_share": "全年每股分红",
    },
    "fraction": {
        "gross_margin": "毛利率",
        "operating_margin": "营业利润率",
        "net_margin": "净利率",
        "roe": "净资产收益率",
        "roa": "总资产收益率",
        "roic": "投入资本回报率（税前）",
        "revenue_growth": "收入增速",
        "profit_growth": "净利润增速",
        "accruals": "应计项占资产",
        "fcf_margin": "自由现金流率",
        "capex_to_revenue": "资本开支占收入",
        "payout": "派息率",
        "debt_to_assets": "资产负债率",
        "debt_to_assets_ex_advances": "剔除预收款的资产负债率",
        "net_gearing": "净负债率",
        "debt_to_equity": "有息负债权益比",
        "goodwill_to_equity": "商誉占权益",
        "net_interest_to_assets": "利息净收入占平均资产",
        "fee_share": "手续费收入占比",
        "impairment_to_revenue": "信用减值占收入",
        "equity_to_assets": "权益占资产",
        "fcf_yield": "自由现金流收益率",
        "dividend_yield": "股息率",
        "price_position_5y": "五年价格分位",
        "drawdown_5y": "距五年高点回撤",
        "return_1y": "近一年涨跌",
    },
    "multiple": {
        "cash_conversion": "净现比",
        "capex_to_depreciation": "资本开支与折旧比",
        "dividend_cover": "自由现金流分红保障倍数",
        "cash_to_short_debt": "现金短债比",
        "cfo_to_debt": "经营现金流与有息负债比",
        "interest_cover": "利息保障倍数",
        "current_ratio": "流动比率",
        "asset_turnover": "总资产周转率",
        "pe": "市盈率",
        "pb": "市净率",
        "ps": "市销率",
        "ev_fcf": "EV/FCF",
        "ev_ebit": "EV/EBIT",
        "altman_z": "Altman Z 值",
        "altman_z2": "Altman Z'' 值",
        "piotroski_f": "Piotroski F 分",
        "beneish_m": "Beneish M 值",
    },
    "days": {
        "receivable_days": "应收账款周转天数",
        "inventory_days": "存货周转天数",
        "payable_days": "应付账款周转天数",
    },
}

CHINESE: Mapping[str, str] = {name: chinese for names in _NAMES.values() for name, chinese in names.items()}
"""Item or ratio -> Chinese name."""

UNITS: Mapping[str, Unit] = {name: unit for unit, names in _NAMES.items() for name in names}
"""Item or ratio -> unit. An item not listed here is an amount."""


def unit_of(name: str) -> Unit:
    """Unit of an item or ratio; an imported item nobody has named is an amount."""
    return UNITS.get(name, "amount")
