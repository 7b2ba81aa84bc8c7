package io.github.vertxrdma.directory;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.base.VersionRange;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;

/** Immutable entry of a directory, visible while its node is present under the same epoch. */
public sealed interface DirectoryEntry permits NodeEntry, ServiceEntry, RegionEntry {

  /** Returns the id of the publishing node. */
  String nodeId();

  /** Returns the epoch of the node, which is random at each start. */
  long epoch();

  /** Returns the key. An entry replaces another one with the same key. */
  String key();

  /** Returns compact JSON, with ids and epochs as hexadecimal strings and bytes as base64. */
  JsonObject toJson();

  default Buffer toBuffer() {
    Cursor out = Cursor.writing(256).u16(NodeEntry.FORMATS.word());
    switch (this) {
      case NodeEntry node -> node.write(out.u8(NodeEntry.CODE));
      case ServiceEntry service -> service.write(out.u8(ServiceEntry.CODE));
      case RegionEntry region -> region.write(out.u8(RegionEntry.CODE));
    }
    return Buffer.buffer(out.toArray());
  }

  /**
   * Decodes the bytes of {@link #toBuffer}.
   *
   * @throws IllegalArgumentException if the bytes are invalid
   */
  static DirectoryEntry fromBuffer(Buffer bytes) {
    try {
      Cursor in = Cursor.reading("a directory entry", bytes.getBytes());
      VersionRange writer = VersionRange.of(in.u16());
      if (NodeEntry.FORMATS.common(writer) == 0) {
        throw new IllegalArgumentException(NodeEntry.FORMATS.refusal("a node", "directory entries", writer));
      }
      int kind = in.u8();
      return switch (kind) {
        case NodeEntry.CODE -> NodeEntry.read(in);
        case ServiceEntry.CODE -> ServiceEntry.read(in);
        case RegionEntry.CODE -> RegionEntry.read(in);
        default -> throw new IllegalArgumentException("not a directory entry: its kind is " + kind + ", which this version does not "
          + "know");
      };
    } catch (IndexOutOfBoundsException | DecodeException e) {
      // Without the cause, whose message has text of the peer.
      throw new IllegalArgumentException("not a directory entry: its bytes are damaged or incomplete");
    }
  }

  /**
   * Decodes the JSON of {@link #toJson}.
   *
   * @throws IllegalArgumentException if the object is invalid
   */
  static DirectoryEntry fromJson(JsonObject json) {
    String kind = json.getString("kind", "");
    return switch (kind) {
      case NodeEntry.KIND -> NodeEntry.fromJson(json);
      case ServiceEntry.KIND -> ServiceEntry.fromJson(json);
      case RegionEntry.KIND -> RegionEntry.fromJson(json);
      default -> throw new IllegalArgumentException("unknown kind of directory entry: '" + PeerText.of(kind) + "'. Known kinds are "
        + NodeEntry.KIND + ", " + ServiceEntry.KIND + ", " + RegionEntry.KIND);
    };
  }
}
