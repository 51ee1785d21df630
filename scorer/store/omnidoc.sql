-- One row a page and parser of a run scored with omnidoc: whether there is a prediction, and how much of it has no home.
create table omnidoc_pages (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    parser              varchar not null,        -- name@version:setting
    page                varchar not null,        -- document id: the image's file name
    predicted           boolean not null,        -- false: nothing was predicted, and the method leaves the page out of every denominator
    reason              varchar,                 -- why nothing was predicted
    characters          ubigint,                 -- predicted characters, normalised; null: nothing was predicted, or single blocks were
    homeless_characters ubigint,                 -- those of them that answer to no gold block: the method drops them at no cost
    primary key (run_id, suite, parser, page)
);

-- One row a page and value of one of its attributes.
create table omnidoc_page_attributes (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    page                varchar not null,        -- document id
    attribute           varchar not null,        -- name in page_attribute: data_source, language, layout, special_issue
    value               varchar not null,        -- its value; one of its values, if listed
    listed              boolean not null,        -- the annotation has a list here
    primary key (run_id, suite, page, attribute, value)
);

-- One row a sample: a gold text (one block or several joined) and what was predicted for it.
create table omnidoc_samples (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    parser              varchar not null,        -- name@version:setting
    page                varchar not null,        -- document id
    element             varchar not null,        -- text_block, display_formula, table or reading_order
    sample              integer not null,        -- counted from 0 within page and element
    gold_category       varchar,                 -- category_type of the gold; null: a reading order
    predicted_category  varchar,                 -- what the prediction was taken for; empty: nothing was predicted
    gold                varchar not null,        -- the gold's content; of a reading order, the positions
    predicted           varchar not null,        -- the predicted content
    gold_compared       varchar not null,        -- the gold as the metrics see it
    predicted_compared  varchar not null,        -- the prediction as the metrics see it
    longest             ubigint not null,        -- the longer of the two, characters (positions of a reading order)
    error               varchar,                 -- why a metric that could not be computed scored 0
    primary key (run_id, suite, parser, page, element, sample)
);

-- One row a gold block and predicted piece that were paired; a block that found nothing has a row without a piece.
create table omnidoc_matches (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    parser              varchar not null,        -- name@version:setting
    page                varchar not null,        -- document id
    element             varchar not null,        -- text_block, display_formula or table
    sample              integer not null,        -- the sample the pair belongs to
    gold_index          integer not null,        -- place among the gold that is matched on the page
    gold_block          varchar,                 -- anno_id in the annotation; null: it gives none
    gold_position       double,                  -- order in the annotation, as the method looks it up; null: none
    piece_index         integer,                 -- place among the predicted pieces of the page; null: nothing was paired
    piece_start         bigint,                  -- where the sample's first piece starts on the page, as the method counts
    distance            double not null          -- edit distance over the longer length as the matching stored it, 0 to 1
);

-- One row a predicted text that no gold block answers to. The method drops it at no cost.
create table omnidoc_homeless (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    parser              varchar not null,        -- name@version:setting
    page                varchar not null,        -- document id
    number              integer not null,        -- counted from 0 in the order of the page
    text                varchar not null,        -- as it was predicted
    characters          ubigint not null,        -- of it, normalised
    primary key (run_id, suite, parser, page, number)
);

-- One row a sample and metric.
create table omnidoc_metrics (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    parser              varchar not null,        -- name@version:setting
    page                varchar not null,        -- document id
    element             varchar not null,        -- text_block, display_formula, table or reading_order
    sample              integer not null,        -- the sample
    metric              varchar not null,        -- Edit_dist (0 is best), TEDS, TEDS_structure_only or CDM (1 is best)
    value               double not null,         -- 0 to 1; TEDS, an exact one too, below 0 where the edits outnumber the larger table's elements
    bounded             boolean not null,        -- value is the worse of two bounds: the exact figure would have been too dear
    lower               double,                  -- the least the exact figure can be, if bounded
    upper               double,                  -- the most it can be, if bounded
    primary key (run_id, suite, parser, page, element, sample, metric)
);

-- One row a sample and value of an attribute that a gold block in it has.
create table omnidoc_attributes (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    parser              varchar not null,        -- name@version:setting
    page                varchar not null,        -- document id
    element             varchar not null,        -- text_block, display_formula or table
    sample              integer not null,        -- the sample
    attribute           varchar not null,        -- name in the block's attribute, as text_language
    value               varchar not null,        -- its value
    primary key (run_id, suite, parser, page, element, sample, attribute, value)
);

