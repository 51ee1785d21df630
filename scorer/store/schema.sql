-- Every row belongs to a run. What could not be computed is null, with its reason beside it.

create table if not exists runs (
    run_id              varchar primary key,
    started_at          timestamp not null,
    finished_at         timestamp,              -- null: the run can be resumed
    suite               varchar not null,
    mode                varchar not null,       -- local, docker, remote
    exclusive           boolean not null,       -- speeds count
    partial             boolean not null,       -- not the whole manifest
    plan_digest         varchar not null,
    scope               varchar[],              -- the ids asked for; null: all
    machine             json not null,
    machine_digest      varchar not null,
    commit              varchar not null,
    dirty               boolean not null,
    argv                varchar[] not null,
    timeout_seconds     double not null,
    timeout_seconds_per_page double not null,
    memory_bytes        ubigint not null,
    cpus                integer[] not null,
    repeats             integer not null,
    corpus_name         varchar not null,
    corpus_version      varchar not null,
    corpus_digest       varchar not null,
    corpus_path         varchar not null
);

create table if not exists parsers (
    run_id              varchar not null,
    parser              varchar not null,       -- name@version, or name@version:setting
    name                varchar not null,
    version             varchar not null,
    setting             varchar not null,
    state               varchar not null,       -- ready, weights_unavailable, requirement_missing, unhealthy
    reason              varchar not null,
    formats             varchar[] not null,
    capabilities        varchar[] not null,
    chunker             varchar not null,
    native_chunker      boolean not null,
    lock_digest         varchar not null,
    adapter_digest      varchar not null,
    weights_digest      varchar not null,
    licence             varchar not null,
    transport           varchar not null,       -- path, bytes
    replicas            integer not null,
    load_seconds        double,
    calibration_seconds double,
    flags               varchar[] not null,
    primary key (run_id, parser)
);

create table if not exists documents (
    run_id              varchar not null,
    document            varchar not null,
    domain              varchar not null,
    format              varchar not null,
    pages               integer,
    pages_estimated     boolean not null,
    sha256              varchar not null,
    bytes               ubigint not null,
    annotations         varchar[] not null,
    gold_digest         varchar not null,
    notes               varchar[] not null,     -- what intake found
    primary key (run_id, document)
);

create table if not exists parses (
    run_id              varchar not null,
    parser              varchar not null,
    document            varchar not null,
    repeat              integer not null,
    measured_run_id     varchar not null,       -- the run that measured it: another one's under --skip-fresh
    status              varchar not null,
    reason              varchar not null,
    assisted            varchar not null,
    reached_parser      boolean not null,
    seconds             double,                 -- Started to Finished, or sent to Done under clock_suspect
    worker_seconds      double,
    lead_seconds        double,
    tail_seconds        double,
    collect_seconds     double,
    cpu_seconds         double,
    outside_cpu_seconds double,
    peak_memory_bytes   ubigint,
    cgroup_peak_bytes   ubigint,
    pages               integer,                -- as the tool counts them
    artifact            varchar,                -- SHA-256 of the output
    output_bytes        ubigint,
    chunks_artifact     varchar,
    chunker             varchar,
    chunk_status        varchar,
    repaired_code_points ubigint not null,
    leftover_processes  integer not null,
    flags               varchar[] not null,
    started_at          timestamp not null,
    primary key (run_id, parser, document, repeat)
);

create table if not exists kpis (
    run_id              varchar not null,
    suite               varchar not null,
    parser              varchar not null,
    document            varchar,                -- null: over the whole run
    axis                varchar not null,
    kpi                 varchar not null,
    value               double,
    reason              varchar,                -- why value is null, or what is special about it
    bounded             boolean not null default false,
    lower               double,
    upper               double,
    signature           varchar not null
);

create table if not exists verdicts (
    run_id              varchar not null,
    suite               varchar not null,
    parser              varchar not null,
    document            varchar not null,
    test                varchar not null,
    kind                varchar not null,
    passed              boolean,
    why                 varchar not null,
    tags                varchar[] not null
);

create table if not exists warnings (
    run_id              varchar not null,
    parser              varchar,
    document            varchar,
    text                varchar not null
);
