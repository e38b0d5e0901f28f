#!/usr/bin/env python3
"""scripts/bench amqp [-- OPTION...]: ferry over RabbitMQ beside raw clients, in one run on one broker.

Publishes, consumes and does both with ferry, with AMQP-CPP over Asio, with rabbitmq-c and with amqplib on Node, by
turns, over quorum and classic queues; then measures latency and memory. Prints one table: what was measured, what is
wanted, and whether it holds. A ratio is the median of the ratios within a round. The broker is FERRY_RABBITMQ_URL.
"""

import argparse
import os
import pathlib
import random
import shutil
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from driver import Broker, Table, figure, progress, run_program, verdict  # noqa: E402

FERRY = "ferry"
RAW = "AMQP-CPP"
RAW_MANY = "AMQP-CPP, one ack for many"
RAW_FULL = "AMQP-CPP, ferry's properties"
RAW_C = "rabbitmq-c"
NODE = "Node amqplib"

PROGRAMS = {
    FERRY: [str(HERE / "with_ferry")],
    RAW: [str(HERE / "raw_amqpcpp")],
    RAW_MANY: [str(HERE / "raw_amqpcpp"), "--acknowledge", "many"],
    RAW_FULL: [str(HERE / "raw_amqpcpp"), "--properties", "full"],
    RAW_C: [str(HERE / "raw_rabbitmqc")],
}

COLUMNS = (FERRY, RAW, RAW_MANY, RAW_FULL, RAW_C, NODE)

MODES = {"publish": "publish", "consume": "consume", "both": "publish + consume"}


class Contest:
    """Runs contenders, and remembers every result: results[workload, mode, contender] has one entry a round."""

    def __init__(self, broker, options):
        self.broker = broker
        self.options = options
        self.contenders = dict(PROGRAMS)
        self.results = {}
        if (HERE / "node/node_modules/amqplib").exists() and shutil.which("node"):
            self.contenders[NODE] = ["node", str(HERE / "node/bare_amqplib.js")]
        else:
            progress("no column for Node: it takes `node`, and `npm` outside ferry's environment to fetch amqplib")

    def run(self, contender, mode, vhost, workload, count, **more):
        kind, size = workload
        command = [*self.contenders[contender], "--mode", mode, "--url", self.broker.address(vhost), "--type", kind]
        more = {"size": size, "count": count, "window": 1000, "prefetch": 500, **more}
        for name, value in more.items():
            command += [f"--{name}", str(value)]
        return run_program(command)

    def keep(self, workload, mode, contender, result):
        self.results.setdefault((workload, mode, contender), []).append(result)

    def turn(self, contender, workload):
        vhost = self.broker.open_turn()
        for mode in MODES:
            self.keep(workload, mode, contender, self.run(contender, mode, vhost, workload, self.options.count))
        self.broker.close_turn(vhost)
        rates = " ".join(f"{self.results[workload, mode, contender][-1]['rate']:>7,.0f}" for mode in MODES)
        progress(f"{kind_and_size(workload):14} {contender:28} {rates} messages/s")

    def rounds(self, workloads):
        names = list(self.contenders)
        for number in range(self.options.rounds):
            progress(f"round {number + 1} of {self.options.rounds}: publish, consume, both")
            for workload in workloads:
                random.Random(f"{number} {workload}").shuffle(names)  # nobody always follows the same other one
                for contender in names:
                    self.turn(contender, workload)

    def latencies(self, workloads):
        for number in range(self.options.rounds):
            for workload in workloads:
                for contender in (FERRY, RAW, RAW_C)[:: 1 if number % 2 else -1]:
                    vhost = self.broker.open_turn()
                    result = self.run(contender, "latency", vhost, workload, self.options.paced, rate=1000)
                    self.broker.close_turn(vhost)
                    self.keep(workload, "latency", contender, result)
                    progress(f"{kind_and_size(workload):14} {contender:28} p50 {result['p50_us']:,.0f} µs, "
                             f"p99 {result['p99_us']:,.0f} µs at 1,000 messages/s")

    def backlog(self, workload):
        waiting = self.options.waiting
        vhost = self.broker.open_turn()
        progress(f"{kind_and_size(workload):14} {waiting:,} messages go into a queue")
        filled = self.run(FERRY, "publish", vhost, workload, waiting)
        taken = self.run(FERRY, "consume", vhost, workload, min(self.options.count, waiting))
        self.broker.close_turn(vhost)
        self.keep(workload, "backlog", FERRY, taken)
        self.keep(workload, "backlog while filling", FERRY, filled)
        progress(f"{kind_and_size(workload):14} resident at most {taken['max_resident_kb'] / 1024:.1f} MB")

    def median(self, workload, mode, contender, what):
        found = self.results.get((workload, mode, contender))
        return statistics.median(each[what] for each in found) if found else None

    def ratio(self, workload, mode, contender, what):
        ours, theirs = (self.results.get((workload, mode, who)) for who in (FERRY, contender))
        return statistics.median(a[what] / b[what] for a, b in zip(ours, theirs)) if ours and theirs else None


def kind_and_size(workload):
    kind, size = workload
    return f"{kind} {size} B" if size < 1024 else f"{kind} {size // 1024} KiB"


