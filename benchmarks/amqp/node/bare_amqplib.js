// A bare client on Node: amqplib, and nothing done with the messages.
'use strict';

const amqplib = require('amqplib');

function readAssignment() {
  const task = { mode: '', url: '', queue: 'bench', type: 'quorum', size: 256, count: 10000, window: 1000, prefetch: 500 };
  const given = process.argv.slice(2);
  for (let i = 0; i + 1 < given.length; i += 2) {
    const name = given[i].slice(2);
    task[name] = typeof task[name] === 'number' ? Number(given[i + 1]) : given[i + 1];
  }
  return task;
}

class Stopwatch {
  start() {
    this.began = process.hrtime.bigint();
    this.usage = process.cpuUsage();
  }
  stop() {
    const used = process.cpuUsage(this.usage);
    this.seconds = Number(process.hrtime.bigint() - this.began) / 1e9;
    this.processorMicroseconds = used.user + used.system;
  }
}

async function declare(channel, task) {
  await channel.assertExchange(task.queue, 'fanout', { durable: true });
  await channel.assertQueue(task.queue, { durable: true, arguments: { 'x-queue-type': task.type } });
  await channel.bindQueue(task.queue, task.queue, '');
}

function publish(channel, task) {
  const body = Buffer.alloc(task.size, 'x');
  const options = { persistent: true, contentType: 'application/octet-stream' };
  let sent = 0;
  let confirmed = 0;
  return new Promise((resolve, reject) => {
    const onConfirm = (failure) => {
      if (failure) {
        return reject(failure);
      }
      if (++confirmed === task.count) {
        return resolve();
      }
      pump();
    };
    const pump = () => {
      for (; sent < task.count && sent - confirmed < task.window; ++sent) {
        channel.publish(task.queue, '', body, options, onConfirm);
      }
    };
    pump();
  });
}

function consume(channel, task, onFirst) {
  let received = 0;
  return new Promise((resolve, reject) => {
    channel
      .consume(task.queue, (message) => {
        if (received++ === 0) {
          onFirst();
        }
        channel.ack(message);
        if (received === task.count) {
          resolve();
        }
      })
      .catch(reject);
  });
}

async function run(task) {
  const watch = new Stopwatch();
  const outwards = await amqplib.connect(task.url);
  const inwards = await amqplib.connect(task.url);
  const publishing = await outwards.createConfirmChannel();
  const consuming = await inwards.createChannel();
  await consuming.prefetch(task.prefetch);
  await declare(publishing, task);
  const parts = [];
  if (task.mode !== 'publish') {
    parts.push(consume(consuming, task, () => task.mode === 'consume' && watch.start()));
  }
  if (task.mode !== 'consume') {
    watch.start();
    parts.push(publish(publishing, task));
  }
  await Promise.all(parts);
  watch.stop();
  console.log(JSON.stringify({
    messages: task.count,
    seconds: watch.seconds,
    cpu_us: watch.processorMicroseconds / task.count,
    max_resident_kb: process.resourceUsage().maxRSS,
  }));
  await consuming.close();
  await inwards.close();
  await outwards.close();
}

run(readAssignment()).catch((failure) => {
  console.error(failure);
  process.exit(1);
});