-- One row a box of a detection, gold or predicted, whose class is scored.
create table omnidoc_boxes (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    parser              varchar not null,        -- name@version:setting
    page                varchar not null,        -- document id
    class               varchar not null,        -- what the box's category is mapped to
    gold                boolean not null,        -- false: predicted
    number              integer not null,        -- counted from 0 within page, class and side
    level               varchar not null,        -- block_level or span_level
    x_min               double not null,         -- left edge, pixels
    y_min               double not null,         -- upper edge, pixels
    x_max               double not null,         -- right edge, pixels
    y_max               double not null,         -- lower edge, pixels
    score               double,                  -- how sure the prediction is; null: gold
    partner             integer,                 -- number of the box on the other side that it is matched with at IoU 0.50; null: none
    overlap             double,                  -- IoU with it, 0.5 to 1
    primary key (run_id, suite, parser, page, class, gold, number)
);

-- One row a page attribute's value: the detection figures over the pages that have it; listed values that name a table are
-- left out.
create table omnidoc_detection_slices (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    parser              varchar not null,        -- name@version:setting
    attribute           varchar not null,        -- name of the page attribute
    value               varchar not null,        -- its value
    pages               ubigint not null,        -- how many pages have it
    bbox_mAP            double,                  -- over IoU 0.50 to 0.95, 0 to 1; null: none of their pages has gold
    bbox_mAP_50         double,                  -- at IoU 0.50
    bbox_mAP_75         double,                  -- at IoU 0.75
    primary key (run_id, suite, parser, attribute, value)
);

-- Every page's figures: an edit distance weighted by length, any other metric the mean of the page's samples.
create view omnidoc_page_scores as
select
    s.run_id,                                                       -- the run
    s.suite,                                                        -- name@version of the benchmark
    s.parser,                                                       -- name@version:setting
    s.page,                                                         -- document id
    s.element,                                                      -- text_block, display_formula, table or reading_order
    m.metric,                                                       -- Edit_dist, TEDS, TEDS_structure_only or CDM
    case when m.metric = 'Edit_dist' then sum(m.value * s.longest order by m.value * s.longest) / sum(s.longest) else avg(m.value order by m.value) end as value, -- 0 to 1
    count(*) as samples,                                            -- samples that have the metric
    count(s.error) as errors,                                       -- samples of which a metric could not be computed
    bool_or(m.bounded) as bounded                                   -- some values are the worse of two bounds
from omnidoc_samples s
join omnidoc_metrics m using (run_id, suite, parser, page, element, sample)
group by s.run_id, s.suite, s.parser, s.page, s.element, m.metric
order by s.run_id desc, s.suite, s.parser, s.page, s.element, m.metric;

-- The three averages of every metric side by side. They differ, and must not be compared with one another.
create view omnidoc_averages as
with over_pages as (
    select run_id, suite, parser, element, metric, avg(value order by value) as value, count(*) as pages
    from omnidoc_page_scores group by all
),
over_samples as (
    select
        run_id, suite, parser, element, metric, avg(value order by value) as value,
        sum(value * longest order by value * longest) / sum(longest) as weighted, count(*) as samples, bool_or(bounded) as bounded
    from omnidoc_metrics join omnidoc_samples using (run_id, suite, parser, page, element, sample)
    group by all
)
select
    p.run_id,                                                       -- the run
    p.suite,                                                        -- name@version of the benchmark
    p.parser,                                                       -- name@version:setting
    p.element,                                                      -- text_block, display_formula, table or reading_order
    p.metric,                                                       -- Edit_dist, TEDS, TEDS_structure_only, CDM or BLEU
    p.value as page_average,                                        -- mean over pages: the published figure; null: BLEU is of all samples together
    k.lower as page_average_lower,                                  -- lower end of its 95 % interval; null: not known
    k.upper as page_average_upper,                                  -- upper end of the same
    case when p.metric = 'Edit_dist' then s.weighted else s.value end as pooled, -- over all pages together: an edit distance over all characters, else the mean over samples
    s.value as sample_average,                                      -- mean over samples
    p.pages,                                                        -- pages that have the element
    s.samples,                                                      -- their samples
    s.bounded                                                       -- some values are the worse of two bounds
from over_pages p
join over_samples s using (run_id, suite, parser, element, metric)
left join kpis k on k.run_id = p.run_id and k.suite = p.suite and k.parser = p.parser and k.document is null
    and k.kpi = p.element || '.' || p.metric
