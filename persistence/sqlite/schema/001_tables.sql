-- The tables of ferry in an SQLite database. Times are nanoseconds since 1970 (UTC), ids the 16 bytes of a UUID.
-- With another table prefix than ferry_, replace it throughout.

create table ferry_schema (
    version integer not null
);
insert into ferry_schema (version) values (1);

-- What each consumer has handled.
create table ferry_inbox (
    message blob not null,
    consumer text not null,
    claimed_at integer not null,
    primary key (message, consumer)
) without rowid;
create index ferry_inbox_age on ferry_inbox (claimed_at);

-- What is to be sent. Numbers are never used twice.
create table ferry_outbox (
    number integer primary key autoincrement,
    id blob not null,
    destination text not null,
    message_type text not null,
    partition_key text not null,
    shard integer, -- null without a partition key
    tenant text not null,
    content blob not null,
    attempts integer not null default 0,
    due integer not null, -- 0: at once
    dead integer not null default 0, -- 1: given up
    last_error text not null default '',
    created_at integer not null
);
create index ferry_outbox_unordered on ferry_outbox (number, due) where shard is null and dead = 0;
create index ferry_outbox_unordered_due on ferry_outbox (due) where shard is null and dead = 0;
create index ferry_outbox_shards on ferry_outbox (shard, number, due) where shard is not null and dead = 0;
create index ferry_outbox_keys on ferry_outbox (partition_key, number, due) where shard is not null and dead = 0;
create index ferry_outbox_dead on ferry_outbox (number, created_at) where dead = 1;

-- What waits for its time, on its way to the outbox.
create table ferry_schedule (
    number integer primary key autoincrement,
    id blob not null,
    destination text not null,
    message_type text not null,
    partition_key text not null,
    shard integer,
    tenant text not null,
    content blob not null,
    due integer not null,
    created_at integer not null
);
create index ferry_schedule_due on ferry_schedule (due, number);
create index ferry_schedule_id on ferry_schedule (id);
