#!/usr/bin/env python3
"""scripts/bench outbox [-- OPTION...]: ferry's outbox and inbox over PostgreSQL and RabbitMQ beside raw clients.

Everything runs by turns on one broker and one database, both with fsync on. A relay drains rows beside AMQP-CPP that
publishes as many; consumers handle messages in transactions beside a loop over libpqxx; rows are committed at a steady
pace beside messages that are published at the same. Prints one table: what was measured, what is wanted, and whether
it holds. A ratio is the median of the ratios within a round. The servers are FERRY_RABBITMQ_URL and FERRY_POSTGRES_URL.
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from driver import Broker, Table, figure, progress, run_program, verdict  # noqa: E402

RELAY = [str(HERE / "ferry_relay")]
CONSUME = [str(HERE / "ferry_consume")]
RAW_CONSUME = [str(HERE / "raw_libpqxx")]
RAW_PUBLISH = [str(HERE.parent / "amqp" / "raw_amqpcpp")]
RAW_FULL = [*RAW_PUBLISH, "--properties", "full"]

SIZE = 256
SLOTS = 8
GROUP = 64
PACE = 500


class Contest:
    """Runs the parts, and remembers every result: results[name] has one entry a round."""

    def __init__(self, broker, database, options):
        self.broker = broker
        self.database = database
        self.options = options
        self.results = {}

    def run(self, name, program, mode, vhost="", **more):
        command = [*program, "--mode", mode, "--database", self.database, "--size", str(SIZE)]
        if vhost:
            command += ["--url", self.broker.address(vhost)]
        for option, value in more.items():
            command += [f"--{option}", str(value)]
        result = run_program(command)
        self.results.setdefault(name, []).append(result)
        return result

    def fill(self, count):
        return self.run("fill", RELAY, "fill", count=count)

    def at_broker(self, name, program, mode, **more):
        vhost = self.broker.open_turn()
        result = self.run(name, program, mode, vhost, **more)
        self.broker.close_turn(vhost)
        return result

    def drain(self, name, count):
        self.fill(count)
        result = self.at_broker(name, RELAY, "drain", count=count)
        progress(f"{'relay, ' + format(count, ',') + ' rows':34} {result['rate']:>9,.0f} rows/s, "
                 f"{result['cpu_us']:.1f} µs of CPU a row, {result['max_resident_kb'] / 1024:.0f} MB resident")

    def publish(self, name, program):
        result = self.at_broker(name, program, "publish", count=self.options.rows)
        progress(f"{name:34} {result['rate']:>9,.0f} messages/s")

    def consume(self, name, program, count, **more):
        self.fill(0)
        result = self.run(name, program, "consume", count=count, slots=SLOTS, **more)
        progress(f"{name:34} {result['rate']:>9,.0f} messages/s")

    def latency(self, name, program, mode):
        self.fill(0)
        result = self.at_broker(name, program, mode, count=self.options.paced, rate=PACE)
        progress(f"{name:34} p50 {result['p50_us']:,.0f} µs, p99 {result['p99_us']:,.0f} µs at {PACE} messages/s")

    def rates(self):
        turns = [lambda: self.drain("relay", self.options.rows), lambda: self.publish("AMQP-CPP", RAW_PUBLISH),
                 lambda: self.publish("AMQP-CPP, ferry's properties", RAW_FULL)]
        self.rounds("draining beside publishing", turns)

    def consumers(self):
        few, many = self.options.handled, self.options.handled * 6  # so that both take about as long
        turns = [lambda: self.consume("one by one", CONSUME, few), lambda: self.consume("libpqxx", RAW_CONSUME, few),
                 lambda: self.consume("groups", CONSUME, many, group=GROUP)]
        self.rounds("consuming in transactions", turns)

    def latencies(self):
        turns = [lambda: self.latency("commit to confirm", RELAY, "commit"),
                 lambda: self.latency("publish to confirm", RAW_PUBLISH, "confirm")]
        self.rounds("paced", turns)

    def rounds(self, what, turns):
        for number in range(self.options.rounds):
            progress(f"{what}, round {number + 1} of {self.options.rounds}")
            first = number % len(turns)  # nobody always follows the same other one
            for turn in turns[first:] + turns[:first]:
                turn()

    def sizes(self):
        for count in self.table_sizes():
            for _ in range(5 if count <= 1000 else 3 if count <= 10_000 else 1):
                self.drain(f"table of {count}", count)

    def table_sizes(self):
        return [count for count in (1_000, 10_000, 100_000) if count < self.options.most] + [self.options.most]

    def median(self, name, what):
        return statistics.median(each[what] for each in self.results[name])

    def ratio(self, name, other, what):
        return statistics.median(a[what] / b[what] for a, b in zip(self.results[name], self.results[other]))

    def microseconds_a_row(self, count):
        return 1e6 / self.median(f"table of {count}", "rate")


class Report:
    """The figures of a contest, each beside what is wanted of it."""

    def __init__(self, contest):
        self.contest = contest
        self.missed = 0
        self.table = Table(["what", "wanted", "measured", ""])

    def judge(self, what, wanted, measured, holds):
        self.missed += not holds
        self.table.add(what, wanted, measured, verdict(holds))

    def rates(self):
        contest = self.contest
        # Beside messages with the same properties: what those cost is RabbitMQ's price, whoever writes them.
        for other, wanted in (("AMQP-CPP, ferry's properties", 0.8), ("AMQP-CPP", None)):
            ratio = contest.ratio("relay", other, "rate")
            words = f"{figure(contest.median('relay', 'rate'))} rows/s against {figure(contest.median(other, 'rate'))}: {ratio:.2f}"
            what = f"draining {contest.options.rows:,} rows / confirmed publishing with {other}"
            if wanted:
                self.judge(what, f"≥ {wanted}", words, ratio >= wanted)
            else:
                self.table.add(what, "", words, "")

    def consumers(self):
        for name, other, wanted in (("one by one", "libpqxx", 0.8), ("groups", "one by one", 5)):
            ratio = self.contest.ratio(name, other, "rate")
            ours, theirs = (figure(self.contest.median(each, "rate")) for each in (name, other))
            self.judge(f"transactional consumers, {SLOTS} slots: {name.replace('groups', f'groups of {GROUP}')} / {other}",
                       f"≥ {wanted}", f"{ours} messages/s against {theirs}: {ratio:.2f}", ratio >= wanted)

    def latencies(self):
        ours, theirs = "commit to confirm", "publish to confirm"
        for what, wanted in (("p50_us", 2), ("p99_us", None)):
            ratio = self.contest.ratio(ours, theirs, what)
            words = f"{figure(self.contest.median(ours, what))} µs against {figure(self.contest.median(theirs, what))}: {ratio:.2f}"
            name = f"{what[:3]} of {ours} / of a raw {theirs}, {PACE} a second"
            if wanted:
                self.judge(name, f"≤ {wanted}", words, ratio <= wanted)
            else:
                self.table.add(name, "", words, "")

    def sizes(self):
        contest, most = self.contest, self.contest.options.most
        megabytes = contest.median(f"table of {most}", "max_resident_kb") / 1024
        self.judge(f"resident memory, draining {most:,} rows", "< 64 MB", f"{megabytes:.1f} MB", megabytes < 64)
        costs = {count: contest.microseconds_a_row(count) for count in contest.table_sizes()}
        words = ", ".join(f"{count:,}: {cost:.0f}" for count, cost in costs.items())
        growth = costs[most] / costs[1_000]
        self.judge("µs a row by rows in the table", "flat: ≤ 1.25 times", f"{words}; {growth:.2f} times", growth <= 1.25)


def read_options(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench outbox --", description=__doc__.split("\n\n", 1)[1])
    parser.add_argument("--quick", action="store_true", help="one round with few rows: a look, not a measurement")
    parser.add_argument("--rounds", type=int, help="how often each contender has its turn (3)")
    parser.add_argument("--rows", type=int, help="rows that are drained beside raw publishing (100,000)")
    parser.add_argument("--most", type=int, help="rows of the largest table (1,000,000)")
    parser.add_argument("--only", choices=["rates", "consumers", "latencies", "sizes"], help="one part of it")
    options, _ = parser.parse_known_args(arguments)  # the others' --benchmark_... mean nothing here
    defaults = {"rounds": 1, "rows": 20_000, "most": 50_000} if options.quick else \
               {"rounds": 3, "rows": 100_000, "most": 1_000_000}
    for name, value in defaults.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    options.paced = 1_000 if options.quick else 2_500
    options.handled = 2_000 if options.quick else 8_000
    return options


def main():
    options = read_options(sys.argv[1:])
    urls = [os.environ.get(name) for name in ("FERRY_RABBITMQ_URL", "FERRY_RABBITMQ_HTTP", "FERRY_POSTGRES_URL")]
    if not all(urls):
        raise SystemExit("there are no servers: FERRY_RABBITMQ_URL, FERRY_RABBITMQ_HTTP and FERRY_POSTGRES_URL are not "
                         "set; use scripts/bench outbox")
    began = time.monotonic()
    contest = Contest(Broker(urls[0], urls[1]), urls[2], options)
    report = Report(contest)
    parts = [options.only] if options.only else ["rates", "consumers", "latencies", "sizes"]
    for part in parts:
        getattr(contest, part)()
        getattr(report, part)()
    print()
    report.table.print()
    print(f"{report.missed} of the wanted figures were missed; {options.rounds} rounds, bodies of {SIZE} B, quorum "
          f"queues, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
