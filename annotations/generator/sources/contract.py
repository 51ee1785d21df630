"""A services agreement: decimal numbering, definitions, two schedules and an unnumbered appendix."""
# ruff: noqa: E501  (prose and figures read better unbroken)

from annotations.generator.model import Cell, Columns, Definitions, Furniture, Question, Row, Source, Table
from annotations.generator.notation import amount, bullets, h, lettered, p, roman, row

_UPLIFT = 0.03
_VESSELS = (
    # class, vessel, day rate operating, day rate standby, mobilisation (all USD, first contract year)
    (
        "Crew transfer",
        (
            ("CTV Halden Tern", 8_400, 5_100, 22_000),
            ("CTV Halden Petrel", 8_400, 5_100, 22_000),
            ("CTV Halden Skua", 9_150, 5_600, 24_500),
            ("CTV Halden Dunlin", 9_150, 5_600, 24_500),
        ),
    ),
    (
        "Service operation",
        (
            ("SOV Nordkyn", 41_500, 27_800, 185_000),
            ("SOV Lindesnes", 43_200, 28_900, 185_000),
            ("SOV Sletta", 44_750, 29_400, 192_000),
        ),
    ),
    (
        "Guard and survey",
        (
            ("GV Lista", 6_300, 4_200, 15_000),
            ("GV Feistein", 6_300, 4_200, 15_000),
            ("SV Obrestad", 17_900, 11_600, 64_000),
        ),
    ),
    ("Cable repair", (("CRV Jomfruland", 78_500, 52_400, 410_000), ("CRV Stangholmen", 81_250, 54_100, 410_000))),
)


def _rates() -> tuple[Row, ...]:
    rows = []
    for kind, vessels in _VESSELS:
        for at, (name, operating, standby, mobilisation) in enumerate(vessels):
            first = (Cell(kind, rows=len(vessels)),) if at == 0 else ()
            years = [operating * (1 + _UPLIFT) ** year for year in range(3)]
            rows.append(row(*first, name, *(amount(value) for value in (*years, standby, mobilisation))))
    return tuple(rows)


_DEFINITIONS = Definitions(
    (
        (
            "“Affiliate”",
            "means, for either party, any entity that controls, is controlled by or is under common control with that party, where control means holding more than 50 % of the voting rights.",
        ),
        (
            "“Business Day”",
            "means a day other than a Saturday, a Sunday or a public holiday on which banks are open in both London and Oslo.",
        ),
        (
            "“Charter Period”",
            "means the period of thirty-six (36) months that begins on the Commencement Date, and every Option Period for which the Client has given notice under clause 3.2.",
        ),
        (
            "“Commencement Date”",
            "means 1 March 2025, or the later date on which the first Vessel is delivered and accepted under Schedule A.",
        ),
        (
            "“Downtime”",
            "means time, counted in whole minutes, in which a Vessel is not able to perform the Services for a reason that lies with the Contractor.",
        ),
        (
            "“Field”",
            "means the Brightwater North and Brightwater South wind farms, with the export cable corridor shown in the Client’s drawing BW-0417 revision C.",
        ),
        (
            "“Maintenance Allowance”",
            "means twenty-four (24) hours for each Vessel in each calendar month, which may be accumulated up to a limit of 144 hours.",
        ),
        (
            "“Option Period”",
            "means each of two further periods of twelve (12) months that follow the initial thirty-six months.",
        ),
        (
            "“Services”",
            "means the transfer of persons and cargo, guarding, survey and repair work described in Schedule A.",
        ),
        (
            "“Vessel”",
            "means each vessel named in Table 1, and any substitute accepted in writing by the Client’s marine superintendent.",
        ),
    )
)

_RATES = Table(
    "rates",
    "Table 1. Day rates and mobilisation fees by vessel, in US dollars",
    (
        row(
            Cell("Class", rows=2),
            Cell("Vessel", rows=2),
            Cell("Operating day rate", cols=3),
            Cell("Standby day rate", rows=2),
            Cell("Mobilisation fee", rows=2),
        ),
        row("Year 1", "Year 2", "Year 3"),
    ),
    _rates(),
    (0.16, 0.2, 0.125, 0.125, 0.125, 0.125, 0.14),
)

_CREDITS = Table(
    "credits",
    "Table 2. Service credits",
    (row("Level", "Availability in the month", "Credit on the monthly fee", "Further consequence"),),
    (
        row("1", "97.0 % or more", "0 %", Cell("None", rows=2)),
        row("2", "95.0 % to 96.9 %", "2.5 %"),
        row("3", "92.0 % to 94.9 %", "6 %", "Written recovery plan within ten Business Days"),
        row("4", "85.0 % to 91.9 %", "12 %", "Weekly review by the executive sponsors"),
        row("5", "Below 85.0 %", "20 %", "The Client may withdraw the Vessel under clause 9.3"),
    ),
    (0.1, 0.26, 0.22, 0.42),
)

