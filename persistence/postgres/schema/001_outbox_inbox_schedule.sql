-- Moments are nanoseconds since 1970 (UTC), as ferry has them: to_timestamp(created_at / 1e9) shows one.

create table ferry.schema_version (
    version    integer primary key,
    applied_at timestamptz not null default now()
);

-- Messages that were committed and are still to be sent. A row is deleted when the broker has confirmed it.
create table ferry.outbox (
    number          bigint generated always as identity primary key, -- the order of insertion
    id              uuid     not null,
    destination     text     not null,
    message_type    text     not null,
    partition_key   text     not null, -- '' for messages whose order does not matter
    shard           smallint,          -- of the partition key, by which the key's rows find their relay
    tenant          text     not null,
    content         bytea    not null, -- the packed envelope
    attempts        integer  not null default 0,
    next_attempt_at bigint   not null,
    state           smallint not null default 0, -- 0 pending, 1 dead
    last_error      text,
    created_at      bigint   not null
);

-- A row that is to be sent at once is in one of these two.
create index outbox_pending on ferry.outbox (number)
    where state = 0 and shard is null and next_attempt_at <= created_at;
create index outbox_shards on ferry.outbox (shard, number) where state = 0 and shard is not null;
-- Rows that wait: after a failure, or because they were written for later. Others are in neither.
create index outbox_postponed on ferry.outbox (next_attempt_at) where state = 0 and next_attempt_at > created_at;
create index outbox_blocking on ferry.outbox (partition_key, number)
    where state = 0 and shard is not null and next_attempt_at > created_at;
create index outbox_dead on ferry.outbox (number) where state = 1;

-- Rows are inserted and deleted, not changed: no room is left in the pages, and what was deleted is swept up often.
alter table ferry.outbox set (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000,
    toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000
);
-- Not worth compressing for the milliseconds they stay.
alter table ferry.outbox alter column content set storage external;

-- Which consumer has handled which message.
create table ferry.inbox (
    message_id uuid   not null,
    consumer   text   not null,
    claimed_at bigint not null,
    primary key (message_id, consumer)
);
create index inbox_age on ferry.inbox (claimed_at);

-- Messages that wait for their time.
create table ferry.schedule (
    id            uuid     not null, -- of the message; another one where it is to come again after a failure
    number        bigint   generated always as identity,
    due_at        bigint   not null,
    destination   text     not null,
    message_type  text     not null,
    partition_key text     not null,
    shard         smallint,
    tenant        text     not null,
    content       bytea    not null,
    created_at    bigint   not null,
    primary key (id, number)
);
create index schedule_due on ferry.schedule (due_at, number);

insert into ferry.schema_version (version) values (1);
