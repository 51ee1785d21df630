-- The newest run that was scored, or while none was, the newest: `where run_id = (from newest_run)`.
create view newest_run as
select
    max(run_id) as run_id                                           -- the run
from runs
where run_id in (select run_id from scorings) or not exists (from scorings);

-- One row a parser and document: the repeats taken together. It failed if any repeat failed; the median second counts.
create view document_parses as
select
    p.run_id,                                                       -- the run
    p.parser,                                                       -- name@version:setting
    p.document,                                                     -- document id
    d.domain,                                                       -- subject area of the document
    d.format,                                                       -- format of the document
    d.pages,                                                        -- pages of the source; null: unknown
    coalesce(
        arg_min(p.status, p.repeat) filter (p.status <> 'ok'),
        case when r.finished_at is not null and count(*) < r.repeats then 'crash' else 'ok' end
    ) as status,                                                    -- of the first repeat that failed, else ok
    coalesce(
        arg_min(p.reason, p.repeat) filter (p.status <> 'ok'),
        case when r.finished_at is not null and count(*) < r.repeats then 'the parser was lost before its last repeat' else '' end
    ) as reason,                                                    -- why it failed; empty when ok
    coalesce(arg_min(p.assisted, p.repeat) filter (p.assisted <> 'none'), 'none') as assisted, -- none, fetch or parse
    bool_and(p.reached_parser) as reached_parser,                   -- the parser saw the file
    median(p.seconds) as seconds,                                   -- median over the repeats
    max(p.sent_to_done_seconds) as until_done,                      -- longest from sending the document to the end of the answer, seconds
    max(p.peak_memory_bytes) as peak_memory_bytes,                  -- largest over the repeats, bytes
    arg_min(p.artifact, p.repeat) as artifact,                      -- the first output: the one that is scored
    arg_min(p.chunks_artifact, p.repeat) as chunks_artifact,        -- the first chunks: those that are scored
    arg_min(p.chunk_reason, p.repeat) as chunk_reason,              -- why there are no chunks
    count(*) as repeats,                                            -- how many repeats there are
    count(distinct p.artifact) > 1 or count(distinct p.chunks_artifact) > 1 as nondeterministic, -- outputs differ between repeats
    list_sort(list_distinct(flatten(list(p.flags)))) as flags,      -- flags of all repeats
    bool_or(p.measured_run_id <> p.run_id) as taken_over            -- measured in an earlier run
from parses p
join documents d on d.run_id = p.run_id and d.document = p.document
join runs r on r.run_id = p.run_id
group by p.run_id, p.parser, p.document, d.domain, d.format, d.pages, r.finished_at, r.repeats;

-- One row a parser and axis of a scored run.
create view axis_scores as
select
    k.run_id,                                                       -- the run
    k.suite,                                                        -- name@version of the benchmark
    k.parser,                                                       -- name@version:setting
    k.axis,                                                         -- the axis, or composite
    k.value as score,                                               -- 0 to 1; null: reason says why
    k.lower,                                                        -- lower end of the 95 % interval; null: not known
    k.upper,                                                        -- upper end of the 95 % interval; null: not known
    k.small_sample_lower,                                           -- lower end of the studentised one, over fewer than 30 documents; else null
    k.small_sample_upper,                                           -- upper end of the same
    k.bounded,                                                      -- the score holds figures that are bounds
    k.reason,                                                       -- why score is null
    s.conditions,                                                   -- scores are comparable only where this agrees
    k.signature                                                     -- digest of everything that could change the score
from kpis k
join signatures s on s.signature = k.signature
where k.document is null and k.kpi = k.axis;

