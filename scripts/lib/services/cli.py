"""The command line of scripts/services."""

import argparse
import os
import shlex
import signal
import subprocess
import sys

from . import supervisor
from .client import Failure, Instance

SERVERS = ("rabbitmq", "postgres")

DESCRIPTION = """\
Private RabbitMQ and PostgreSQL servers on 127.0.0.1, on free ports, in a folder of their own.
Instances never meet: any number can run side by side, also beside servers of the system.

  run -- COMMAND...    start servers, run COMMAND with their addresses in the environment, always stop them, and
                       whatever COMMAND left running: when COMMAND ends or dies, and when this script is killed
  start [SERVER...]    start servers in the background and print NAME=value lines
  stop [SERVER...]     without names: end the instance at once; with names: shut these down politely
  crash SERVER...      end them as a crash would (SIGKILL for RabbitMQ, SIGQUIT for PostgreSQL); waits up to a second
                       for RabbitMQ to write down the names of new quorum queues, which it would lose otherwise
  restart SERVER...    start them again on the same folder and ports, after a polite stop if they run
  pause SERVER...      freeze them: alive, but silent
  resume SERVER...     let frozen ones go on
  control -- ARGS...   run rabbitmqctl ARGS on the instance's RabbitMQ
  status               one line a server: name, state (running, stopped, paused), process id, name=port ...
  env                  print `export NAME=value` lines for a shell

SERVER is rabbitmq or postgres; start and run without names start both.

Variables: FERRY_RABBITMQ_URL (amqp://...), FERRY_RABBITMQ_HTTP (the management API), FERRY_POSTGRES_URL,
FERRY_SERVICES_DIR (the instance's folder; the other commands find the instance by it, or by --dir).
"""


def tell(text):
    print(f"ferry: {text}", file=sys.stderr, flush=True)


def start(options):
    if options.dir and Instance(options.dir).is_alive():
        instance = Instance(options.dir)
    else:
        instance = Instance.create(options.dir, options.logs, options.durable, options.owner)
    try:
        answer = ask_to_start(instance, options.servers)
    except Failure:
        if not options.dir:
            instance.stop()
        raise
    for name, value in answer["exports"].items():
        print(f"{name}={value}")
    return 0


def ask_to_start(instance, servers):
    servers = servers or SERVERS
    tell(f"starting {' and '.join(servers)} in {instance.folder}")
    answer = instance.ask("start", servers)
    tell(f"ready after {answer['took']:.1f} s")
    return answer


def run(options):
    instance = Instance.create(options.dir, options.logs, options.durable, owner=os.getpid(), ends_users=True)
    try:
        exports = ask_to_start(instance, options.servers)["exports"]
        return run_command(options.command, exports)
    finally:
        instance.stop()


def run_command(command, exports):
    """COMMAND gets the terminal's SIGINT by itself; other signals are passed on. Its end is awaited in any case."""
    process = None
    early = []

    def pass_on(number, _):
        if process:
            process.send_signal(number)
        else:
            early.append(number)

    signal.signal(signal.SIGINT, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, pass_on)  # before COMMAND runs: whoever sees it run may signal at once
    # setpriv: if this process is killed, COMMAND is told to end instead of going on without its servers.
    process = subprocess.Popen(["setpriv", "--pdeathsig=TERM", "--", *command], env={**os.environ, **exports})
    for number in early:
        process.send_signal(number)
    code = process.wait()
    return 128 - code if code < 0 else code


def stop(options):
    instance = found(options)
    if options.servers:
        instance.ask("stop", options.servers)
    else:
        instance.stop()
    return 0


def change(options):
    found(options).ask(options.subcommand, options.servers)
    return 0


def control(options):
    print(found(options).ask("control", options.command)["said"], end="")
    return 0


def status(options):
    for server in found(options).ask("status")["status"]:
        ports = " ".join(f"{name}={port}" for name, port in server["ports"].items())
        print(server["server"], server["state"], server["pid"], ports)
    return 0


def environment(options):
    for name, value in found(options).ask("status")["exports"].items():
        print(f"export {name}={shlex.quote(value)}")
    return 0


def found(options):
    folder = options.dir or os.environ.get("FERRY_SERVICES_DIR")
    if not folder:
        raise Failure("which instance? Name its folder with --dir or FERRY_SERVICES_DIR")
    return Instance(folder)


def parser():
    root = argparse.ArgumentParser(prog="scripts/services", description=DESCRIPTION,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = root.add_subparsers(dest="subcommand", required=True, metavar="COMMAND", help="see above")
    for name, function in (("start", start), ("run", run)):
        command = add_command(commands, name, function, "a new temporary one, removed at the end")
        command.add_argument("--durable", action="store_true", help="keep fsync on, for crash tests and benchmarks")
        command.add_argument("--logs", metavar="FOLDER", help="where the servers' logs go (default: in the instance)")
        if name == "start":
            command.add_argument("--owner", type=int, metavar="PID", help="end the instance when this process ends")
        command.add_argument("servers", nargs="*", choices=[*SERVERS, []], metavar="SERVER")
    for name, function, count in (("stop", stop, "*"), ("crash", change, "+"), ("restart", change, "+"),
                                  ("pause", change, "+"), ("resume", change, "+")):
        command = add_command(commands, name, function, "$FERRY_SERVICES_DIR")
        command.add_argument("servers", nargs=count, choices=[*SERVERS, []] if count == "*" else SERVERS,
                             metavar="SERVER")
    for name, function in (("control", control), ("status", status), ("env", environment)):
        add_command(commands, name, function, "$FERRY_SERVICES_DIR")
    return root


def add_command(commands, name, function, default_folder):
    command = commands.add_parser(name)
    command.set_defaults(function=function)
    command.add_argument("--dir", metavar="FOLDER", help=f"the instance's folder (default: {default_folder})")
    return command


def parse(arguments):
    """`run` and `control` take everything behind `--` as it is."""
    command = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, command = arguments[:at], arguments[at + 1:]
    options = parser().parse_args(arguments)
    options.command = command
    if options.subcommand in ("run", "control") and not command:
        raise Failure(f"{options.subcommand} what? scripts/services {options.subcommand} -- COMMAND...")
    return options


def main(arguments):
    if arguments[:1] == ["supervise"]:
        return supervisor.main(arguments[1:])
    try:
        options = parse(arguments)
        return options.function(options)
    except Failure as failure:
        tell(failure)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT

