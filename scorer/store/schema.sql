-- Which layout this file has.
create table schema_version (
    version             integer not null         -- the layout of the tables; another layout is refused
);

-- One row a run: what was to be parsed, on which machine, under which limits.
create table runs (
    run_id              varchar primary key,     -- UTC time of the start; what every other table refers to
    started_at          timestamp not null,      -- UTC
    finished_at         timestamp,               -- UTC: all parsed, or graded and scored; null: not finished, the same command resumes it
    suite               varchar not null,        -- the benchmark it was planned for
    mode                varchar not null,        -- local, container or remote; graded: predictions made elsewhere, nothing was timed
    exclusive           boolean not null,        -- one document at a time on the whole machine: speeds count
    plan_digest         varchar not null,        -- digest of everything that was planned
    scope               varchar[],               -- the document ids asked for; null: the whole manifest, or all annotated pages
    machine             json not null,           -- machine, operating system, CPUs, Python
    machine_digest      varchar not null,        -- digest of what must agree for a run to be resumed
    commit              varchar not null,        -- commit of docassay; where nobody knows it, its version and a digest of its code
    dirty               boolean not null,        -- docassay had uncommitted changes
    argv                varchar[] not null,      -- the command line
    timeout_seconds     double not null,         -- a document's deadline: fixed part, seconds
    timeout_seconds_per_page double not null,    -- a document's deadline: further seconds a page
    memory_bytes        ubigint not null,        -- a parser's memory limit, bytes
    cpus                integer[] not null,      -- the CPUs a parser may use
    repeats             integer not null,        -- how often each document is parsed
    corpus_name         varchar not null,        -- name in documents.json
    corpus_version      varchar not null,        -- version in documents.json
    corpus_digest       varchar not null,        -- digest of manifest, documents and gold
    corpus_path         varchar not null         -- where the corpus lay: its folder, or the file of its annotations
);

-- One row a parser of a run, ready or not. A parser that is not ready has no parses and no scores.
create table parsers (
    run_id              varchar not null,        -- the run
    parser              varchar not null,        -- name@version:setting, as in every table
    name                varchar not null,        -- name alone
    version             varchar not null,        -- version alone
    setting             varchar not null,        -- named setting; empty: the default
    state               varchar not null,        -- ready, weights_unavailable, requirement_missing or unhealthy
    reason              varchar not null,        -- why it is not ready, and the remedy; or how it was lost
    formats             varchar[] not null,      -- formats it declares: pdf, docx, pptx, html, image
    capabilities        varchar[] not null,      -- what it can produce: text, headings, tables, blocks, pages, chunks
    chunker             varchar not null,        -- name@version of what cuts its text for retrieval
    native_chunker      boolean not null,        -- the chunker is the tool's own
    lock_digest         varchar not null,        -- digest of its locked requirements
    adapter_digest      varchar not null,        -- digest of its adapter, with what it shares to read a tool's output
    weights_digest      varchar not null,        -- digest of its model weights; empty: none
    licence             varchar not null,        -- licence of the tool
    licence_note        varchar not null,        -- what to know before shipping the tool
    transport           varchar not null,        -- how documents reach it: path or bytes
    replicas            integer not null,        -- how many services shared the work
    gpu                 varchar not null,        -- the GPU it was given; empty: none
    load_seconds        double,                  -- cold start: importing and loading models, seconds; never scored
    probes              json,                    -- cold start: the built-in documents, status and seconds; never scored
    calibration_seconds double,                  -- the machine's speed just before, seconds of a fixed loop
    flags               varchar[] not null,      -- drift: the machine's pace changed; lost: it went away during the run; replica_lost: one of several did
    primary key (run_id, parser)
);

-- One row a document in a run's scope.
create table documents (
    run_id              varchar not null,        -- the run
    document            varchar not null,        -- id in documents.json
    domain              varchar not null,        -- subject area in documents.json
    format              varchar not null,        -- pdf, docx, pptx, html or image; markdown: markdown was graded, of whatever it was made
    pages               integer,                 -- pages of the source; null: unknown
    pages_estimated     boolean not null,        -- pages come from the length of the text
    sha256              varchar not null,        -- digest of the file
    bytes               ubigint not null,        -- size of the file
    annotations         varchar[] not null,      -- which gold it has: hierarchy, content, tables, qa; of a page with tests, the outputs they read
    gold_digest         varchar not null,        -- digest of its gold when the run was opened
    notes               varchar[] not null,      -- what the first look at the file found
    primary key (run_id, document)
);