-- The parsers of every scored run, the highest composite first; rank says which of them are better beyond doubt. Ranked
-- together only under the same conditions.
create view leaderboard as
with scored as (
    select
        run_id, suite, parser,
        max(score) filter (axis = 'composite') as composite,
        max(lower) filter (axis = 'composite') as composite_lower,
        max(upper) filter (axis = 'composite') as composite_upper,
        max(small_sample_lower) filter (axis = 'composite') as small_sample_lower,
        max(small_sample_upper) filter (axis = 'composite') as small_sample_upper,
        max(score) filter (axis = 'coverage') as coverage,
        max(score) filter (axis = 'speed') as speed,
        max(score) filter (axis = 'hierarchy') as hierarchy,
        max(score) filter (axis = 'faithfulness') as faithfulness,
        max(score) filter (axis = 'tables') as tables,
        max(score) filter (axis = 'retrieval') as retrieval,
        bool_or(bounded) as bounded,
        max(conditions) filter (axis = 'composite') as conditions,
        max(signature) filter (axis = 'composite') as signature
    from axis_scores group by run_id, suite, parser
),
counted as (
    select
        d.run_id, p.parser, count(*) as documents,
        count(*) filter (dp.status = 'ok' and dp.assisted = 'none') as parsed,
        count(*) filter (dp.nondeterministic) as nondeterministic
    from documents d
    join parsers p on p.run_id = d.run_id
    left join document_parses dp on dp.run_id = d.run_id and dp.parser = p.parser and dp.document = d.document
    group by d.run_id, p.parser
)
select
    s.run_id,                                                       -- the run
    s.suite,                                                        -- name@version of the benchmark
    s.run_id = max(s.run_id) over (partition by s.suite) as newest, -- of the newest run scored with this suite
    t.rank,                                                         -- 1 + the parsers better beyond doubt under the same conditions
    t.last_rank,                                                    -- the worst place the documents leave it; like rank: nothing is in doubt
    case when s.composite is not null then rank() over (partition by s.run_id, s.suite, s.conditions order by s.composite desc nulls last) end as place, -- 1 + the parsers with a higher composite, sure or not
    s.parser,                                                       -- name@version:setting
    s.composite,                                                    -- weighted mean of the axes, 0 to 1
    s.composite_lower,                                              -- lower end of its 95 % interval; null: not known
    s.composite_upper,                                              -- upper end of its 95 % interval; null: not known
    s.small_sample_lower,                                           -- lower end of the studentised one, for fewer than 30 documents; else null
    s.small_sample_upper,                                           -- upper end of the same
    t.gap,                                                          -- the leader's composite less its own
    t.gap_lower,                                                    -- lower end of the gap's 95 % interval, paired by document
    t.gap_upper,                                                    -- upper end of the same
    t.leads,                                                        -- share of the resamples in which it has the highest composite
    t.few_documents,                                                -- fewer than 30 documents: intervals and ranks know little
    s.coverage,                                                     -- axis score: documents parsed / documents in scope
    s.speed,                                                        -- axis score: pages per second on a logarithmic scale
    s.hierarchy,                                                    -- axis score: headings and their parents
    s.faithfulness,                                                 -- axis score: text and reading order
    s.tables,                                                       -- axis score: tables found, rows, header columns
    s.retrieval,                                                    -- axis score: evidence found by retrieval
    v.value as pages_per_second,                                    -- pages / parse seconds over the documents parsed
    c.documents,                                                    -- documents in scope
    c.parsed,                                                       -- documents parsed without help
    c.documents - c.parsed as failed,                               -- documents that count 0; see failures
    c.nondeterministic,                                             -- documents whose output differs between repeats
    s.bounded,                                                      -- some figures are bounds
    g.partial,                                                      -- not comparable with a full run
    g.partial_reasons,                                              -- why it is partial
    g.embedder,                                                     -- what ranked the chunks
    s.conditions,                                                   -- rows are comparable only where this agrees
    s.signature                                                     -- digest of everything that could change the composite
from scored s
join counted c on c.run_id = s.run_id and c.parser = s.parser
join scorings g on g.run_id = s.run_id and g.suite = s.suite
left join standings t on t.run_id = s.run_id and t.suite = s.suite and t.parser = s.parser and t.headline = 'composite'
left join kpis v on v.run_id = s.run_id and v.suite = s.suite and v.parser = s.parser
    and v.document is null and v.kpi = 'pages_per_sec_aggregate'
