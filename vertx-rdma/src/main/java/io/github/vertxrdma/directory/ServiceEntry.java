package io.github.vertxrdma.directory;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.impl.peers.EntryJson;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;

/**
 * Named service. Several instances, on one node or many, may share a name.
 *
 * @param instance distinguishes instances of one name on one node
 * @param metadata data of the application, copied
 */
public record ServiceEntry(String name, String nodeId, long epoch, int instance, List<FabricAddress> addresses, JsonObject metadata)
  implements
    DirectoryEntry {
  static final String KIND = "service";
  static final int CODE = 2;
  /** Empty metadata, recognized without loading a JSON parser. */
  private static final String NO_METADATA = "{}";

  public ServiceEntry {
    EntryJson.name("service", name);
    EntryJson.name("node id", nodeId);
    addresses = List.copyOf(addresses);
    metadata = metadata.copy();
  }

  /** Returns a copy of the application's data. */
  @Override
  public JsonObject metadata() {
    return metadata.copy();
  }

  public ServiceEntry withEpoch(long newEpoch) {
    return new ServiceEntry(name, nodeId, newEpoch, instance, addresses, metadata);
  }

  @Override
  public String key() {
    return "e/" + nodeId + '/' + instance + '/' + name;
  }

  @Override
  public JsonObject toJson() {
    return new JsonObject().put("kind", KIND).put("name", name).put("node", nodeId).put("epoch", Long.toHexString(epoch))
      .put("instance", instance).put("addresses", EntryJson.array(addresses, FabricAddress::toJson)).put("metadata", metadata.copy());
  }

  /** Decodes the JSON of {@link #toJson}. Only {@code name} and {@code node} are required. */
  public static ServiceEntry fromJson(JsonObject json) {
    return new ServiceEntry(EntryJson.required(json, "name"), EntryJson.required(json, "node"), EntryJson.hex(json, "epoch"),
      json.getInteger("instance", 0), EntryJson.list(json, "addresses", FabricAddress::fromJson),
      json.getJsonObject("metadata", new JsonObject()));
  }

  void write(Cursor out) {
    out.text(4, name).text(4, nodeId).i64(epoch).i32(instance).list(4, addresses, FabricAddress::write)
      .text(4, metadata.isEmpty() ? NO_METADATA : metadata.encode());
  }

  static ServiceEntry read(Cursor in) {
    return new ServiceEntry(in.text(4).intern(), in.text(4).intern(), in.i64(), in.i32(), in.list(4, FabricAddress::read),
      metadata(in.text(4)));
  }

  private static JsonObject metadata(String text) {
    return text.equals(NO_METADATA) ? new JsonObject() : new JsonObject(text);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, nodeId, epoch, instance);
  }

  @Override
  public String toString() {
    return "service '" + name + "' #" + instance + " of node " + nodeId;
  }
}
