"""A board deck: cards, columns, a risk register, resolutions; letter and Roman numbering."""
# ruff: noqa: E501  (prose and figures read better unbroken)

from annotations.generator.model import Cards, Cell, Columns, Furniture, Question, Source, Table
from annotations.generator.notation import bullets, h, lettered, numbered, p, roman, row

_PERFORMANCE = Table(
    "performance",
    "Table 1. Members and deposits by region",
    (
        row(
            Cell("Region", rows=2),
            Cell("Members", cols=2),
            Cell("Deposits (€ million)", cols=2),
            Cell("Arrears", rows=2),
        ),
        row("June 2025", "June 2024", "June 2025", "June 2024"),
    ),
    (
        row("North coast", "61,240", "59,870", "1,482.6", "1,410.3", "0.7%"),
        row("Harbour city", "88,915", "84,120", "2,307.4", "2,151.8", "1.1%"),
        row("Inland", "42,380", "42,655", "905.2", "911.7", "1.6%"),
        row("Islands", "9,465", "9,355", "188.3", "181.2", "0.5%"),
        row("Total", "202,000", "196,000", "4,883.5", "4,655.0", "1.1%"),
    ),
    (0.25, 0.15, 0.15, 0.15, 0.15, 0.15),
)

_BUDGET = Table(
    "budget",
    "Table 2. Core banking programme, budget and forecast (€ thousand)",
    (
        row(
            Cell("Workstream", rows=2), Cell("Budget", rows=2), Cell("Spent to June", rows=2), Cell("Forecast", cols=2)
        ),
        row("At completion", "Variance"),
    ),
    (
        row("Platform licences", "4,200", "3,150", "4,200", "–"),
        row("Data migration", "2,850", "2,140", "3,310", "(460)"),
        row("Branch systems", "1,900", "705", "1,820", "80"),
        row("Training", "640", "115", "600", "40"),
        row("Contingency", "960", "–", "620", "340"),
        row("Total", "10,550", "6,110", "10,550", "–"),
    ),
    (0.32, 0.17, 0.17, 0.17, 0.17),
)

_RISKS = Table(
    "risks",
    "Table 3. Principal risks",
    (row("Category", "Risk", "Likelihood", "Impact", "Owner", "Response"),),
    (
        row(
            Cell("Credit", rows=2),
            "Fall of house prices in the inland region",
            "Medium",
            "High",
            "Chief Risk Officer",
            "Loan-to-value limit of 75% for new loans inland",
        ),
        row(
            "Concentration on tourism in the islands", "Medium", "Medium", "Chief Risk Officer", "Sector limit of €60M"
        ),
        row(
            Cell("Operational", rows=3),
            "Migration weekend fails",
            "Low",
            "High",
            "Chief Information Officer",
            "Two rehearsals, and a way back until Sunday 14:00",
        ),
        row(
            "Outage of the payment gateway",
            "Low",
            "High",
            "Chief Information Officer",
            "Replacement of the gateway within four hours, tested twice a year",
        ),
        row(
            "Loss of key staff in treasury",
            "Medium",
            "Medium",
            "Chief Financial Officer",
            "Deputies named and trained by October",
        ),
        row(
            Cell("Regulatory", rows=2),
            "New capital rules for small lenders",
            "High",
            "Medium",
            "Chief Financial Officer",
            "Capital plan with a buffer of 1.5 points",
        ),
        row(
            "Findings on complaints handling",
            "Low",
            "Medium",
            "Company Secretary",
            "Independent review closed in May; two points remain",
        ),
        row(
            Cell("Strategic", rows=2),
            "Merger of two competitors on the coast",
            "Medium",
            "High",
            "Chief Executive",
            "Retention offer for 3,100 business members",
        ),
        row(
            "Slow take-up of the mobile service",
            "Medium",
            "Low",
            "Chief Executive",
            "Help desks in twelve branches until March",
        ),
    ),
    (0.12, 0.24, 0.12, 0.09, 0.17, 0.26),
)

