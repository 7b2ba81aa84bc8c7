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
  final LeaseRequest request;
  final List<LeasedWorker> workers;
  final long begun = System.nanoTime();
  final LongAdder hotNanos = new LongAdder();
  final LongAdder executionNanos = new LongAdder();
  final LongAdder invocations = new LongAdder();
  long timer = -1;
  /** Null after the client's session has ended. */
  ServerSession session;
  boolean ended;

  GrantedLease(long id, long secret, LeaseRequest request, List<LeasedWorker> workers) {
    this.id = id;
    this.secret = secret;
    this.request = request;
    this.workers = workers;
  }

  /** Returns what a process needs to serve the lease. */
  JsonObject toJson() {
    return new JsonObject().put("id", id).put("secret", secret).put("memory", request.memory()).put("slots", request.slots())
      .put("messageSize", request.messageSize());
  }

  static GrantedLease of(JsonObject json) {
    return new GrantedLease(json.getLong("id"), json.getLong("secret"), new LeaseRequest(0, "", 1, json.getInteger("memory"),
      json.getInteger("slots"), json.getInteger("messageSize"), 0, WorkerMode.COLD, null), List.of());
  }

  String name() {
    return name(id);
  }

  static String name(long id) {
    return Long.toHexString(id);
  }

  Bill bill() {
    return new Bill(name(), request.client(), workers.size(), (long) request.memory() * workers.size(),
      (System.nanoTime() - begun) * workers.size(),
      hotNanos.sum(), executionNanos.sum(), invocations.sum());
  }
}