union all
select k.run_id, k.suite, k.parser, k.axis, 'BLEU', null, null, null, k.value, null, null, count(*), false
from kpis k
join omnidoc_samples s on s.run_id = k.run_id and s.suite = k.suite and s.parser = k.parser and s.element = k.axis
where k.document is null and k.kpi = k.axis || '.BLEU'
group by all
order by run_id desc, suite, parser, element, metric;

-- Means over the samples with a value of an attribute, as the reference groups them.
create view omnidoc_by_attribute as
select
    a.run_id,                                                       -- the run
    a.suite,                                                        -- name@version of the benchmark
    a.parser,                                                       -- name@version:setting
    a.element,                                                      -- text_block, display_formula or table
    m.metric,                                                       -- Edit_dist, TEDS, TEDS_structure_only or CDM
    a.attribute,                                                    -- name of the attribute
    a.value,                                                        -- its value
    avg(m.value order by m.value) as sample_average,                -- mean over the samples, 0 to 1
    count(*) as samples                                             -- how many there are
from omnidoc_attributes a
join omnidoc_metrics m using (run_id, suite, parser, page, element, sample)
group by a.run_id, a.suite, a.parser, a.element, m.metric, a.attribute, a.value
order by a.run_id desc, a.suite, a.parser, a.element, m.metric, a.attribute, a.value;

-- Means over the pages with a value of a page attribute, as the reference groups them: listed values that name a table are
-- left out.
create view omnidoc_by_page_attribute as
select
    s.run_id,                                                       -- the run
    s.suite,                                                        -- name@version of the benchmark
    s.parser,                                                       -- name@version:setting
    s.element,                                                      -- text_block, display_formula, table or reading_order
    s.metric,                                                       -- Edit_dist, TEDS, TEDS_structure_only or CDM
    a.attribute,                                                    -- name of the page attribute
    a.value,                                                        -- its value
    avg(s.value order by s.value) as page_average,                  -- mean over the pages, 0 to 1
    count(*) as pages                                               -- how many there are
from omnidoc_page_scores s
join omnidoc_page_attributes a using (run_id, suite, page)
where not (a.listed and contains(a.value, 'table'))
group by s.run_id, s.suite, s.parser, s.element, s.metric, a.attribute, a.value
order by s.run_id desc, s.suite, s.parser, s.element, s.metric, a.attribute, a.value;

-- The published table, the highest Overall first, with what it does not show: intervals, other averages, what was left out.
create view omnidoc_leaderboard as
with averages as (
    select
        run_id, suite, parser,
        max(page_average) filter (element = 'text_block' and metric = 'Edit_dist') as text_edit,
        max(page_average) filter (element = 'display_formula' and metric = 'CDM') as formula_cdm,
        max(page_average) filter (element = 'display_formula' and metric = 'Edit_dist') as formula_edit,
        max(page_average) filter (element = 'table' and metric = 'TEDS') as table_teds,
        max(page_average) filter (element = 'table' and metric = 'TEDS_structure_only') as table_teds_structure_only,
        max(page_average) filter (element = 'table' and metric = 'Edit_dist') as table_edit,
        max(page_average) filter (element = 'reading_order' and metric = 'Edit_dist') as reading_order_edit,
        bool_or(bounded) as bounded
    from omnidoc_averages group by all
),
counted as (
    select
        run_id, suite, parser, count(*) as pages, count(*) filter (not predicted) as unpredicted,
        sum(homeless_characters) / nullif(sum(characters), 0) as homeless
    from omnidoc_pages group by all
),
failed as (
    select run_id, suite, parser, count(error) as errors from omnidoc_samples group by all
),
overall as (
    select
        run_id, suite, parser,
        max(value) filter (kpi = 'composite') as overall, max(lower) filter (kpi = 'composite') as overall_lower,
        max(upper) filter (kpi = 'composite') as overall_upper, max(reason) filter (kpi = 'composite') as reason,
        max(value) filter (kpi = 'overall_rounded') as overall_rounded,
        max(value) filter (kpi = 'overall_pooled') as overall_pooled,
        max(signature) filter (kpi = 'composite') as signature
    from kpis where document is null and axis = 'composite' group by all
)
select
    o.run_id,                                                       -- the run
    o.suite,                                                        -- name@version of the benchmark
    o.run_id = max(o.run_id) over (partition by o.suite) as newest, -- of the newest run scored with this suite
    t.rank,                                                         -- 1 + the parsers better beyond doubt under the same conditions
    t.last_rank,                                                    -- the worst place the pages leave it
    o.parser,                                                       -- name@version:setting
    100 * o.overall as overall,                                     -- the published figure, 0 to 100: of text, table and formula, each its page average
    100 * o.overall_lower as overall_lower,                         -- lower end of its 95 % interval, pages drawn anew; null: not known
    100 * o.overall_upper as overall_upper,                         -- upper end of the same
    o.reason,                                                       -- why overall is null
    a.text_edit,                                                    -- edit distance of the text, 0 is best; page average
    100 * a.formula_cdm as formula_cdm,                             -- CDM of the formulas, 0 to 100; page average
    100 * a.table_teds as table_teds,                               -- TEDS of the tables, 0 to 100; page average
    100 * a.table_teds_structure_only as table_teds_structure_only, -- TEDS without the cells' content, 0 to 100; page average
    a.reading_order_edit,                                           -- edit distance of the order of text blocks, 0 is best; page average
    a.formula_edit,                                                 -- edit distance of the formulas, 0 is best; page average
    a.table_edit,                                                   -- edit distance of the tables, 0 is best; page average
    100 * o.overall_rounded as overall_rounded,                     -- overall from parts rounded first, as the notebook behind the published table does
    100 * o.overall_pooled as overall_pooled,                       -- from averages over all pages together: never compare it with overall
    c.homeless,                                                     -- share of predicted characters that no gold block answers to, 0 to 1; in no other figure
    c.pages,                                                        -- pages in scope
    c.unpredicted,                                                  -- pages without a prediction: the method leaves them out
    f.errors,                                                       -- samples of which a metric could not be computed and scored 0
    a.bounded,                                                      -- some values are the worse of two bounds
    g.partial,                                                      -- not comparable with a full run
    s.conditions,                                                   -- rows are comparable only where this agrees
    o.signature                                                     -- digest of everything that could change overall