order by s.run_id desc, s.suite, s.composite desc nulls last, s.parser;

-- The parsers that were asked for and could not run. They have no scores; this is not a failure of theirs on a document.
create view not_ready as
select
    run_id,                                                         -- the run
    parser,                                                         -- name@version:setting
    state,                                                          -- weights_unavailable, requirement_missing or unhealthy
    reason                                                          -- why, and the remedy
from parsers where state <> 'ready'
order by run_id desc, parser;

-- One row a parser and document of a scored run.
create view document_scores as
select
    k.run_id,                                                       -- the run
    k.suite,                                                        -- name@version of the benchmark
    k.parser,                                                       -- name@version:setting
    k.document,                                                     -- document id
    d.domain,                                                       -- subject area
    d.format,                                                       -- format
    d.pages,                                                        -- pages of the source
    coalesce(dp.status, 'absent') as status,                        -- how the parse ended; absent: no row
    coalesce(dp.reason, 'the run has no parse of it') as reason,    -- why it failed; empty when ok
    dp.seconds,                                                     -- scored seconds
    case when dp.status = 'ok' then d.pages / dp.seconds end as pages_per_second, -- of this document
    avg(k.value) filter (k.in_axis and k.axis = 'coverage') as coverage,          -- 1: parsed; 0: not
    avg(k.value) filter (k.in_axis and k.axis = 'hierarchy') as hierarchy,        -- mean of the axis' figures this document defines
    avg(k.value) filter (k.in_axis and k.axis = 'faithfulness') as faithfulness,  -- nid
    avg(k.value) filter (k.in_axis and k.axis = 'tables') as tables,              -- mean of the axis' figures this document defines
    avg(k.value) filter (k.in_axis and k.axis = 'retrieval') as retrieval,        -- mean over the budgets
    max(k.value) filter (k.kpi = 'hallucination_rate') as hallucination_rate, -- share of the tool's words that are not in the gold
    max(k.value) filter (k.kpi = 'omission_rate') as omission_rate, -- share of the gold's words that are not in the tool's text
    bool_or(k.bounded) as bounded,                                  -- some figures are bounds
    coalesce(dp.nondeterministic, false) as nondeterministic,       -- outputs differ between repeats
    dp.artifact                                                     -- SHA-256 of the output that was scored
from kpis k
join documents d on d.run_id = k.run_id and d.document = k.document
left join document_parses dp on dp.run_id = k.run_id and dp.parser = k.parser and dp.document = k.document
group by all
order by k.run_id desc, k.suite, k.document, k.parser;

-- The leaderboard cut by document format. Axis scores are means over the format's documents.
create view leaderboard_by_format as
with figures as (
    select k.run_id, k.suite, k.parser, d.format, k.axis, k.kpi, avg(k.value) as value
    from kpis k join documents d on d.run_id = k.run_id and d.document = k.document
    where k.in_axis
    group by all
),
axes as (
    select run_id, suite, parser, format, axis, avg(value) as score from figures group by all
),
timed as (
    select run_id, parser, format, sum(pages) / sum(seconds) as pages_per_second
    from document_parses where status = 'ok' and assisted = 'none' and pages is not null group by all
),
counted as (
    select run_id, format, count(*) as documents from documents group by all
)
select
    a.run_id,                                                       -- the run
    a.suite,                                                        -- name@version of the benchmark
    a.format,                                                       -- the format
    a.parser,                                                       -- name@version:setting
    c.documents,                                                    -- documents of the format in scope
    max(a.score) filter (a.axis = 'coverage') as coverage,          -- documents parsed / documents
    max(t.pages_per_second) as pages_per_second,                    -- over the documents parsed
    max(a.score) filter (a.axis = 'hierarchy') as hierarchy,        -- null: no gold in this format
    max(a.score) filter (a.axis = 'faithfulness') as faithfulness,  -- null: no gold in this format
    max(a.score) filter (a.axis = 'tables') as tables,              -- null: no gold in this format
    max(a.score) filter (a.axis = 'retrieval') as retrieval         -- null: no gold in this format
