"""A quarterly report: Roman and letter numbering, statements with two-row headers, a landscape page.

Every figure is derived from the lists at the top, so that text and tables agree.
"""
# ruff: noqa: E501  (prose and figures read better unbroken)

from collections.abc import Callable

from annotations.generator.model import Cards, Cell, Columns, Furniture, Landscape, Question, Row, Source, Table
from annotations.generator.notation import amount, bullets, h, lettered, p, row

# US dollars in thousands, first quarter 2024 to third quarter 2025.
_SALES = {
    "Motion Control": (41_280, 42_915, 40_630, 44_105, 43_870, 45_240, 46_815),
    "Sensing": (28_440, 29_105, 30_270, 31_920, 32_385, 33_760, 35_190),
    "Aftermarket": (15_310, 15_880, 14_925, 15_640, 14_870, 14_395, 13_960),
}
_ELIMINATIONS = (-1_120, -1_205, -1_180, -1_260, -1_315, -1_290, -1_345)
_RESULTS = {
    "Motion Control": (5_160, 5_485, 4_870, 5_910, 5_730, 6_105, 6_460),
    "Sensing": (4_410, 4_520, 4_875, 5_260, 5_340, 5_690, 6_025),
    "Aftermarket": (1_215, 1_190, 640, 455, 180, (-85), (-410)),
}
_COST = (53_870, 55_640, 54_360, 57_710, 57_480, 58_905, 60_295)
_RESEARCH = (6_240, 6_310, 6_425, 6_580, 6_710, 6_845, 6_990)
_SELLING = (15_130, 15_620, 15_340, 16_075, 15_860, 16_240, 16_585)
_RESTRUCTURING = (0, 0, 0, 1_450, 0, 0, 2_380)
_FINANCE = (-1_310, -1_295, -1_340, -1_365, -1_280, -1_245, -1_210)
_TAX = (-1_630, -1_720, -1_560, -1_890, -1_950, -2_075, -1_905)
_SHARES = 38_450  # thousands
_QUARTER, _YEAR_BEFORE = 6, 2

_BACKLOG: tuple[tuple[str, tuple[tuple[str, str, int, int, int], ...]], ...] = (
    # segment: product line, region, opening backlog, intake, delivered
    (
        "Motion Control",
        (
            ("Servo drives", "Europe", 18_420, 9_115, 8_730),
            ("Servo drives", "Americas", 14_060, 7_240, 7_515),
            ("Servo drives", "Asia", 9_385, 6_020, 5_140),
            ("Linear actuators", "Europe", 12_705, 5_330, 5_675),
            ("Linear actuators", "Americas", 8_940, 4_415, 4_020),
            ("Linear actuators", "Asia", 6_215, 3_880, 3_105),
            ("Gearboxes", "Europe", 7_530, 3_645, 3_990),
            ("Gearboxes", "Americas", 5_120, 2_270, 2_455),
            ("Gearboxes", "Asia", 3_860, 2_135, 1_890),
            ("Brakes", "Europe", 2_415, 1_640, 1_720),
            ("Brakes", "Americas", 1_905, 1_080, 1_145),
            ("Brakes", "Asia", 1_270, 985, 1_430),
        ),
    ),
    (
        "Sensing",
        (
            ("Pressure sensors", "Europe", 10_870, 6_450, 6_115),
            ("Pressure sensors", "Americas", 9_240, 5_865, 5_420),
            ("Pressure sensors", "Asia", 7_715, 5_290, 4_385),
            ("Encoders", "Europe", 8_330, 4_720, 4_510),
            ("Encoders", "Americas", 5_985, 3_410, 3_265),
            ("Encoders", "Asia", 6_450, 4_975, 3_840),
            ("Flow meters", "Europe", 4_160, 2_380, 2_515),
            ("Flow meters", "Americas", 3_725, 2_145, 2_060),
            ("Flow meters", "Asia", 2_890, 2_330, 3_080),
        ),
    ),
    (
        "Aftermarket",
        (
            ("Spare parts", "Europe", 3_340, 4_120, 4_385),
            ("Spare parts", "Americas", 2_865, 3_470, 3_690),
            ("Spare parts", "Asia", 1_430, 1_555, 1_610),
            ("Service contracts", "Europe", 6_720, 1_835, 2_140),
            ("Service contracts", "Americas", 4_910, 1_260, 1_475),
            ("Service contracts", "Asia", 1_185, 705, 660),
        ),
    ),
)


def _sales(quarter: int) -> int:
    return sum(values[quarter] for values in _SALES.values()) + _ELIMINATIONS[quarter]


