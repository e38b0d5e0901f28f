"""Private RabbitMQ and PostgreSQL servers for tests, demos and benchmarks; scripts/services is the way in."""