from overall o
join counted c on c.run_id = o.run_id and c.suite = o.suite and c.parser = o.parser
join scorings g on g.run_id = o.run_id and g.suite = o.suite
join signatures s on s.signature = o.signature
left join averages a on a.run_id = o.run_id and a.suite = o.suite and a.parser = o.parser
left join failed f on f.run_id = o.run_id and f.suite = o.suite and f.parser = o.parser
left join standings t on t.run_id = o.run_id and t.suite = o.suite and t.parser = o.parser and t.headline = 'composite'
order by o.run_id desc, o.suite, o.overall desc nulls last, o.parser;

-- The figures of a detection, by the reference's names, each class's with how many of its boxes are found.
create view omnidoc_detection as
with counted as (
    select
        run_id, suite, parser, class, any_value(level) as level, count(*) filter (gold) as gold_boxes,
        count(*) filter (not gold) as predicted_boxes, count(partner) filter (gold) as found_boxes
    from omnidoc_boxes group by all
)
select
    k.run_id,                                                       -- the run
    k.suite,                                                        -- name@version of the benchmark
    k.run_id = max(k.run_id) over (partition by k.suite) as newest, -- of the newest run scored with this suite
    k.parser,                                                       -- name@version:setting
    if(k.kpi = k.axis, 'bbox_mAP', k.kpi) as figure,                -- bbox_mAP: over IoU 0.50 to 0.95; _50, _75: at one; _s, _m, _l: by size of the gold box; block_level, span_level: bbox_mAP of these classes alone; …_precision: of one class
    c.class,                                                        -- the class; null: a mean over classes
    c.level,                                                        -- block_level or span_level; null: a mean over classes
    k.value,                                                        -- 0 to 1; null: reason says why
    k.lower,                                                        -- lower end of its 95 % interval, pages drawn anew; null: not known
    k.upper,                                                        -- upper end of the same
    k.reason,                                                       -- why value is null
    c.gold_boxes,                                                   -- gold boxes of the class
    c.predicted_boxes,                                              -- predicted boxes of the class
    c.found_boxes,                                                  -- gold boxes that a prediction is matched with at IoU 0.50
    s.conditions                                                    -- rows are comparable only where this agrees
from kpis k
join signatures s using (signature)
left join counted c on c.run_id = k.run_id and c.suite = k.suite and c.parser = k.parser and k.kpi = c.class || '_precision'
where k.document is null and k.axis = 'detection'
order by k.run_id desc, k.suite, k.parser, k.kpi <> k.axis, c.class is not null, c.level, k.kpi;
