package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** A lease at its server. Confined to the server's context; workers use final fields. */
final class GrantedLease {
  final long id;
  /** Known only to client, workers and server. */
  final long secret;
  final String client;
  final List<LeasedWorker> workers;
  final int memory;
  final int slots;
  final int messageSize;
  final WorkerMode mode;
  final long begun = System.nanoTime();
  /** Time in which workers polled. */
  final LongAdder hotNanos = new LongAdder();
  final LongAdder executionNanos = new LongAdder();
  final LongAdder invocations = new LongAdder();
  long timer = -1;
  /** Null after the client's session has ended. */
  ServerSession session;
  boolean ended;

  GrantedLease(long id, long secret, String client, List<LeasedWorker> workers, int memory, int slots, int messageSize,
    WorkerMode mode) {
    this.id = id;
    this.secret = secret;
    this.client = client;
    this.workers = workers;
    this.memory = memory;
    this.slots = slots;
    this.messageSize = messageSize;
    this.mode = mode;
  }

  JsonObject toJson() {
    return new JsonObject().put("id", id).put("secret", secret).put("client", client).put("memory", memory).put("slots", slots)
      .put("messageSize", messageSize);
  }

  static GrantedLease of(JsonObject json) {
    return new GrantedLease(json.getLong("id"), json.getLong("secret"), json.getString("client"), List.of(), json.getInteger("memory"),
      json.getInteger("slots"), json.getInteger("messageSize"), WorkerMode.COLD);
  }

  String name() {
    return name(id);
  }

  static String name(long id) {
    return Long.toHexString(id);
  }

  Bill bill() {
    return new Bill(name(), client, workers.size(), (long) memory * workers.size(), (System.nanoTime() - begun) * workers.size(),
      hotNanos.sum(), executionNanos.sum(), invocations.sum());
  }
}
