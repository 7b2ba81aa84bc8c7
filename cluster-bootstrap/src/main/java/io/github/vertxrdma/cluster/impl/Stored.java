package io.github.vertxrdma.cluster.impl;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.vertx.core.buffer.Buffer;
import java.util.Optional;
import java.util.UUID;

/**
 * A value of the map: the Hazelcast member or client that stored it, and the entry. Stored as plain bytes, so that no class of ours has to
 * be known to members without vertx-rdma. All but the entry is the same in every version, so that each can take away what the dead have
 * left.
 *
 * @param by uuid of the member or client
 * @param client whether it is a client, of which no membership event tells
 * @param leaseMillis how long a node may be believed to live after it last stored its own entry; the others are believed as long as it is
 * @param renewal differs each time its owner stores it, so that who reads it twice knows whether the owner was there in between
 */
record Stored(UUID by, boolean client, long leaseMillis, int renewal, DirectoryEntry entry) {
  /** Bytes before the entry. */
  static final int HEADER = 29;
  private static final String VALUE = "a value of the directory's map";

  /** Key of the entry of the node that stored it. */
  String nodeKey() {
    return "n/" + entry.nodeId();
  }

  byte[] toBytes() {
    byte[] bytes = entry.toBuffer().getBytes();
    return Cursor.writing(HEADER + bytes.length).i64(by.getMostSignificantBits()).i64(by.getLeastSignificantBits()).u8(client ? 1 : 0)
      .i64(leaseMillis).i32(renewal).bytes(bytes).toArray();
  }

  /** Parts of a value that every version can read. */
  record Origin(UUID by, boolean client, long leaseMillis) {
    private static Origin of(Cursor in) {
      return new Origin(new UUID(in.i64(), in.i64()), in.u8() != 0, in.i64());
    }
  }

  /** Empty if it is none. */
  static Optional<Origin> origin(byte[] bytes) {
    return bytes.length < HEADER ? Optional.empty() : Optional.of(Origin.of(Cursor.reading(VALUE, bytes)));
  }

  /** Empty if it is none, or written by a version that this one cannot read. */
  static Optional<Stored> read(byte[] bytes) {
    try {
      return Optional.of(fromBytes(bytes));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** @throws IllegalArgumentException if it is none */
  static Stored fromBytes(byte[] bytes) {
    Cursor in = Cursor.reading(VALUE, bytes);
    Origin origin = Origin.of(in);
    return new Stored(origin.by(), origin.client(), origin.leaseMillis(), in.i32(), DirectoryEntry.fromBuffer(Buffer.buffer(in.rest())));
  }
}