-- One row a parse: a document through a parser, once. Failures are rows like any other.
create table parses (
    run_id              varchar not null,        -- the run
    parser              varchar not null,        -- name@version:setting
    document            varchar not null,        -- document id
    repeat              integer not null,        -- counted from 1
    measured_run_id     varchar not null,        -- the run that measured it: an earlier one when it was taken over
    status              varchar not null,        -- ok, empty, unsupported, encrypted, error, timeout, oom or crash
    reason              varchar not null,        -- one line a person can act on; empty when ok
    assisted            varchar not null,        -- none, fetch or parse: somebody else did part of the work
    reached_parser      boolean not null,        -- false: settled before any parser saw the file
    seconds             double,                  -- the scored time: timed_seconds, or sent to Done under clock_suspect
    timed_seconds       double,                  -- Started to Finished by the caller's clock
    sent_to_done_seconds double,                 -- the whole call by the caller's clock
    worker_seconds      double,                  -- the worker's own clock around the tool's call
    lead_seconds        double,                  -- sent to Started
    tail_seconds        double,                  -- Finished to Done
    collect_seconds     double,                  -- reading headings and tables out of the tool; not scored
    chunk_seconds       double,                  -- cutting chunks; not scored
    cpu_seconds         double,                  -- CPU time of the parser's processes between the marks
    outside_cpu_seconds double,                  -- CPU time others used meanwhile
    peak_memory_bytes   ubigint,                 -- peak memory of the parser's processes, bytes
    cgroup_peak_bytes   ubigint,                 -- peak by the control group's own counter; null: none
    pages               integer,                 -- pages as the tool counts them
    artifact            varchar,                 -- SHA-256 of the output; the file is artifacts/ab/abc….zst
    output_bytes        ubigint,                 -- size of the output, not compressed
    chunks_artifact     varchar,                 -- SHA-256 of the chunks
    chunker             varchar,                 -- name@version of what cut them
    chunk_status        varchar,                 -- status of the cutting; null: no chunks were asked for
    chunk_reason        varchar,                 -- why there are no chunks
    moved_bytes         ubigint not null,        -- document and output bytes that crossed the wire
    repaired_code_points ubigint not null,       -- characters that could not be stored and became U+FFFD
    leftover_processes  integer not null,        -- processes the parser left behind
    flags               varchar[] not null,      -- clock_suspect, disturbed, collect_heavy, drift
    started_at          timestamp not null,      -- UTC
    primary key (run_id, parser, document, repeat)
);

-- One row a scoring of a run by a suite; scoring again replaces it.
create table scorings (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    scored_at           timestamp not null,      -- UTC
    axes                varchar[] not null,      -- the axes scored last
    embedder            varchar,                 -- what ranked the chunks; null: retrieval was not scored
    weights             json not null,           -- composite weights by axis, as given
    partial             boolean not null,        -- the headline may not be compared with a full run's
    partial_reasons     varchar[] not null,      -- why it is partial
    corpus_path         varchar not null,        -- where the gold was read
    gold_digest         varchar not null,        -- digest of the gold that was read
    primary key (run_id, suite)
);

-- One row a figure: of one document, or over the whole run (document is null).
create table kpis (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    parser              varchar not null,        -- name@version:setting
    document            varchar,                 -- document id; null: over the whole run
    axis                varchar not null,        -- coverage, speed, hierarchy, faithfulness, tables, retrieval; a family of tests; composite: the headline
    kpi                 varchar not null,        -- name of the figure; the axis' own score has the axis' name
    value               double,                  -- null: could not be computed, reason says why
    reason              varchar,                 -- why value is null, or which failure made it 0
    in_axis             boolean not null default true, -- false: stands beside the axis, in no axis score and no composite
    bounded             boolean not null default false, -- value is a bound: the input was too long for the exact figure
    lower               double,                  -- lower bound of value: of a document's if bounded, over the run of its 95 % interval; null: not known
    upper               double,                  -- upper bound of the same
    small_sample_lower  double,                  -- lower bound of the studentised 95 % interval, over fewer than 30 documents: trust it there; else null
    small_sample_upper  double,                  -- upper bound of the same
    signature           varchar not null         -- digest of everything that could change value; see signatures
);

