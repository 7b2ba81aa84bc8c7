package io.github.vertxrdma.cluster.impl;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.vertx.core.buffer.Buffer;
import java.util.Optional;
import java.util.UUID;

/**
 * Value in the directory's map. All fields before the entry have the same format in every version, so that each version can remove entries
 * of dead nodes.
 *
 * @param by uuid of the Hazelcast member or client that stored the entry
 * @param client true for a client, which has no membership events
 * @param leaseMillis milliseconds for which a node counts as alive after it stored its own entry
 * @param renewal number that changes each time the entry is stored
 */
record Stored(UUID by, boolean client, long leaseMillis, int renewal, DirectoryEntry entry) {
  static final int HEADER = 29;
  private static final String VALUE = "a value of the directory's map";

  String nodeKey() {
    return "n/" + entry.nodeId();
  }

  byte[] toBytes() {
    byte[] bytes = entry.toBuffer().getBytes();
    return Cursor.writing(HEADER + bytes.length).i64(by.getMostSignificantBits()).i64(by.getLeastSignificantBits()).u8(client ? 1 : 0)
      .i64(leaseMillis).i32(renewal).bytes(bytes).toArray();
  }

  record Origin(UUID by, boolean client, long leaseMillis) {
    private static Origin of(Cursor in) {
      return new Origin(new UUID(in.i64(), in.i64()), in.u8() != 0, in.i64());
    }
  }

  static Optional<Origin> origin(byte[] bytes) {
    return bytes.length < HEADER ? Optional.empty() : Optional.of(Origin.of(Cursor.reading(VALUE, bytes)));
  }

  /** Returns empty for invalid bytes and unsupported versions. */
  static Optional<Stored> read(byte[] bytes) {
    try {
      return Optional.of(fromBytes(bytes));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  static Stored fromBytes(byte[] bytes) {
    Cursor in = Cursor.reading(VALUE, bytes);
    Origin origin = Origin.of(in);
    return new Stored(origin.by(), origin.client(), origin.leaseMillis(), in.i32(), DirectoryEntry.fromBuffer(Buffer.buffer(in.rest())));
  }
}