def _operating(quarter: int) -> int:
    return _sales(quarter) - _COST[quarter] - _RESEARCH[quarter] - _SELLING[quarter] - _RESTRUCTURING[quarter]


def _net(quarter: int) -> int:
    return _operating(quarter) + _FINANCE[quarter] + _TAX[quarter]


def _corporate(quarter: int) -> int:
    return _operating(quarter) - sum(values[quarter] for values in _RESULTS.values())


def _growth(now: float, before: float) -> str:
    return amount(100 * (now - before) / before, digits=1, unit="%")


def _periods(values: tuple[int, ...], sign: str = "") -> list[str]:
    """The quarter and the nine months, this year and last."""
    sums = (values[6], values[2], sum(values[4:7]), sum(values[0:3]))
    return [amount(value, sign=sign) if value else "–" for value in sums]


def _every(function: Callable[[int], int]) -> tuple[int, ...]:
    """A measure of all seven quarters."""
    return tuple(function(quarter) for quarter in range(7))


def _per_share() -> list[str]:
    values = _every(_net)
    sums = (values[6], values[2], sum(values[4:7]), sum(values[0:3]))
    return [amount(value / _SHARES, digits=2, sign="$") for value in sums]


_INCOME = Table(
    "income",
    "Table 1. Condensed consolidated statement of income (US$ thousands, except per share data; unaudited)",
    (
        row(
            Cell("", rows=2),
            Cell("Three months ended 30 September", cols=2),
            Cell("Nine months ended 30 September", cols=2),
        ),
        row("2025", "2024", "2025", "2024"),
    ),
    (
        row("Net sales", *_periods(_every(_sales), "$")),
        row("Cost of sales", *_periods(tuple(-value for value in _COST))),
        row("Gross profit", *_periods(tuple(_sales(q) - _COST[q] for q in range(7)))),
        row("Research and development", *_periods(tuple(-value for value in _RESEARCH))),
        row("Selling, general and administrative", *_periods(tuple(-value for value in _SELLING))),
        row("Restructuring[^restructuring]", *_periods(tuple(-value for value in _RESTRUCTURING))),
        row("Operating profit", *_periods(_every(_operating))),
        row("Finance costs, net", *_periods(_FINANCE)),
        row("Income tax", *_periods(_TAX)),
        row("Net income", *_periods(_every(_net), "$")),
        row("Basic earnings per share", *_per_share()),
    ),
    (0.4, 0.15, 0.15, 0.15, 0.15),
)


def _segment_rows() -> tuple[Row, ...]:
    rows = []
    for measure, parts in (
        ("Net sales", {**_SALES, "Eliminations": _ELIMINATIONS, "Group": _every(_sales)}),
        (
            "Operating profit",
            {**_RESULTS, "Corporate and restructuring": _every(_corporate), "Group": _every(_operating)},
        ),
    ):
        for at, (name, values) in enumerate(parts.items()):
            first = (Cell(measure, rows=len(parts)),) if at == 0 else ()
            change = "n/m" if values[2] <= 0 or values[6] <= 0 else _growth(values[6], values[2])
            rows.append(row(*first, name, *(amount(value) for value in values), change))
    return tuple(rows)


_SEGMENTS = Table(
    "segments",
    "Table 2. Segments by quarter (US$ thousands)",
    (
        row(
            Cell("Measure", rows=2),
            Cell("Segment", rows=2),
            Cell("2024", cols=4),
            Cell("2025", cols=3),
            Cell("Change on Q3 2024", rows=2),
        ),
        row("Q1", "Q2", "Q3", "Q4", "Q1", "Q2", "Q3"),
    ),
    _segment_rows(),
    (0.12, 0.16, 0.085, 0.085, 0.085, 0.085, 0.085, 0.085, 0.085, 0.125),
)

_CASH_LINES: tuple[tuple[str, int, int], ...] = (
    ("Net income", sum(_net(q) for q in range(4, 7)), sum(_net(q) for q in range(3))),
    ("Depreciation and amortisation", 11_940, 11_385),
    ("Change in inventories", -4_215, 1_870),
    ("Change in trade receivables", -3_680, -2_940),
    ("Change in trade payables", 2_155, -1_325),
)
_OPERATING_CASH = (sum(now for _, now, _ in _CASH_LINES), sum(before for _, _, before in _CASH_LINES))
_CAPEX = (-9_860, -8_145)
_DIVIDENDS, _REPAID = (-4_998, -4_614), (-12_000, -6_000)
_OPENING = (31_725, 28_460)
_CLOSING = tuple(_OPENING[at] + _OPERATING_CASH[at] + _CAPEX[at] + _DIVIDENDS[at] + _REPAID[at] for at in (0, 1))

