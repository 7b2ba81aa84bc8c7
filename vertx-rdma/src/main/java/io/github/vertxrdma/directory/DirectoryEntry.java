package io.github.vertxrdma.directory;

import io.github.vertxrdma.base.Cursor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;

/**
 * What a directory carries: immutable, and valid only as long as its node is there under the same epoch. The byte encoding is one byte of
 * format version, one of kind, and the fields; a reader skips what a later version adds at the end.
 */
public sealed interface DirectoryEntry permits NodeEntry, ServiceEntry, RegionEntry {

  /** Id of the node that published it. */
  String nodeId();

  /** Epoch of that node: random, new at each start; compared for equality only. */
  long epoch();

  /** The key that identifies it in the directory; an entry replaces another of the same key. */
  String key();

  /** As compact JSON; 64-bit values are hexadecimal strings and bytes base64. */
  JsonObject toJson();

  /** As bytes. */
  default Buffer toBuffer() {
    Cursor out = Cursor.writing(256).u8(NodeEntry.FORMAT);
    switch (this) {
      case NodeEntry node -> node.write(out.u8(NodeEntry.CODE));
      case ServiceEntry service -> service.write(out.u8(ServiceEntry.CODE));
      case RegionEntry region -> region.write(out.u8(RegionEntry.CODE));
    }
    return Buffer.buffer(out.toArray());
  }

  /**
   * The entry that {@link #toBuffer} wrote.
   *
   * @throws IllegalArgumentException if the bytes are none
   */
  static DirectoryEntry fromBuffer(Buffer bytes) {
    try {
      Cursor in = Cursor.reading("a directory entry", bytes.getBytes());
      int version = in.u8();
      if (version != NodeEntry.FORMAT) {
        throw new IllegalArgumentException("a directory entry has format " + version + ", this node reads format " + NodeEntry.FORMAT
          + "; run the same version of vertx-rdma on all nodes");
      }
      int kind = in.u8();
      return switch (kind) {
        case NodeEntry.CODE -> NodeEntry.read(in);
        case ServiceEntry.CODE -> ServiceEntry.read(in);
        case RegionEntry.CODE -> RegionEntry.read(in);
        default -> throw new IllegalArgumentException("not a directory entry: kind " + kind);
      };
    } catch (IndexOutOfBoundsException | DecodeException e) {
      throw new IllegalArgumentException("not a directory entry: it is damaged or cut", e);
    }
  }

  /**
   * The entry that {@link #toJson} wrote.
   *
   * @throws IllegalArgumentException if the object is none, with what is missing
   */
  static DirectoryEntry fromJson(JsonObject json) {
    String kind = json.getString("kind", "");
    return switch (kind) {
      case NodeEntry.KIND -> NodeEntry.fromJson(json);
      case ServiceEntry.KIND -> ServiceEntry.fromJson(json);
      case RegionEntry.KIND -> RegionEntry.fromJson(json);
      default -> throw new IllegalArgumentException("directory entry of kind '" + kind + "': known are "
        + NodeEntry.KIND + ", " + ServiceEntry.KIND + ", " + RegionEntry.KIND);
    };
  }
}