_CONTACTS = Table(
    "contacts",
    "Table 3. Addresses for notices",
    (row("Party", "Attention", "Address", "Electronic mail"),),
    (
        row(
            "Halden Marine Services AS",
            "Ingrid Solberg, General Counsel",
            "Strandgata 14, 1776 Halden, Norway",
            "notices@haldenmarine.example",
        ),
        row(
            "Brightwater Offshore Energy Ltd",
            "Company Secretary",
            "8 Quayside House, Grimsby DN31 3LL, United Kingdom",
            "legal@brightwater.example",
        ),
    ),
    (0.24, 0.22, 0.28, 0.26),
)

_TERMS = Columns(
    (
        h(3, "8.1 Confidentiality"),
        p(
            "Each party shall keep confidential all information that it receives from the other in connection with this Agreement, shall use it for the performance of this Agreement alone, and shall disclose it only to employees, insurers and advisers who need to know it."
        ),
        p(
            "The duty of confidentiality lasts for five years after the end of the Charter Period. It does not cover information that is public otherwise than by a breach, or that a court or a regulator orders to be disclosed."
        ),
        h(3, "8.2 Data"),
        p(
            "Position, weather and motion data that a Vessel records in the Field belong to the Client. The Contractor may keep a copy to meet its duties towards the flag state and its classification society."
        ),
        p(
            "Personal data of transferred persons are deleted ninety days after the voyage unless an incident report refers to them."
        ),
        h(3, "8.3 Anti-bribery"),
        p(
            "Neither party shall offer, give or accept any advantage that would be an offence under the Bribery Act 2010 or chapter 30 of the Norwegian Penal Code. Each party keeps records that are sufficient to prove compliance for six years."
        ),
        h(3, "8.4 Assignment"),
        p(
            "Neither party may assign this Agreement without the prior written consent of the other, which shall not be unreasonably withheld. The Client may assign it to an Affiliate, or to the lenders of the wind farms by way of security, by notice alone."
        ),
        h(3, "8.5 Entire agreement"),
        p(
            "This Agreement, with its schedules and its appendix, is the whole agreement of the parties on its subject and replaces the letter of intent of 4 October 2024."
        ),
    )
)