from axes a
join counted c on c.run_id = a.run_id and c.format = a.format
left join timed t on t.run_id = a.run_id and t.parser = a.parser and t.format = a.format
group by a.run_id, a.suite, a.format, a.parser, c.documents
order by a.run_id desc, a.suite, a.format, coverage desc, a.parser;

-- The leaderboard cut by subject area. Axis scores are means over the area's documents.
create view leaderboard_by_domain as
with figures as (
    select k.run_id, k.suite, k.parser, d.domain, k.axis, k.kpi, avg(k.value) as value
    from kpis k join documents d on d.run_id = k.run_id and d.document = k.document
    where k.in_axis
    group by all
),
axes as (
    select run_id, suite, parser, domain, axis, avg(value) as score from figures group by all
),
timed as (
    select run_id, parser, domain, sum(pages) / sum(seconds) as pages_per_second
    from document_parses where status = 'ok' and assisted = 'none' and pages is not null group by all
),
counted as (
    select run_id, domain, count(*) as documents from documents group by all
)
select
    a.run_id,                                                       -- the run
    a.suite,                                                        -- name@version of the benchmark
    a.domain,                                                       -- the subject area
    a.parser,                                                       -- name@version:setting
    c.documents,                                                    -- documents of the area in scope
    max(a.score) filter (a.axis = 'coverage') as coverage,          -- documents parsed / documents
    max(t.pages_per_second) as pages_per_second,                    -- over the documents parsed
    max(a.score) filter (a.axis = 'hierarchy') as hierarchy,        -- null: no gold in this area
    max(a.score) filter (a.axis = 'faithfulness') as faithfulness,  -- null: no gold in this area
    max(a.score) filter (a.axis = 'tables') as tables,              -- null: no gold in this area
    max(a.score) filter (a.axis = 'retrieval') as retrieval         -- null: no gold in this area
from axes a
join counted c on c.run_id = a.run_id and c.domain = a.domain
left join timed t on t.run_id = a.run_id and t.parser = a.parser and t.domain = a.domain
group by a.run_id, a.suite, a.domain, a.parser, c.documents
order by a.run_id desc, a.suite, a.domain, coverage desc, a.parser;

-- Every document a ready parser did not parse, with the reason. Documents without any parse are there as absent.
create view failures as
select
    d.run_id,                                                       -- the run
    p.parser,                                                       -- name@version:setting
    d.document,                                                     -- document id
    d.domain,                                                       -- subject area
    d.format,                                                       -- format
    case when dp.status is null then 'absent' when dp.status = 'ok' then dp.assisted || '_assisted' else dp.status end as status, -- how it ended; absent: the run has no parse of it
    case when dp.status = 'ok' and dp.assisted = 'fetch' then 'not counted: it was fetched from its source before any parser had it'
        when dp.status = 'ok' then 'not counted: it was taken out of SGML before any parser had it'
        else coalesce(dp.reason, 'the run has no parse of it') end as reason, -- one line a person can act on
    dp.reached_parser,                                              -- false: settled before any parser saw the file
    coalesce(dp.seconds, dp.until_done) as seconds,                 -- seconds until it failed, or was ended
    dp.peak_memory_bytes                                            -- peak memory of the parser's processes, bytes
from documents d
join parsers p on p.run_id = d.run_id and p.state = 'ready'
left join document_parses dp on dp.run_id = d.run_id and dp.parser = p.parser and dp.document = d.document
where dp.status is null or dp.status <> 'ok' or dp.assisted <> 'none'
order by d.run_id desc, p.parser, d.document;

-- How fast each parser was, over the documents it parsed.
create view speed as
select
    p.run_id,                                                       -- the run
    p.parser,                                                       -- name@version:setting
    r.exclusive,                                                    -- only exclusive runs' speeds count
    count(dp.document) as documents,                                -- documents parsed, pages known
    sum(dp.pages) as pages,                                         -- their pages
    sum(dp.seconds) as seconds,                                     -- their parse seconds
    sum(dp.pages) / sum(dp.seconds) as pages_per_second,            -- pages / seconds
    sum(dp.pages) filter (dp.format = 'pdf') / sum(dp.seconds) filter (dp.format = 'pdf') as pages_per_second_pdf, -- the same over PDF alone
    median(dp.seconds) as median_seconds,                           -- of a document
    max(dp.seconds) as slowest_seconds,                             -- of the slowest document
    arg_max(dp.document, dp.seconds) as slowest_document,           -- the slowest document
    max(dp.peak_memory_bytes) as peak_memory_bytes,                 -- largest of any document, bytes
    p.load_seconds,                                                 -- cold start, not scored
    p.calibration_seconds,                                          -- the machine's speed just before
    count(*) filter (list_contains(dp.flags, 'clock_suspect')) as clock_suspect, -- documents timed sent to Done
    count(*) filter (list_contains(dp.flags, 'disturbed')) as disturbed, -- documents during which others used the CPU
    count(*) filter (dp.taken_over) as taken_over,                  -- documents measured in an earlier run
    p.transport,                                                    -- path or bytes
    p.replicas,                                                     -- services that shared the work
    p.gpu                                                           -- the GPU it was given; empty: none
from parsers p
join runs r on r.run_id = p.run_id
left join document_parses dp on dp.run_id = p.run_id and dp.parser = p.parser
    and dp.status = 'ok' and dp.assisted = 'none' and dp.pages is not null
where p.state = 'ready'
group by p.run_id, p.parser, r.exclusive, p.load_seconds, p.calibration_seconds, p.transport, p.replicas, p.gpu
order by p.run_id desc, pages_per_second desc nulls last, p.parser;

-- Every pair of parsers of a run on the documents both have a figure for, axis by axis: counts. The table pairs says which
-- differences are real.
create view pairwise as
with scores as (
    select run_id, suite, parser, document, axis, avg(value) as value
    from kpis where document is not null and value is not null and in_axis group by all
)
select
    a.run_id,                                                       -- the run
    a.suite,                                                        -- name@version of the benchmark
    a.axis,                                                         -- the axis
    a.parser as parser,                                             -- one parser
    b.parser as other,                                              -- the other
    count(*) as documents,                                          -- documents compared
    count(*) filter (a.value > b.value) as better,                  -- documents on which parser is better
    count(*) filter (a.value < b.value) as worse,                   -- documents on which parser is worse
    count(*) filter (a.value = b.value) as equal,                   -- documents on which both are the same
    avg(a.value - b.value) as mean_difference                       -- parser minus other
from scores a
join scores b on b.run_id = a.run_id and b.suite = a.suite and b.document = a.document and b.axis = a.axis
    and b.parser <> a.parser
group by a.run_id, a.suite, a.axis, a.parser, b.parser
order by a.run_id desc, a.suite, a.axis, a.parser, b.parser;

