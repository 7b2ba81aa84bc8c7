package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** A lease as its server knows it. Confined to the server's context; workers read what is final. */
final class GrantedLease {
  /** Random. */
  final long id;
  /** Random; known to the holder, its workers and this server. */
  final long secret;
  /** The name on the bill. */
  final String client;
  final List<LeasedWorker> workers;
  /** Bytes of each input region. */
  final int memory;
  final int slots;
  /** Results of so many bytes go as messages. */
  final int messageSize;
  final WorkerMode mode;
  /** Its place in the accounts. */
  final int row;
  final long begun = System.nanoTime();
  /** Up to when its allocation time stands in the accounts. */
  long accounted = begun;
  long timer = -1;
  /** Of its holder; null once that is gone. */
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

  /** For the process of a cold worker, which has to know its holder by it and to account. */
  JsonObject toJson() {
    return new JsonObject().put("id", id).put("secret", secret).put("client", client).put("memory", memory).put("slots", slots)
      .put("messageSize", messageSize).put("row", row);
  }

  /** Reads what {@link #toJson} wrote. */
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

  /** Bytes of all its input regions. */
  long allMemory() {
    return (long) memory * workers.size();
  }
}