SOURCE = Source(
    name="contract",
    domain="legal",
    title="Vessel Support Services Agreement",
    lead=(
        "between Halden Marine Services AS and Brightwater Offshore Energy Ltd",
        "Agreement number HMS-2025-017, dated 15 January 2025",
    ),
    furniture=Furniture("Halden Marine Services AS", "Agreement HMS-2025-017", "Confidential between the parties"),
    outline=False,
    slide_level=2,
    slide_points=14.0,
    notes={
        "class": "Class notation as entered in the register of DNV on 2 January 2025; the certificates are listed in the delivery protocol.",
        "index": "The uplift is fixed. It replaces the price index that was proposed in the letter of intent.",
        "euribor": "Where the three-month rate is below zero, it counts as zero.",
        "llmc": "Liability for pollution is further governed by the LLMC Convention 1976 as amended in 1996.",
    },
    blocks=(
        h(2, "Parties"),
        p(
            "(1) **Halden Marine Services AS**, a company registered in Norway under number 987 412 306, whose registered office is at Strandgata 14, 1776 Halden (the **Contractor**); and"
        ),
        p(
            "(2) **Brightwater Offshore Energy Ltd**, a company registered in England and Wales under number 11804523, whose registered office is at 8 Quayside House, Grimsby (the **Client**)."
        ),
        h(2, "Recitals"),
        lettered(
            "The Client owns and operates the Brightwater North and Brightwater South wind farms, with 142 turbines and a capacity of 1,136 MW.",
            "The Contractor owns or manages a fleet of vessels that are built and crewed for work at offshore wind farms.[^class]",
            "The parties wish to replace their voyage-by-voyage orders with one agreement for all vessel support in the Field.",
        ),
        h(2, "1. Definitions"),
        p(
            "In this Agreement the following terms have the meanings set out beside them, in the singular and the plural alike."
        ),
        _DEFINITIONS,
        h(2, "2. Scope"),
        h(3, "2.1 Services"),
        p(
            "The Contractor shall provide the Services with the Vessels throughout the Charter Period, with due diligence and in accordance with good marine practice."
        ),
        h(3, "2.2 Exclusivity"),
        p(
            "The Client shall order vessel support in the Field from the Contractor first. It may engage others when the Contractor has not confirmed a Vessel within six hours of a written call-off."
        ),
        p("Work on the offshore substations is outside the exclusivity, whoever orders it."),
        h(3, "2.3 Substitution"),
        p("The Contractor may replace a Vessel by one of at least equal capability. A substitution requires:"),
        lettered(
            (
                "notice of at least fourteen days, which states:",
                roman(
                    "the name, class and last port of the substitute;",
                    "the reason and the expected length of the substitution;",
                    "any change to the master or the chief engineer;",
                ),
            ),
            "an inspection by the Client’s marine superintendent, at the Contractor’s cost; and",
            "acceptance in writing, which is deemed given when the superintendent has not answered within five days after the inspection.",
        ),
        h(2, "3. Term"),
        h(3, "3.1 Charter Period"),
        p(
            "This Agreement takes effect on the date of the last signature and continues until the Charter Period ends, unless it is terminated earlier under clause 9."
        ),
        h(3, "3.2 Options"),
        p(
            "The Client may extend the Charter Period by one Option Period at a time. Notice must reach the Contractor no later than 180 days before the current period ends."
        ),
        p(
            "In an Option Period the day rates of the year before rise by 2.25 %, and the mobilisation fee is not charged again."
        ),
        h(2, "4. Fees"),
        h(3, "4.1 Day rates"),
        p(
            "The Client shall pay, for each Vessel and each day or part of a day, the operating rate when the Vessel is at work under a call-off and the standby rate when it is not. The rates for the second and third year include a yearly uplift of 3 %.[^index]"
        ),
        _RATES,
        h(3, "4.2 Fuel"),
        p(
            "Marine gas oil is supplied by the Client at the base port. Fuel used in Downtime is charged back at cost, as shown by the bunker delivery notes."
        ),
        h(3, "4.3 Payment"),
        p(
            "The Contractor invoices monthly in arrears. Undisputed amounts are due thirty days after receipt of the invoice together with the signed daily vessel reports."
        ),
        p(
            "Late amounts bear interest at three-month EURIBOR plus 4.5 percentage points a year from the due date until payment.[^euribor]"
        ),
        p(
            "The total of all fees in a contract year shall not exceed US$ 68,400,000 without a change order that both executive sponsors have signed."
        ),
        h(2, "5. Performance"),
        h(3, "5.1 Availability"),
        p(
            "Availability is the share of the minutes of a month in which a Vessel is not in Downtime. Hours taken from the Maintenance Allowance do not count as Downtime."
        ),
        h(3, "5.2 Service credits"),
        p(
            "Where a Vessel’s availability in a calendar month falls below 97.0 %, the fee of that Vessel for the month is reduced by the credit in Table 2. Credits are the Client’s only remedy for lost availability, save for clause 9.3."
        ),
        _CREDITS,
        h(2, "6. Safety and environment"),
        h(3, "6.1 Stop-work authority"),
        p(
            "Every person on board may stop a transfer that he or she believes to be unsafe. Nobody may be put at a disadvantage for doing so, and time lost is not Downtime."
        ),
        h(3, "6.2 Limits for transfers"),
        bullets(
            (
                "Crew transfer vessels:",
                bullets(
                    "significant wave height at most 1.75 m at the boat landing;",
                    "mean wind speed at most 14 m/s, gusts at most 18 m/s;",
                ),
            ),
            (
                "Service operation vessels, by walk-to-work gangway:",
                bullets(
                    "significant wave height at most 3.0 m;",
                    "gangway stroke use at most 85 % over ten minutes.",
                ),
            ),
            "Transfers by night need the approval of the marine coordinator for each voyage.",
        ),
        h(3, "6.3 Incidents"),
        p(
            "The Contractor shall report a personal injury, a collision or a spill to the marine coordinator at once, and in writing within twelve hours."
        ),
        h(2, "7. Liability and insurance"),
        h(3, "7.1 Mutual hold harmless"),
        p(
            "Each party bears the loss of or damage to its own property and the death or injury of its own personnel, however caused, and shall hold the other party and its Affiliates harmless from such claims.[^llmc]"
        ),
        h(3, "7.2 Limit"),
        p(
            "Save for clause 7.1 and for wilful misconduct, the total liability of either party in a contract year is limited to US$ 12,500,000."
        ),
        p("Neither party is liable to the other for loss of production, loss of profit or the cost of capital."),
        h(3, "7.3 Insurance"),
        p(
            "The Contractor shall maintain hull and machinery insurance at each Vessel’s full value, and protection and indemnity cover of at least US$ 500 million for any one event."
        ),
        h(2, "8. General terms"),
        p("The following terms apply to the whole of this Agreement."),
        _TERMS,
        h(2, "9. Termination"),
        h(3, "9.1 For convenience"),
        p(
            "The Client may terminate this Agreement by ninety days’ notice. It then pays an early termination fee of 18 % of the standby rates that would have fallen due in the rest of the Charter Period."
        ),
        h(3, "9.2 For cause"),
        p(
            "Either party may terminate with immediate effect when the other is insolvent, or has not remedied a material breach within thirty days of a notice that describes it."
        ),
        h(3, "9.3 Withdrawal of a Vessel"),
        p(
            "The Client may withdraw a single Vessel when its availability has been below 85.0 % in three of any six consecutive months. No termination fee is due for a withdrawal."
        ),
        h(2, "10. Law and disputes"),
        p("This Agreement is governed by the laws of England and Wales."),
        p(
            "Disputes that the executive sponsors have not settled within twenty-eight days are referred to arbitration in London under the terms of the London Maritime Arbitrators Association, by three arbitrators."
        ),
        h(2, "Schedule A: Services and delivery", new_page=True),
        h(3, "Overview"),
        p(
            "This schedule describes the Services and how a Vessel is delivered, accepted and redelivered. The base port is Grimsby; the alternative port is Great Yarmouth."
        ),
        h(3, "Scope"),
        h(4, "Crew transfer"),
        p(
            "Up to twenty-four technicians with tools for each voyage, two voyages a day, seven days a week, from 1 April to 31 October; one voyage a day in the other months."
        ),
        h(4, "Cable repair"),
        p(
            "Mobilisation of a cable repair vessel within twenty-one days of a call-off, with a jointing crew of the Client’s choice on board."
        ),
        h(3, "Acceptance"),
        p(
            "A Vessel is accepted when the delivery protocol has been signed after an on-hire survey and a trial transfer at turbine BN-07. Points that do not affect safety are listed in the protocol and remedied within thirty days."
        ),
        h(2, "Schedule B: Governance"),
        h(3, "Overview"),
        p(
            "The parties meet monthly at working level and quarterly at the level of the executive sponsors. Minutes are circulated within five Business Days and are binding when nobody has objected within ten."
        ),
        h(3, "Scope"),
        h(4, "Monthly meeting"),
        p(
            "Availability, Downtime and incidents for each Vessel; the voyage plan for the next eight weeks; open points of the delivery protocols."
        ),
        h(4, "Executive meeting"),
        p(
            "Service credits, change orders and claims. The executive sponsors are the Contractor’s Chief Operating Officer and the Client’s Director of Offshore Operations."
        ),
        h(2, "Appendix: Notices"),
        p(
            "Notices are given in English, by courier and by electronic mail, to the addresses in Table 3. A notice takes effect on the first Business Day after the courier’s delivery."
        ),
        _CONTACTS,
        h(2, "Signatures"),
        p("Signed in two originals, of which each party has received one."),
        p("For Halden Marine Services AS: Morten Aune, Chief Operating Officer, Halden, 15 January 2025."),
        p(
            "For Brightwater Offshore Energy Ltd: Fiona Marsh, Director of Offshore Operations, Grimsby, 17 January 2025."
        ),
    ),
    questions=(
        Question(
            "How long is the initial Charter Period under the Halden Marine and Brightwater agreement?",
            "thirty-six (36) months",
            ("means the period of thirty-six (36) months that begins on the Commencement Date",),
        ),
        Question(
            "By when must the Client give notice to extend the charter, and how much do the day rates rise in an Option Period?",
            "180 days before the current period ends; 2.25 %",
            (
                "Notice must reach the Contractor no later than 180 days before the current period ends.",
                "In an Option Period the day rates of the year before rise by 2.25 %, and the mobilisation fee is not charged again.",
            ),
        ),
        Question(
            "What is the yearly cap on all fees without a signed change order?",
            "US$ 68,400,000",
            ("The total of all fees in a contract year shall not exceed US$ 68,400,000 without a change order",),
        ),
        Question(
            "What does the Contractor have to deliver when availability in a month is between 92.0 % and 94.9 %?",
            "Written recovery plan within ten Business Days",
            ("Written recovery plan within ten Business Days",),
        ),
        Question(
            "Which law governs the vessel support agreement and where is the seat of arbitration?",
            "England and Wales; London",
            (
                "This Agreement is governed by the laws of England and Wales.",
                "are referred to arbitration in London under the terms of the London Maritime Arbitrators Association, by three arbitrators.",
            ),
        ),
        Question(
            "What fee does the Client owe if it terminates for convenience?",
            "18 % of the standby rates",
            (
                "It then pays an early termination fee of 18 % of the standby rates that would have fallen due in the rest of the Charter Period.",
            ),
        ),
        Question(
            "What is the wave height limit for transfers from crew transfer vessels?",
            "1.75 m",
            ("significant wave height at most 1.75 m at the boat landing;",),
        ),
        Question(
            "Under which convention is liability for pollution further governed?",
            "LLMC Convention 1976",
            ("Liability for pollution is further governed by the LLMC Convention 1976 as amended in 1996.",),
        ),
        Question(
            "How long does the duty of confidentiality last after the Charter Period?",
            "five years",
            ("The duty of confidentiality lasts for five years after the end of the Charter Period.",),
        ),
    ),
)
