"""A program that knows RabbitMQ and nothing of ferry. The broker is that of FERRY_RABBITMQ_URL.

    pika_client.py publish EXCHANGE ROUTING_KEY BODY [PROPERTY=VALUE...]
    pika_client.py bind QUEUE EXCHANGE         a queue of its own for what is published there
    pika_client.py take QUEUE                  waits for a message and prints it
    pika_client.py request QUEUE BODY [PROPERTY=VALUE...]    prints the reply

A PROPERTY is one of AMQP's, or a header with a value as Python writes it: type=greeting "header.parts=[1, 'two']". A
message is printed with one line for each property and header, `header.parts: list [1, 'two']`, and one for its body.
"""

import ast
import os
import sys

import pika

PATIENCE = 10  # seconds; only a broken build waits this long


def publish(channel, exchange, routing_key, body, *properties):
    channel.confirm_delivery()
    channel.basic_publish(exchange, routing_key, body.encode(), properties_of(properties), mandatory=True)


def bind(channel, queue, exchange):
    channel.queue_declare(queue, durable=True)
    channel.queue_bind(queue, exchange, "#")


def take(channel, queue):
    for method, properties, body in channel.consume(queue, auto_ack=True, inactivity_timeout=PATIENCE):
        if method is None:
            sys.exit(f"nothing came to {queue}")
        show(properties, body)
        return


def request(channel, queue, body, *properties):
    replies = channel.queue_declare("", exclusive=True).method.queue
    publish(channel, "", queue, body, f"reply_to={replies}", *properties)
    take(channel, replies)


def properties_of(texts):
    pairs = [text.split("=", 1) for text in texts]
    headers = {name.removeprefix("header."): ast.literal_eval(value) for name, value in pairs if is_header(name)}
    return pika.BasicProperties(headers=headers, **{name: value for name, value in pairs if not is_header(name)})


def is_header(name):
    return name.startswith("header.")


def show(properties, body):
    for name, value in sorted(vars(properties).items()):
        if name != "headers" and value is not None:
            print(f"{name}: {value}")
    for name, value in sorted((properties.headers or {}).items()):
        plain = without_longs(value)
        print(f"header.{name}: {type(plain).__name__} {plain}")
    print(f"body: {body.decode()}")


def without_longs(value):
    """pika has a type of its own for integers of 64 bits."""
    if isinstance(value, list):
        return [without_longs(each) for each in value]
    return int(value) if isinstance(value, pika.compat.long) else value


def main(command, *arguments):
    with pika.BlockingConnection(pika.URLParameters(os.environ["FERRY_RABBITMQ_URL"])) as connection:
        commands = {"publish": publish, "bind": bind, "take": take, "request": request}
        commands[command](connection.channel(), *arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
