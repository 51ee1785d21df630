"""An operations manual: three decimal heading levels, nested lists, long maintenance tables, a glossary."""
# ruff: noqa: E501  (prose and figures read better unbroken)

from annotations.generator.model import Cell, Columns, Definitions, Furniture, Question, Row, Source, Table
from annotations.generator.notation import bullets, h, lettered, numbered, p, row

_TASKS: tuple[tuple[str, tuple[tuple[str, str, str, str, str], ...]], ...] = (
    # assembly: task, part number, interval, minutes, trade
    (
        "Intake screen",
        (
            ("Clear debris from the rake and check the limit switches", "IS-104", "Daily", "15", "Operator"),
            ("Grease the chain and the sprocket bearings", "IS-118", "Weekly", "25", "Mechanic"),
            ("Measure chain elongation; replace at 2 %", "IS-120", "Quarterly", "60", "Mechanic"),
        ),
    ),
    (
        "Feed pumps P-101 to P-103",
        (
            ("Read suction and discharge pressure", "FP-201", "Daily", "10", "Operator"),
            ("Check the mechanical seal for leaks; limit 5 drops a minute", "FP-207", "Weekly", "10", "Operator"),
            ("Measure vibration at four points; limit 4.5 mm/s", "FP-211", "Monthly", "45", "Mechanic"),
            ("Renew the bearing oil, ISO VG 68, 3.2 litres", "FP-215", "Half-yearly", "90", "Mechanic"),
            ("Align motor and pump by laser", "FP-230", "Yearly", "180", "Mechanic"),
        ),
    ),
    (
        "Flocculation basin",
        (
            ("Jar test and adjustment of the coagulant dose", "FB-302", "Daily", "40", "Laboratory"),
            ("Inspect the paddles and their shaft seals", "FB-310", "Quarterly", "75", "Mechanic"),
            ("Drain, clean and inspect the coating", "FB-322", "Yearly", "960", "Mechanic"),
        ),
    ),
    (
        "Rapid gravity filters F-1 to F-8",
        (
            ("Record head loss; backwash at 2.1 m", "RF-401", "Daily", "20", "Operator"),
            ("Check the air scour pattern during backwash", "RF-408", "Weekly", "30", "Operator"),
            ("Measure the depth of the anthracite; top up below 620 mm", "RF-412", "Quarterly", "120", "Mechanic"),
            ("Calibrate the turbidity meters with formazine", "RF-419", "Monthly", "60", "Instrument technician"),
            ("Replace the filter nozzles found broken", "RF-433", "Yearly", "1,440", "Mechanic"),
        ),
    ),
    (
        "Chlorine dosing",
        (
            ("Check the leak detectors with test gas", "CD-503", "Weekly", "20", "Instrument technician"),
            ("Replace the ejector diaphragm", "CD-511", "Half-yearly", "70", "Mechanic"),
            ("Calibrate the residual analyser", "CD-514", "Monthly", "45", "Instrument technician"),
            ("Test the emergency shut-off from both panels", "CD-520", "Monthly", "30", "Operator"),
        ),
    ),
    (
        "Clear water tank",
        (
            ("Inspect hatches, vents and insect screens", "CW-602", "Monthly", "40", "Operator"),
            ("Divers’ inspection of floor and columns", "CW-615", "Every 3 years", "2,880", "Contractor"),
        ),
    ),
    (
        "Emergency generator",
        (
            ("Start without load and run for ten minutes", "EG-701", "Weekly", "20", "Electrician"),
            ("Run at 60 % load for two hours", "EG-704", "Quarterly", "150", "Electrician"),
            ("Change oil and filters", "EG-712", "Every 250 hours", "120", "Mechanic"),
            ("Replace the starter batteries", "EG-718", "Every 4 years", "90", "Electrician"),
        ),
    ),
)


def _tasks() -> tuple[Row, ...]:
    return tuple(
        row(*((Cell(assembly, rows=len(tasks)),) if at == 0 else ()), *task)
        for assembly, tasks in _TASKS
        for at, task in enumerate(tasks)
    )


_MAINTENANCE = Table(
    "maintenance",
    "Table 3. Maintenance plan",
    (row("Assembly", "Task", "Code", "Interval", "Minutes", "Trade"),),
    _tasks(),
    (0.17, 0.36, 0.09, 0.13, 0.1, 0.15),
)

_LIMITS = Table(
    "limits",
    "Table 1. Control limits of the treated water",
    (
        row(
            Cell("Parameter", rows=2),
            Cell("Unit", rows=2),
            Cell("Target", rows=2),
            Cell("Alarm", cols=2),
            Cell("Action", rows=2),
        ),
        row("Low", "High"),
    ),
    (
        row("Turbidity", "NTU", "0.10", "–", "0.30", "Take the filter out of service"),
        row(
            "Free chlorine",
            "mg/l",
            "0.55",
            "0.35",
            "0.90",
            Cell("Adjust the dose, repeat the sample after 30 minutes", rows=2),
        ),
        row("pH", "–", "7.8", "7.2", "8.6"),
        row("Residual aluminium", "mg/l", "0.05", "–", "0.15", "Repeat the jar test"),
        row("Temperature", "°C", "9", "3", "20", "Inform the duty chemist"),
        row("Outlet pressure", "bar", "6.2", "5.4", "7.0", "Change over the network pumps"),
    ),
    (0.2, 0.1, 0.12, 0.11, 0.11, 0.36),
)

_CREW = Table(
    "crew",
    "Table 2. Staffing by shift",
    (
        row(Cell("Shift", rows=2), Cell("Hours", rows=2), Cell("Monday to Friday", cols=3), Cell("Weekend", cols=2)),
        row("Operators", "Mechanics", "Laboratory", "Operators", "On call"),
    ),
    (
        row("Early", "06:00–14:00", "3", "4", "2", "2", "1 mechanic"),
        row("Late", "14:00–22:00", "3", "2", "1", "2", "1 mechanic"),
        row("Night", "22:00–06:00", "2", Cell("On call", cols=2), "2", "1 electrician"),
    ),
    (0.12, 0.18, 0.14, 0.14, 0.14, 0.13, 0.15),
)

_SPARES = Table(
    "spares",
    "Table 4. Critical spare parts",
    (row("Code", "Part", "Stock", "Reorder at", "Lead time", "Price"),),
    (
        row("FP-207-S", "Mechanical seal, 65 mm, silicon carbide", "3", "2", "6 weeks", "€1,480"),
        row("FP-215-B", "Bearing set 6312 C3", "4", "2", "2 weeks", "€310"),
        row("RF-433-N", "Filter nozzle, polypropylene", "1,200", "400", "8 weeks", "€2.35"),
        row("CD-511-D", "Ejector diaphragm", "6", "3", "4 weeks", "€96"),
        row("CD-514-E", "Electrode for the residual analyser", "2", "1", "3 weeks", "€745"),
        row("EG-718-A", "Starter battery 12 V, 180 Ah", "2", "2", "1 week", "€268"),
    ),
    (0.14, 0.38, 0.1, 0.12, 0.13, 0.13),
)

_TROUBLE = Columns(
    (
        h(3, "6.1 Pump does not deliver"),
        p("Check in this order, and stop at the first finding:"),
        numbered(
            "Is the suction valve fully open? The position indicator must show 100 %.",
            "Is the suction pressure above 0.3 bar? If not, clean the intake screen.",
            "Does the shaft turn in the direction of the arrow? After work on the supply, two phases may be exchanged.",
        ),
        h(3, "6.2 Head loss rises too fast"),
        p(
            "A run of less than eighteen hours points to floc carried over from the basin. Repeat the jar test, then look at the paddles."
        ),
        p(
            "When one filter alone is affected, the surface may be covered with mud balls. Extend its air scour to six minutes for three backwashes."
        ),
        h(3, "6.3 Chlorine residual drifts"),
        bullets(
            "Drifts slowly downwards: the electrode is worn; replace part CD-514-E.",
            "Falls at once: the ejector has lost its vacuum; check the water pressure, then the diaphragm.",
            "Rises at low flow: the minimum dose is too high; set it to 4 %.",
        ),
        h(3, "6.4 Generator does not start"),
        p(
            "Measure the battery voltage while cranking. Below 9.6 V change both batteries, never one alone. Otherwise bleed the fuel line at the filter head."
        ),
    )
)