-- Documents on which a parser scores lower than in the run before it of the same parser name and setting.
create view regressions as
with scores as (
    select k.run_id, k.suite, k.parser, p.name, p.version, p.setting, k.document, d.sha256, k.axis, avg(k.value) as value,
        min(s.conditions) as conditions
    from kpis k
    join parsers p on p.run_id = k.run_id and p.parser = k.parser
    join documents d on d.run_id = k.run_id and d.document = k.document
    join signatures s on s.signature = k.signature
    where k.value is not null and k.in_axis
    group by all
),
paired as (
    -- The newest earlier run; of several versions in it the same one, else the newest (2.10 is newer than 2.9).
    select c.*,
        e.run_id as previous_run_id, e.parser as previous_parser, e.value as previous,
        e.conditions as previous_conditions
    from scores c
    join scores e using (suite, name, setting, document, sha256, axis)
    where e.run_id < c.run_id
    qualify row_number() over (
        partition by c.run_id, c.suite, c.parser, c.document, c.axis
        order by e.run_id desc, e.parser = c.parser desc,
            list_transform(regexp_extract_all(e.version, '[0-9]+'), lambda n: n::hugeint) desc, e.parser
    ) = 1
)
select
    c.run_id,                                                       -- the later run
    c.previous_run_id,                                              -- the earlier run
    c.suite,                                                        -- name@version of the benchmark
    c.parser,                                                       -- name@version:setting in the later run
    c.previous_parser,                                              -- name@version:setting in the earlier run
    c.document,                                                     -- document id; the file is the same in both
    c.axis,                                                         -- the axis
    c.value,                                                        -- mean of the axis' figures of the document, later
    c.previous,                                                     -- the same, earlier
    c.value - c.previous as change,                                 -- below 0
    c.conditions = c.previous_conditions as same_conditions,        -- false: limits, gold, suite or embedder changed too
    coalesce(dp.status, 'absent') as status                         -- how the later parse ended
from paired c
left join document_parses dp on dp.run_id = c.run_id and dp.parser = c.parser and dp.document = c.document
where c.value < c.previous
order by c.run_id desc, change, c.parser, c.document;

-- What the parsers invented and left out, beside nid; the least invention first. Not in any axis. Read the three together:
-- a parser that fails invents nothing, but leaves everything out.
create view hallucination as
select
    k.run_id,                                                       -- the run
    k.suite,                                                        -- name@version of the benchmark
    k.parser,                                                       -- name@version:setting
    avg(k.value) filter (k.kpi = 'hallucination_rate') as hallucination_rate, -- mean share of the tool's words that are not in the gold
    avg(k.value) filter (k.kpi = 'omission_rate') as omission_rate, -- mean share of the gold's words that are not in the tool's text
    avg(k.value) filter (k.kpi = 'nid') as nid,                     -- mean similarity of the whole text
    count(*) filter (k.kpi = 'nid') as documents,                   -- documents with gold text
    count(k.value) filter (k.kpi = 'hallucination_rate') as documents_with_text, -- those of them the tool made a text of: hallucination_rate is over these
    max(k.value) filter (k.kpi = 'hallucination_rate') as highest,  -- hallucination_rate of the worst document
    arg_max(k.document, k.value) filter (k.kpi = 'hallucination_rate') as highest_document -- the worst document
from kpis k
where k.document is not null and k.kpi in ('nid', 'hallucination_rate', 'omission_rate')
group by k.run_id, k.suite, k.parser
order by k.run_id desc, k.suite, hallucination_rate nulls last, k.parser;

-- How alike two parsers' texts are over the documents both parsed, without any gold.
create view agreement as
select
    run_id,                                                         -- the run
    suite,                                                          -- name@version of the benchmark whose normal form the texts are in
    parser_a,                                                       -- one parser
    parser_b,                                                       -- the other
    avg(agreement) as agreement,                                    -- mean over the documents, 0 to 1
    count(agreement) as documents,                                  -- documents compared
    min(agreement) as lowest,                                       -- of the document on which they are least alike
    arg_min(document, agreement) as lowest_document                 -- that document
from agreements
group by run_id, suite, parser_a, parser_b
order by run_id desc, suite, agreement, parser_a, parser_b;