_CASH = Table(
    "cash",
    "Table 3. Condensed cash flow, nine months ended 30 September (US$ thousands; unaudited)",
    (row("", "2025", "2024"),),
    (
        *(row(name, amount(now), amount(before)) for name, now, before in _CASH_LINES),
        row("Cash flow from operations", *(amount(value) for value in _OPERATING_CASH)),
        row("Capital expenditure", *(amount(value) for value in _CAPEX)),
        row("Dividends paid", *(amount(value) for value in _DIVIDENDS)),
        row("Repayment of term loan", *(amount(value) for value in _REPAID)),
        row("Cash at the beginning of the period", *(amount(value) for value in _OPENING)),
        row("Cash at the end of the period", *(amount(value, sign="$") for value in _CLOSING)),
    ),
    (0.56, 0.22, 0.22),
)


def _closing(lines: tuple[tuple[str, str, int, int, int], ...]) -> int:
    return sum(opening + intake - delivered for _, _, opening, intake, delivered in lines)


def _backlog_rows() -> tuple[Row, ...]:
    rows = []
    for segment, lines in _BACKLOG:
        for at, (product, region, opening, intake, delivered) in enumerate(lines):
            first = (Cell(product, rows=3),) if at % 3 == 0 else ()
            closing = opening + intake - delivered
            figures = (amount(opening), amount(intake), amount(-delivered), amount(closing))
            rows.append(row(*first, region, *figures, f"{intake / delivered:.2f}x"))
        columns = list(zip(*lines, strict=True))
        opening, intake, delivered = (sum(column) for column in columns[2:])
        figures = (amount(opening), amount(intake), amount(-delivered), amount(_closing(lines)))
        rows.append(row(Cell(f"Total {segment}", cols=2), *figures, f"{intake / delivered:.2f}x"))
    return tuple(rows)


_ORDERS = Table(
    "backlog",
    "Table 4. Order backlog by product line and region (US$ thousands)",
    (
        row(
            Cell("Product line", rows=2),
            Cell("Region", rows=2),
            Cell("Third quarter 2025", cols=4),
            Cell("Book-to-bill", rows=2),
        ),
        row("Opening", "Intake", "Delivered", "Closing"),
    ),
    _backlog_rows(),
    (0.22, 0.14, 0.13, 0.13, 0.13, 0.13, 0.12),
)

_TOTAL_BACKLOG = sum(_closing(lines) for _, lines in _BACKLOG)
_SALES_NOW, _SALES_BEFORE = _sales(_QUARTER), _sales(_YEAR_BEFORE)
_MARGIN = 100 * _operating(_QUARTER) / _SALES_NOW
_MARGIN_BEFORE = 100 * _operating(_YEAR_BEFORE) / _SALES_BEFORE
_FREE_CASH = _OPERATING_CASH[0] + _CAPEX[0]


def _millions(value: float) -> str:
    return amount(value / 1000, digits=1, sign="$", unit="M")