_CALENDAR = Table(
    "calendar",
    "Table 4. Board calendar",
    (row("Date", "Meeting", "Main subjects"),),
    (
        row("18 September 2025", "Board", "Migration decision; capital plan"),
        row("9 October 2025", "Audit committee", "Half-year review; complaints handling"),
        row("20 November 2025", "Board", "Budget 2026; pay policy"),
        row("11 December 2025", "Risk committee", "Stress test; limits for 2026"),
        row("26 February 2026", "Board", "Annual accounts; dividend to members"),
    ),
    (0.25, 0.25, 0.5),
)

SOURCE = Source(
    name="deck",
    domain="governance",
    title="Board of Directors: Meeting of 17 July 2025",
    lead=(
        "Tidewater Mutual Bank",
        "Papers for directors; to be read before the meeting",
    ),
    furniture=Furniture("Tidewater Mutual Bank", "Board papers, 17 July 2025", "For directors only"),
    serif=False,
    paper="letter",
    slide_level=3,
    slide_points=20.0,
    notes={
        "ratio": "Common equity tier 1; unaudited, and without the result of the first half-year.",
        "active": "A member who has used an account or a card within ninety days.",
    },
    blocks=(
        h(2, "A. Opening"),
        h(3, "Agenda"),
        numbered(
            "Minutes of 22 May 2025 and matters arising",
            ("Reports:", lettered("Chief Executive", "Finance", "Risk")),
            "Core banking programme",
            (
                "Decisions:",
                roman("release of the second tranche", "appointment of the auditor", "change of the pay policy"),
            ),
            "Calendar and any other business",
        ),
        h(3, "Matters arising"),
        bullets(
            "The branch in Holm was reopened on 2 June after the flood; the insurer has paid €1.35M.",
            (
                "Two actions from May are still open:",
                bullets(
                    "the review of complaints handling, with two points to close by September;",
                    "the succession plan for treasury, delayed to October.",
                ),
            ),
        ),
        h(2, "B. Performance"),
        h(3, "Summary"),
        Cards(
            (
                ("Members", "202k, of whom 171k are active[^active]"),
                ("Deposits", "€4,883.5M, up 4.9% in twelve months"),
                ("Capital ratio", "16.2%, against a limit of 13.5%[^ratio]"),
                ("Cost to income", "61.8%, target 60%"),
                ("Profit before tax", "€21.4M in the first half-year"),
                ("Complaints", "3.1 for each thousand members, down from 3.8"),
            )
        ),
        h(3, "Regions"),
        p(
            "The Harbour city branch network accounted for four fifths of new members. Inland membership fell for the third half-year in a row, and arrears there are the highest of the four regions."
        ),
        _PERFORMANCE,
        h(3, "Strengths and concerns"),
        p("The executive’s view of the first half-year, in two columns."),
        Columns(
            (
                h(4, "Strengths"),
                bullets(
                    "Net interest income rose by 6.2% although the base rate fell twice.",
                    "The young savers’ account has drawn 7,900 new members, most of them under thirty.",
                    "Staff turnover fell to 8.4%, the lowest figure since 2016.",
                ),
                p(
                    "The new fraud filter stopped payments of €2.2M in its first five months, with one false alarm in nine hundred payments."
                ),
                h(4, "Concerns"),
                bullets(
                    "Data migration is €460,000 over its budget, because 38 legacy products have to be mapped one by one.",
                    "Arrears inland have doubled in a year, from 0.8% to 1.6%.",
                    "Waiting times on the telephone reach eleven minutes on Mondays.",
                ),
                p(
                    "The mobile service has 54,000 users; the plan was 70,000. Members over sixty ask for help in branches."
                ),
            )
        ),
        h(2, "C. Core banking programme"),
        h(3, "Summary"),
        p(
            "The programme is on time for the migration weekend of 8 and 9 November 2025, and within its total budget of €10.55M. Contingency of €340,000 has been used to cover most of the overrun in data migration."
        ),
        p(
            "The first rehearsal on 14 June took 31 hours, three hours more than the window allows. The second rehearsal is planned for 6 September with a faster reconciliation."
        ),
        h(3, "Budget"),
        _BUDGET,
        h(3, "Way forward"),
        h(4, "Before the decision"),
        numbered(
            "Second rehearsal, with all branch systems, on 6 September.",
            "Independent assessment of readiness by Marlow & Finch, due on 12 September.",
            "Decision of the board on 18 September.",
        ),
        h(4, "After the decision"),
        p(
            "Members are informed in three letters. Branches open two hours later on 10 November, and the help desk has sixty additional staff until the end of the year."
        ),
        h(2, "D. Risk"),
        h(3, "Summary"),
        p(
            "Two risks have risen since May: house prices inland and the merger of two competitors. No limit has been exceeded. The liquidity coverage ratio was 184% at the end of June."
        ),
        h(3, "Register"),
        _RISKS,
        h(2, "E. Decisions"),
        h(3, "Resolutions proposed"),
        p("The board is asked to resolve:"),
        roman(
            "to release the second tranche of the core banking budget, €3.2M, subject to the independent assessment;",
            (
                "to appoint Harcourt Vale LLP as auditor for the years 2026 to 2028:",
                lettered(
                    "at a yearly fee of at most €485,000;",
                    "with a change of the lead partner after 2027;",
                ),
            ),
            "to limit variable pay to 20% of fixed pay for all executives from 1 January 2026.",
        ),
        h(3, "Calendar"),
        p("The next meetings take place in the Quay Street office; directors may join by video."),
        _CALENDAR,
        h(2, "Appendix: Terms of reference", new_page=True),
        h(3, "Composition"),
        p(
            "The board has eleven directors, seven of them elected by the members. A quorum is six directors, four of whom must be elected."
        ),
        h(3, "Committees"),
        bullets(
            "Audit committee: four directors, none of them an executive; meets five times a year.",
            "Risk committee: five directors and the Chief Risk Officer, who has no vote; meets every two months.",
            "Nomination committee: three elected directors; meets when needed, and before each annual meeting of members.",
        ),
        h(3, "Voting"),
        p(
            "A resolution needs the majority of the votes cast. The chair has a second vote when votes are equal, except on pay."
        ),
    ),
    questions=(
        Question(
            "When is Tidewater's migration weekend for the core banking programme?",
            "8 and 9 November 2025",
            (
                "The programme is on time for the migration weekend of 8 and 9 November 2025, and within its total budget of €10.55M.",
            ),
        ),
        Question(
            "How long did the first migration rehearsal take and when is the second?",
            "31 hours; 6 September",
            (
                "The first rehearsal on 14 June took 31 hours, three hours more than the window allows.",
                "Second rehearsal, with all branch systems, on 6 September.",
            ),
        ),
        Question(
            "How does the bank respond to the risk of an outage of the payment gateway?",
            "Replacement of the gateway within four hours",
            ("Replacement of the gateway within four hours, tested twice a year",),
        ),
        Question(
            "Who is proposed as auditor, and at what maximum yearly fee?",
            "Harcourt Vale LLP; €485,000",
            (
                "to appoint Harcourt Vale LLP as auditor for the years 2026 to 2028:",
                "at a yearly fee of at most €485,000;",
            ),
        ),
        Question(
            "Why is data migration over budget?",
            "38 legacy products have to be mapped one by one",
            ("Data migration is €460,000 over its budget, because 38 legacy products have to be mapped one by one.",),
        ),
        Question(
            "How many directors make a quorum and how many of them must be elected?",
            "six directors, four of whom must be elected",
            ("A quorum is six directors, four of whom must be elected.",),
        ),
        Question(
            "What were the deposits in the Harbour city region in June 2025, in millions of euros?",
            "2,307.4",
            ("2,307.4",),
        ),
        Question(
            "What was the liquidity coverage ratio at the end of June?",
            "184%",
            ("The liquidity coverage ratio was 184% at the end of June.",),
        ),
    ),
)