class Report:
    """The figures of a contest, each beside what is wanted of it."""

    def __init__(self, contest):
        self.contest = contest
        self.missed = 0

    def judge(self, value, holds):
        result = None if value is None else holds(value)
        self.missed += result is False
        return verdict(result)

    def rates(self, workloads):
        # Beside messages with the same properties: what those cost is RabbitMQ's price, whoever writes them.
        table = Table(["messages a second", "queue, body", *COLUMNS, "ferry / ferry's properties", "wanted", "",
                       "ferry / AMQP-CPP", "ferry / one ack for many"])
        for mode, words in MODES.items():
            for workload in workloads:
                cells = [figure(self.contest.median(workload, mode, who, "rate"))
                         for who in COLUMNS]
                ratio = self.contest.ratio(workload, mode, RAW_FULL, "rate")
                others = [figure(self.contest.ratio(workload, mode, who, "rate"), "{:.2f}") for who in (RAW, RAW_MANY)]
                table.add(words, kind_and_size(workload), *cells, figure(ratio, "{:.2f}"), "≥ 0.90",
                          self.judge(ratio, lambda value: value >= 0.9), *others)
        table.print()

    def processor(self, workloads):
        table = Table(["CPU a message, µs", "queue, body", *COLUMNS, "ferry / AMQP-CPP", "wanted", "", "ferry / Node",
                       "wanted", ""])
        for mode, words in MODES.items():
            for workload in workloads:
                cells = [figure(self.contest.median(workload, mode, who, "cpu_us"), "{:.1f}")
                         for who in COLUMNS]
                ratio = self.contest.ratio(workload, mode, RAW, "cpu_us")
                node = self.contest.ratio(workload, mode, NODE, "cpu_us")
                raw = ("≤ 3.00", self.judge(ratio, lambda value: value <= 3)) if mode == "consume" else ("", "")
                table.add(words, kind_and_size(workload), *cells, figure(ratio, "{:.2f}"), *raw,
                          figure(node, "{:.2f}"), "< 1.00", self.judge(node, lambda value: value < 1))
        table.print()

    def latencies(self, workloads):
        table = Table(["latency at 1,000/s, µs", "queue, body", FERRY, RAW, RAW_C, "ferry / AMQP-CPP", "wanted", ""])
        for what, words in (("p50_us", "p50"), ("p99_us", "p99")):
            for workload in workloads:
                cells = [figure(self.contest.median(workload, "latency", who, what)) for who in (FERRY, RAW, RAW_C)]
                ratio = self.contest.ratio(workload, "latency", RAW, what)
                judged = ("≤ 2.00", self.judge(ratio, lambda value: value <= 2)) if what == "p99_us" else ("", "")
                table.add(words, kind_and_size(workload), *cells, figure(ratio, "{:.2f}"), *judged)
        table.print()

    def memory(self, workload):
        table = Table(["resident memory, MB", "queue, body", FERRY, "wanted", ""])
        for mode, words in (("backlog while filling", "publishing"), ("backlog", "consuming")):
            megabytes = self.contest.median(workload, mode, FERRY, "max_resident_kb") / 1024
            table.add(f"{words}, {self.contest.options.waiting:,} waiting", kind_and_size(workload),
                      figure(megabytes, "{:.1f}"), "< 64", self.judge(megabytes, lambda value: value < 64))
        table.print()


def read_options(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench amqp --", description=__doc__.split("\n\n", 1)[1])
    parser.add_argument("--quick", action="store_true", help="one round with few messages: a look, not a measurement")
    parser.add_argument("--rounds", type=int, help="how often each contender has its turn (3)")
    parser.add_argument("--count", type=int, help="messages a turn (20,000)")
    parser.add_argument("--waiting", type=int, help="messages in the queue when memory is measured (1,000,000)")
    parser.add_argument("--only", choices=["rates", "latency", "memory"], help="one part of it")
    options, _ = parser.parse_known_args(arguments)  # the others' --benchmark_... mean nothing here
    defaults = {"rounds": 1, "count": 5_000, "waiting": 50_000} if options.quick else \
               {"rounds": 3, "count": 20_000, "waiting": 1_000_000}
    for name, value in defaults.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    options.paced = 2_000 if options.quick else 5_000
    return options


def main():
    options = read_options(sys.argv[1:])
    url, http = os.environ.get("FERRY_RABBITMQ_URL"), os.environ.get("FERRY_RABBITMQ_HTTP")
    if not url or not http:
        raise SystemExit("there is no broker: FERRY_RABBITMQ_URL and FERRY_RABBITMQ_HTTP are not set; use scripts/bench amqp")
    began = time.monotonic()
    workloads = [(kind, size) for kind in ("quorum", "classic") for size in (256, 1024)]
    kinds = [("quorum", 256), ("classic", 256)]
    contest = Contest(Broker(url, http), options)
    report = Report(contest)
    wanted = lambda part: options.only in (None, part)
    if wanted("rates"):
        contest.rounds(workloads)
    if wanted("latency"):
        contest.latencies(kinds)
    if wanted("memory"):
        contest.backlog(kinds[0])
    print()
    if wanted("rates"):
        report.rates(workloads)
        report.processor(workloads)
    if wanted("latency"):
        report.latencies(kinds)
    if wanted("memory"):
        report.memory(kinds[0])
    without_node = wanted("rates") and NODE not in contest.contenders
    unjudged = "; what is wanted beside Node was not judged, since its client is not here" if without_node else ""
    print(f"{report.missed} of the wanted figures were missed{unjudged}; {options.rounds} rounds of {options.count:,} "
          f"messages, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