SOURCE = Source(
    name="report",
    domain="finance",
    title="Quarterly Report, Third Quarter 2025",
    lead=(
        "Aurelio Components Group, Inc.",
        "For the three and nine months ended 30 September 2025, published 4 November 2025",
    ),
    furniture=Furniture("Aurelio Components Group, Inc.", "Quarterly report Q3 2025", "Unaudited"),
    paper="letter",
    slide_level=3,
    slide_points=18.0,
    notes={
        "restructuring": "Closure of the Tampere service centre, announced on 18 August 2025; 64 positions are affected.",
        "constant": "At the average exchange rates of the third quarter of 2024.",
        "covenant": "Net debt divided by EBITDA of the last twelve months, as defined in the credit agreement of 2 May 2023.",
        "pension": "The plan in the United Kingdom was closed to new members in 2011.",
    },
    blocks=(
        h(2, "I. Highlights"),
        p(
            f"Net sales rose {_growth(_SALES_NOW, _SALES_BEFORE)} to {_millions(_SALES_NOW)}, and {_growth(_SALES_NOW * 0.987, _SALES_BEFORE)} in constant currency.[^constant] Growth in Motion Control and Sensing outweighed the decline of the aftermarket business, which is being rebuilt."
        ),
        Cards(
            (
                (
                    "Net sales",
                    f"{_millions(_SALES_NOW)}, against {_millions(_SALES_BEFORE)} in the third quarter of 2024",
                ),
                ("Operating margin", f"{_MARGIN:.1f}%, against {_MARGIN_BEFORE:.1f}% a year before"),
                ("Free cash flow", f"{_millions(_FREE_CASH)} in the first nine months"),
                ("Order backlog", f"{_millions(_TOTAL_BACKLOG)} at the end of the quarter"),
                ("Employees", "2,316 full-time equivalents, of whom 412 in research"),
                ("Encoders shipped", "38k units, a record for a single quarter"),
            )
        ),
        p(
            "The board has declared an interim dividend of $0.045 a share, payable on 12 December 2025 to shareholders of record on 21 November 2025."
        ),
        h(2, "II. Results of operations"),
        h(3, "A. Group"),
        p(
            f"Gross profit was {_millions(_SALES_NOW - _COST[_QUARTER])}, or {100 * (1 - _COST[_QUARTER] / _SALES_NOW):.1f}% of net sales. Material prices were stable, and the second surface-mount line in Brno reached its planned yield of 98.4% in July."
        ),
        p(
            f"Restructuring cost {_millions(_RESTRUCTURING[_QUARTER])} in the quarter. Without it the operating margin would have been {100 * (_operating(_QUARTER) + _RESTRUCTURING[_QUARTER]) / _SALES_NOW:.1f}%."
        ),
        _INCOME,
        h(3, "B. Segments"),
        p(
            "Table 2 gives net sales and operating profit by segment for the last seven quarters. Sales between segments are eliminated at market prices."
        ),
        Landscape((_SEGMENTS,)),
        h(3, "C. Motion Control"),
        h(4, "Results"),
        p(
            f"Net sales of {_millions(_SALES['Motion Control'][6])} were {_growth(_SALES['Motion Control'][6], _SALES['Motion Control'][2])} above the year before. Servo drives for packaging machines grew in all regions; demand for gearboxes in Europe was weak."
        ),
        h(4, "Outlook"),
        p(
            "We expect net sales of the segment to grow between 4% and 6% in the fourth quarter. The new compact drive AX-400 goes into series production in Brno in January 2026."
        ),
        h(3, "D. Sensing"),
        h(4, "Results"),
        p(
            f"Net sales grew {_growth(_SALES['Sensing'][6], _SALES['Sensing'][2])} to {_millions(_SALES['Sensing'][6])}, with encoders for collaborative robots as the strongest line. Operating profit reached {_millions(_RESULTS['Sensing'][6])}."
        ),
        h(4, "Outlook"),
        p(
            "Customers’ forecasts point to growth of about 12% in the fourth quarter. Lead times for optical discs remain at fourteen weeks, and we have qualified a second supplier in Penang."
        ),
        h(3, "E. Aftermarket"),
        h(4, "Results"),
        p(
            f"Net sales fell to {_millions(_SALES['Aftermarket'][6])} and the segment lost {_millions(abs(_RESULTS['Aftermarket'][6]))}. Independent repair shops took over standard repairs, and two service contracts in Europe were not renewed."
        ),
        h(4, "Outlook"),
        p(
            "After the closure of the service centre in Tampere, repairs are concentrated in Brno and Charlotte. We expect the segment to break even in the second quarter of 2026."
        ),
        h(2, "III. Liquidity and capital"),
        h(3, "A. Cash flow"),
        p(
            f"Operations brought in {_millions(_OPERATING_CASH[0])} in nine months. Inventories rose ahead of the start of series production of the AX-400, and capital expenditure was {_millions(abs(_CAPEX[0]))}."
        ),
        _CASH,
        h(3, "B. Borrowings"),
        p(
            "The term loan stands at $58.0M after a repayment of $12.0M. The revolving facility of $40.0M is undrawn and runs until May 2028."
        ),
        p("Leverage was 0.5x at the end of the quarter, against a covenant of at most 3.0x.[^covenant]"),
        h(3, "C. Commitments"),
        lettered(
            "Purchase commitments for equipment of $6.3M, of which $4.1M fall due within twelve months.",
            "Leases not yet begun of $2.7M, for the warehouse in Charlotte.",
            "Contributions of $1.2M a year to the pension plan in the United Kingdom until 2029.[^pension]",
        ),
        h(2, "IV. Orders"),
        p(
            f"Order intake exceeded deliveries in Motion Control and Sensing. The order backlog at the end of the quarter was {_millions(_TOTAL_BACKLOG)}; about 70% of it is due for delivery within six months."
        ),
        _ORDERS,
        h(2, "V. Risks and outlook"),
        p(
            "The risks described in the annual report for 2024 have not changed in substance. The following summary is part of this report."
        ),
        Columns(
            (
                h(3, "A. Market"),
                p(
                    "About 31% of net sales depend on makers of packaging and handling machines, whose investment follows consumer spending with a delay of two to three quarters. A fall of their orders by a tenth would lower our operating profit by some $4.6M a year."
                ),
                h(3, "B. Supply"),
                p(
                    "Optical discs and power modules come from five suppliers. Safety stocks cover nine weeks of production. A second source for power modules is to be approved by the end of March 2026."
                ),
                h(3, "C. Currency"),
                p(
                    "A rise of the Czech crown by 5% against the dollar would raise our costs by $2.9M a year before hedging. Forward contracts cover 75% of the exposure of the next four quarters."
                ),
                h(3, "D. Legal"),
                p(
                    "In the matter of Kessler Antriebe GmbH, the Düsseldorf court dismissed the claim for infringement of two patents on 9 September 2025. The claimant has appealed. No provision has been made."
                ),
            )
        ),
        p("For the full year we expect:"),
        bullets(
            (
                "net sales between $372M and $377M, of which:",
                bullets(
                    "Motion Control about 49%,",
                    "Sensing about 37%,",
                    "Aftermarket the rest;",
                ),
            ),
            "an operating margin between 10.5% and 11.2% before restructuring;",
            "capital expenditure of about $13M.",
        ),
        h(2, "Appendix: Basis of preparation", new_page=True),
        h(3, "Accounting policies"),
        p(
            "This report has been prepared under the same accounting policies as the annual report for 2024. It has neither been audited nor reviewed. Figures are rounded, and totals are the sums of unrounded figures."
        ),
        p(
            "Earnings per share are computed on 38,450 thousand shares, the weighted average number outstanding in all periods shown."
        ),
        h(3, "Measures of performance"),
        p(
            "Operating margin before restructuring, free cash flow and constant-currency growth are not measures defined by generally accepted accounting principles. Free cash flow is cash flow from operations less capital expenditure."
        ),
        p(
            "Book-to-bill is order intake divided by deliveries of the same quarter. The backlog contains firm orders alone; framework agreements are counted when a call-off has been received."
        ),
        h(3, "Forward-looking statements"),
        p(
            "Statements on the future are based on what the management knew on the day of publication. Results may differ, for reasons that include demand, prices of materials, exchange rates and the outcome of legal proceedings."
        ),
        p(
            "The next report, for the year 2025, will be published on 26 February 2026. A recording of the call with analysts is kept on the company’s website for ninety days."
        ),
    ),
    questions=(
        Question(
            "What were Aurelio's net sales in the third quarter of 2025?",
            _millions(_SALES_NOW),
            (f"Net sales rose {_growth(_SALES_NOW, _SALES_BEFORE)} to {_millions(_SALES_NOW)}",),
        ),
        Question(
            "How high is Aurelio's term loan, and what is its leverage compared with the covenant?",
            "$58.0M; 0.5x against at most 3.0x",
            (
                "The term loan stands at $58.0M after a repayment of $12.0M.",
                "Leverage was 0.5x at the end of the quarter, against a covenant of at most 3.0x.",
            ),
        ),
        Question(
            "What was the net income for the three months ended 30 September 2025, in thousands of dollars?",
            amount(_net(_QUARTER), sign="$"),
            (amount(_net(_QUARTER), sign="$"),),
        ),
        Question(
            "Why was there a restructuring charge in the third quarter of 2025 and how many positions are affected?",
            "Closure of the Tampere service centre; 64 positions",
            ("Closure of the Tampere service centre, announced on 18 August 2025; 64 positions are affected.",),
        ),
        Question(
            "When does the AX-400 drive go into series production, and where?",
            "January 2026, in Brno",
            ("The new compact drive AX-400 goes into series production in Brno in January 2026.",),
        ),
        Question(
            "When will the Aftermarket segment break even?",
            "second quarter of 2026",
            ("We expect the segment to break even in the second quarter of 2026.",),
        ),
        Question(
            "How much would a 5% rise of the Czech crown cost, and how much of the exposure is hedged?",
            "$2.9M a year before hedging; 75%",
            (
                "A rise of the Czech crown by 5% against the dollar would raise our costs by $2.9M a year before hedging.",
                "Forward contracts cover 75% of the exposure of the next four quarters.",
            ),
        ),
        Question(
            "What was the closing order backlog of the Sensing segment, in thousands of dollars?",
            amount(_closing(_BACKLOG[1][1])),
            (amount(_closing(_BACKLOG[1][1])),),
        ),
        Question(
            "How many weighted average shares are earnings per share computed on?",
            "38,450 thousand shares",
            ("Earnings per share are computed on 38,450 thousand shares",),
        ),
    ),
)