SOURCE = Source(
    name="manual",
    domain="operations",
    title="Operations and Maintenance Manual",
    lead=(
        "Lindau Road Water Treatment Works",
        "Document OM-LR-004, issue 7, valid from 1 June 2025",
    ),
    furniture=Furniture("Osterby Water Utility", "OM-LR-004, issue 7", "Printed copies are not controlled"),
    serif=False,
    slide_level=2,
    slide_points=14.0,
    notes={
        "capacity": "Measured in the acceptance test of 12 May 2019 at a raw water temperature of 8 °C.",
        "gas": "The exposure limit over fifteen minutes is 0.5 ppm; the detectors give the first alarm at 0.3 ppm.",
        "permit": "Permits are issued in the control room and end with the shift.",
    },
    blocks=(
        h(2, "1 About this manual"),
        h(3, "1.1 Purpose"),
        p(
            "This manual tells operators and maintenance staff how to run, watch and maintain the works at Lindau Road. It replaces issue 6 of March 2023."
        ),
        h(3, "1.2 The works"),
        p(
            "The works treats water from Lake Tarnsjö for 186,000 people. Its rated output is 2,150 m³ an hour, and the clear water tank holds 9,400 m³, enough for about six hours of average demand.[^capacity]"
        ),
        p(
            "Water passes the intake screen, three feed pumps, the flocculation basin, eight rapid gravity filters and the chlorine dosing before it enters the clear water tank."
        ),
        h(3, "1.3 Terms"),
        Definitions(
            (
                ("Backwash", "is the cleaning of a filter by a reversed flow of water, preceded by air."),
                (
                    "Duty chemist",
                    "is the person in the laboratory who decides on doses; outside laboratory hours, the chemist on call.",
                ),
                ("Filter run", "is the time between two backwashes of the same filter."),
                ("Head loss", "is the difference between the water levels above and below the filter bed, in metres."),
                (
                    "Isolation",
                    "is the state in which a machine is cut off from every source of energy and locked, with the key in the hands of the person at work.",
                ),
            )
        ),
        h(2, "2 Operation"),
        h(3, "2.1 Control limits"),
        p(
            "The control system raises an alarm when a value leaves the range in Table 1 for longer than three minutes. The operator confirms every alarm and notes the cause in the log."
        ),
        _LIMITS,
        h(3, "2.2 Staffing"),
        p(
            "The control room is never left without an operator. Table 2 shows the least number of staff for each shift; exchanges are agreed with the shift leader."
        ),
        _CREW,
        h(3, "2.3 Start-up"),
        h(4, "2.3.1 Safety"),
        p(
            "Before start-up walk round the works and make sure that nobody is inside the basins, and that every isolation lock has been returned to the board."
        ),
        h(4, "2.3.2 Procedure"),
        numbered(
            "Open the intake gate by a quarter and wait until the level in the shaft is steady.",
            (
                "Start the first feed pump:",
                lettered(
                    "suction valve open, discharge valve closed;",
                    "start, and open the discharge valve over two minutes;",
                    "check that the current stays below 118 A.",
                ),
            ),
            "Start coagulant dosing at 32 mg/l, then the paddles at speed 2.",
            (
                "Bring the filters into service one after the other:",
                bullets(
                    "filter to waste for twenty minutes;",
                    (
                        "measure the turbidity:",
                        bullets(
                            "below 0.30 NTU, switch to the clear water tank;",
                            "otherwise go on to waste, and call the duty chemist after an hour.",
                        ),
                    ),
                ),
            ),
            "Start chlorine dosing when four filters are in service.",
        ),
        h(3, "2.4 Shutdown"),
        h(4, "2.4.1 Safety"),
        p(
            "A planned shutdown of more than four hours is announced to the network control centre two working days ahead."
        ),
        h(4, "2.4.2 Procedure"),
        numbered(
            "Stop chlorine dosing and flush the ejector for ten minutes.",
            "Take the filters out of service, the one with the highest head loss first.",
            "Stop the paddles and the coagulant dosing.",
            "Close the discharge valves, then stop the feed pumps in the order P-103, P-102, P-101.",
            "Close the intake gate. In frost leave it open by 50 mm and heat the shaft.",
        ),
        h(2, "3 Filters"),
        h(3, "3.1 Backwash"),
        h(4, "3.1.1 Safety"),
        p(
            "Nobody may stand on the gratings of a filter while air is blown. The red beacon shows that the blower is about to start."
        ),
        h(4, "3.1.2 Procedure"),
        p(
            "The control system starts a backwash when the head loss reaches 2.1 m, when the turbidity exceeds 0.30 NTU, or after sixty hours, whichever comes first."
        ),
        numbered(
            "Lower the water to 150 mm above the bed.",
            "Air scour at 55 m/h for four minutes.",
            "Air and water together for two minutes.",
            "Water alone at 38 m/h until the overflow is clear, at least seven minutes.",
            "Rest for ten minutes, then filter to waste for twenty.",
        ),
        p(
            "A backwash uses about 210 m³ of treated water. Never wash two filters at a time: the wash water tank holds 260 m³ and needs seventy minutes to fill."
        ),
        h(2, "4 Chlorine"),
        h(3, "4.1 Storage"),
        p(
            "Up to eight drums of 500 kg stand in the store, two of them connected. The store is entered by two persons at least, with breathing apparatus at hand.[^gas]"
        ),
        h(3, "4.2 Change of a drum"),
        h(4, "4.2.1 Safety"),
        p("Wear a full-face mask with filter B2P3 and butyl gloves. Keep the shower door open."),
        p("At the second alarm leave at once across the wind, and close the store from the outside panel."),
        h(4, "4.2.2 Procedure"),
        numbered(
            "Close the valve of the empty drum and draw the line down until the vacuum reads 0.4 bar.",
            "Loosen the yoke, fit a new lead gasket, and connect the full drum.",
            "Open the valve by one turn and test each joint with ammonia vapour.",
            "Enter the drum’s number and weight in the register.",
        ),
        h(2, "5 Maintenance"),
        h(3, "5.1 Rules"),
        bullets(
            (
                "Work on machines needs isolation:",
                bullets(
                    "electrical, by the isolator in the panel and a personal lock;",
                    "hydraulic, by two closed valves with an open drain between them.",
                ),
            ),
            "Work in basins and tanks also needs a permit for confined spaces.[^permit]",
            "Every task is closed in the maintenance system on the same day, with the minutes used.",
        ),
        h(3, "5.2 Plan"),
        p(
            "Table 3 lists all planned tasks. An interval may be exceeded by a tenth; anything longer needs the consent of the maintenance manager."
        ),
        _MAINTENANCE,
        h(3, "5.3 Spare parts"),
        p(
            "The parts in Table 4 stop the works if they are missing. The store counts them on the first Monday of each month."
        ),
        _SPARES,
        h(2, "6 Faults"),
        p("The list covers the faults of the last five years that have cost more than an hour of output."),
        _TROUBLE,
        p("A fault that is not in this list is reported to the maintenance manager, who adds it to the next issue."),
        h(2, "Appendix: Emergency plan", new_page=True),
        h(3, "Contacts"),
        p(
            "Control room, day and night: extension 4400. Network control centre: extension 4100. Chlorine emergency team of the fire brigade: 112, keyword “Lindau chlorine”."
        ),
        h(3, "Safety"),
        p(
            "The assembly point is the car park at the north gate. The shift leader counts those present and reports the number to the officer in charge."
        ),
        h(3, "Procedure"),
        numbered(
            "Sound the alarm from the nearest panel; it closes the chlorine store and stops the dosing.",
            "Call the fire brigade, then the control room, and say where you stand and how the wind blows.",
            "Stop the works only when the duty chemist or the shift leader orders it: the town has water for six hours.",
            (
                "Nobody goes back into the building before:",
                bullets(
                    "the fire brigade has measured less than 0.3 ppm at both doors;",
                    "the shift leader has given every person a new permit.",
                ),
            ),
        ),
        h(3, "Records"),
        p(
            "The shift leader writes a report within twenty-four hours. The plan is exercised twice a year, once of them at night, and the exercise is entered in the maintenance system under code EP-900."
        ),
    ),
    questions=(
        Question(
            "At what head loss does the control system start a backwash?",
            "2.1 m",
            (
                "The control system starts a backwash when the head loss reaches 2.1 m, when the turbidity exceeds 0.30 NTU, or after sixty hours, whichever comes first.",
            ),
        ),
        Question(
            "Which mask is worn for the change of a chlorine drum, and what must be done at the second alarm?",
            "full-face mask with filter B2P3; leave at once across the wind",
            (
                "Wear a full-face mask with filter B2P3 and butyl gloves.",
                "At the second alarm leave at once across the wind, and close the store from the outside panel.",
            ),
        ),
        Question(
            "What is the vibration limit of the feed pumps?",
            "4.5 mm/s",
            ("Measure vibration at four points; limit 4.5 mm/s",),
        ),
        Question(
            "Below what depth is the anthracite of the filters topped up?",
            "620 mm",
            ("Measure the depth of the anthracite; top up below 620 mm",),
        ),
        Question(
            "How many people does the Lindau Road works supply, and what does the clear water tank hold?",
            "186,000 people; 9,400 m³",
            (
                "The works treats water from Lake Tarnsjö for 186,000 people.",
                "the clear water tank holds 9,400 m³, enough for about six hours of average demand.",
            ),
        ),
        Question(
            "At what concentration do the chlorine detectors give their first alarm?",
            "0.3 ppm",
            ("the detectors give the first alarm at 0.3 ppm.",),
        ),
        Question(
            "In which order are the feed pumps stopped?",
            "P-103, P-102, P-101",
            ("Close the discharge valves, then stop the feed pumps in the order P-103, P-102, P-101.",),
        ),
        Question(
            "What has to be done when the generator's battery voltage falls below 9.6 V while cranking?",
            "change both batteries",
            ("Below 9.6 V change both batteries, never one alone.",),
        ),
    ),
)