-- The documents on which the parsers disagree most, first: where gold tells most. Documents with gold are there, too.
create view annotate_first as
with outputs as (
    select run_id, suite, document, parser_a as parser, characters_a as characters, headings_a as headings, tables_a as tables
    from agreements
    union
    select run_id, suite, document, parser_b, characters_b, headings_b, tables_b from agreements
),
counted as (
    select
        run_id, suite, document, count(*) as parsers,
        min(characters) as fewest_characters, max(characters) as most_characters,
        min(headings) as fewest_headings, max(headings) as most_headings,
        min(tables) as fewest_tables, max(tables) as most_tables
    from outputs group by run_id, suite, document
),
paired as (
    select
        run_id, suite, document, avg(agreement) as agreement, min(agreement) as lowest,
        arg_min({'a': parser_a, 'b': parser_b}, agreement) as pair
    from agreements group by run_id, suite, document
)
select
    p.run_id,                                                       -- the run
    p.suite,                                                        -- name@version of the benchmark whose normal form the texts are in
    p.document,                                                     -- document id
    len(d.annotations) > 0 as has_gold,                             -- somebody annotated it already, at least in part
    p.agreement,                                                    -- mean over the pairs of parsers, 0 to 1; null: none could be compared
    c.parsers,                                                      -- parsers that parsed it; of one that fewer than two parsed, see failures
    p.lowest,                                                       -- of the two parsers that are least alike
    p.pair.a as lowest_parser_a,                                    -- one of them
    p.pair.b as lowest_parser_b,                                    -- the other
    c.fewest_characters,                                            -- of the shortest text, in its normal form
    c.most_characters,                                              -- of the longest
    c.fewest_headings,                                              -- of the output with the fewest headings
    c.most_headings,                                                -- of the one with the most
    c.fewest_tables,                                                -- of the output with the fewest tables
    c.most_tables,                                                  -- of the one with the most
    d.domain,                                                       -- subject area
    d.format,                                                       -- format
    d.pages,                                                        -- pages of the source; null: unknown
    d.annotations                                                   -- which gold it has: hierarchy, content, tables, qa
from paired p
join counted c on c.run_id = p.run_id and c.suite = p.suite and c.document = p.document
join documents d on d.run_id = p.run_id and d.document = p.document
order by p.run_id desc, p.suite, p.agreement nulls last, p.document;

-- One row a parser and family of yes/no tests of a scored run. The headline, the mean over the families, is in axis_scores.
create view verdict_families as
select
    run_id,                                                         -- the run
    suite,                                                          -- name@version of the benchmark
    parser,                                                         -- name@version:setting
    family,                                                         -- text, tables or layout
    count(passed) filter (passed) / nullif(count(passed), 0) as score, -- tests passed / tests scored; null: none was scored
    count(passed) as tests,                                         -- tests scored
    count(passed) filter (passed) as passed,                        -- of those, passed
    count(*) - count(passed) as unsupported,                        -- tests left out: the parser cannot produce what they read
    count(distinct source) filter (passed is not null) as documents -- documents the scored tests are from
from verdicts
group by run_id, suite, parser, family
order by run_id desc, suite, parser, family;

-- The yes/no tests of a scored run cut by tag, family by family. Ten documents or fewer say little.
create view verdict_tags as
with tagged as (
    select run_id, suite, parser, source, family, passed, unnest(tags) as tag from verdicts
),
counted as (
    select
        run_id, suite, parser, family, tag,
        count(passed) filter (passed) / nullif(count(passed), 0) as score,
        count(passed) as tests, count(distinct source) filter (passed is not null) as documents
    from tagged group by all
)
select
    run_id,                                                         -- the run
    suite,                                                          -- name@version of the benchmark
    tag,                                                            -- a tag of the tests, part:… or derivation:…
    family,                                                         -- text, tables or layout
    parser,                                                         -- name@version:setting
    score,                                                          -- tests passed / tests scored; null: none was scored
    tests,                                                          -- tests scored
    documents,                                                      -- documents they are from
    documents <= 10 as few_documents,                               -- a small slice: read it with care
    case when score is not null then rank() over (partition by run_id, suite, tag, family order by score desc nulls last) end as place -- 1 + the parsers with a higher score, sure or not
from counted
order by run_id desc, suite, tag, family, place nulls last, parser;