-- One row a parser and headline of a scored run: where it stands among the parsers under the same conditions.
create table standings (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    parser              varchar not null,        -- name@version:setting
    headline            varchar not null,        -- composite, or the axis
    score               double not null,         -- the headline, 0 to 1
    gap                 double not null,         -- the leader's score less its own
    gap_lower           double,                  -- lower end of the gap's 95 % interval, paired by document; null: not known
    gap_upper           double,                  -- upper end of the same
    leads               double not null,         -- share of the resamples in which it has the highest score; a tie is shared out
    rank                integer not null,        -- 1 + the parsers better beyond doubt: a paired test, Holm over all pairs, 5 %
    last_rank           integer not null,        -- the parsers compared less those it is better than beyond doubt: its worst place
    documents           integer not null,        -- documents that count for the headline
    few_documents       boolean not null,        -- fewer than 30
    seed                integer not null,        -- of the resamples
    resamples           integer not null,        -- how many
    primary key (run_id, suite, headline, parser)
);

-- One row a headline and two parsers under the same conditions: which differences are real.
create table pairs (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    headline            varchar not null,        -- composite, or the axis
    parser              varchar not null,        -- the one with the higher score
    other               varchar not null,        -- the other
    gap                 double not null,         -- parser less other, 0 or more
    gap_lower           double,                  -- lower end of its 95 % interval, paired by document; null: not known
    gap_upper           double,                  -- upper end of the same
    p                   double not null,         -- two-sided, of a paired test over documents
    adjusted_p          double not null,         -- after Holm's correction over all pairs of the headline
    differs             boolean not null,        -- adjusted_p is 0.05 or less
    documents           integer not null,        -- documents that count for the headline
    primary key (run_id, suite, headline, parser, other)
);

-- One row a document and two parsers that both parsed it: how alike their texts are, without any gold.
create table agreements (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark whose normal form the texts are in
    document            varchar not null,        -- document id
    parser_a            varchar not null,        -- name@version:setting of the one that comes first by name
    parser_b            varchar not null,        -- name@version:setting of the other
    agreement           double,                  -- F1 of the runs of five words that both texts have, 0 to 1; null: reason says why
    reason              varchar,                 -- why agreement is null
    characters_a        ubigint,                 -- characters of the first one's text in its normal form; null: not read
    characters_b        ubigint,                 -- characters of the other's
    headings_a          ubigint not null,        -- headings of the first one's output
    headings_b          ubigint not null,        -- headings of the other's
    tables_a            ubigint not null,        -- tables of the first one's output
    tables_b            ubigint not null,        -- tables of the other's
    primary key (run_id, suite, document, parser_a, parser_b)
);

-- What the signatures stand for.
create table signatures (
    signature           varchar primary key,     -- the digest in kpis
    conditions          varchar not null,        -- digest without the parser: figures are ranked together only if it agrees
    content             json not null            -- everything that could change the figure
);

-- One row a yes/no test of a suite that has them.
create table verdicts (
    run_id              varchar not null,        -- the run
    suite               varchar not null,        -- name@version of the benchmark
    parser              varchar not null,        -- name@version:setting
    document            varchar not null,        -- document id: what was parsed, a page
    source              varchar not null,        -- the document that the page is from: what is resampled whole
    test                varchar not null,        -- id of the test
    family              varchar not null,        -- text, tables or layout: the headline is the mean over the families
    kind                varchar not null,        -- type of the test
    passed              boolean,                 -- null: the parser declares that it cannot produce what the test reads
    why                 varchar not null,        -- why it was not passed; empty when it was
    tags                varchar[] not null       -- slices the test belongs to: its own tags, part:… and derivation:…
);

-- One row a remark: on a parse, or on scoring it.
create table warnings (
    run_id              varchar not null,        -- the run
    stage               varchar not null,        -- parse: of parsing, or of reading a prediction made elsewhere; score: of scoring as a whole; output or chunks: of scoring the parser's
    parser              varchar,                 -- name@version:setting; null: not about one parser
    document            varchar,                 -- document id; null: not about one document
    text                varchar not null         -- one line
);
