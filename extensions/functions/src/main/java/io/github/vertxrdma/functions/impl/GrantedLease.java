package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** A lease as seen by its server. Confined to the server's context; workers read final fields. */
final class GrantedLease {
  /** Random. */
  final long id;
  /** Random; known to the holder, its workers and this server. */
  final long secret;
  /** Name on the bill. */
  final String client;
  final List<LeasedWorker> workers;
  /** Bytes of each input region. */
  final int memory;
  final int slots;
  /** Maximum bytes of results that are sent as messages. */
  final int messageSize;
  final WorkerMode mode;
  /** Index of its row in the accounts. */
  final int row;
  final long begun = System.nanoTime();
  /** Time up to which its allocation time is in the accounts. */
  long accounted = begun;
  long timer = -1;
  /** Session of its holder; null once that has ended. */
  ServerSession session;
  boolean ended;

  GrantedLease(long id, long secret, String client, List<LeasedWorker> workers, int memory, int slots, int messageSize,
    WorkerMode mode, int row) {
    this.id = id;
    this.secret = secret;
    this.client = client;
    this.workers = workers;
    this.memory = memory;
    this.slots = slots;
    this.messageSize = messageSize;
    this.mode = mode;
    this.row = row;
  }

  /** Returns the data for the process of a cold worker, which identifies its holder and accounts for its use. */
  JsonObject toJson() {
    return new JsonObject().put("id", id).put("secret", secret).put("client", client).put("memory", memory).put("slots", slots)
      .put("messageSize", messageSize).put("row", row);
  }

  /** Reads the JSON of {@link #toJson}. */
  static GrantedLease of(JsonObject json) {
    return new GrantedLease(json.getLong("id"), json.getLong("secret"), json.getString("client"), List.of(), json.getInteger("memory"),
      json.getInteger("slots"), json.getInteger("messageSize"), WorkerMode.COLD, json.getInteger("row"));
  }

  String name() {
    return name(id);
  }

  static String name(long id) {
    return Long.toHexString(id);
  }

  /** Returns the bytes of all its input regions. */
  long allMemory() {
    return (long) memory * workers.size();
  }
}
