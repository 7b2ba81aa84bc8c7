package io.github.vertxrdma.directory;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.impl.peers.EntryJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Named memory region. A name belongs to one region of the whole directory at a time.
 *
 * @param nodeId the owner
 * @param regionId random, never used again
 * @param size bytes
 * @param access rights of peers
 * @param generation number that increases when the keys change
 * @param authority executor of atomic operations on the region: {@link #PROCESSOR}, {@link #OWNER}, {@link #NONE}, or the name of the
 * fabric whose device executes them
 * @param keys encrypted remote keys, one per fabric
 */
public record RegionEntry(String name, String nodeId, long epoch, long regionId, long size, Set<RegionAccess> access, int generation,
  String authority, List<SealedKey> keys) implements DirectoryEntry {
  static final String KIND = "region";
  static final int CODE = 3;
  /**
   * Value of {@link #authority()}: peers execute atomic operations by their processor, on fabrics with {@link
   * io.github.vertxrdma.provider.Capabilities#processorAtomics}. For other peers, the owner's event loop executes them.
   */
  public static final String PROCESSOR = "processor";
  /** Value of {@link #authority()}: the owner's event loop executes atomic operations. */
  public static final String OWNER = "owner";
  /** Value of {@link #authority()}: no atomic operations. */
  public static final String NONE = "";

  public RegionEntry {
    EntryJson.name("region", name);
    EntryJson.name("node id", nodeId);
    access = Set.copyOf(access);
    EntryJson.checkText("authority", authority);
    keys = List.copyOf(keys);
    if (size <= 0) {
      throw new IllegalArgumentException("invalid size of region '" + name + "': " + size + " bytes");
    }
  }

  public RegionEntry withKeys(int newGeneration, List<SealedKey> newKeys) {
    return new RegionEntry(name, nodeId, epoch, regionId, size, access, newGeneration, authority, newKeys);
  }

  @Override
  public String key() {
    return "r/" + name;
  }

  @Override
  public JsonObject toJson() {
    return new JsonObject().put("kind", KIND).put("name", name).put("node", nodeId).put("epoch", Long.toHexString(epoch))
      .put("region", Long.toHexString(regionId)).put("size", size)
      .put("access", EntryJson.array(access.stream().sorted().toList(), RegionAccess::name)).put("generation", generation)
      .put("authority", authority).put("keys", EntryJson.array(keys, SealedKey::toJson));
  }

  /** Decodes the JSON of {@link #toJson}. */
  public static RegionEntry fromJson(JsonObject json) {
    Set<RegionAccess> rights = EnumSet.noneOf(RegionAccess.class);
    json.getJsonArray("access", new JsonArray()).forEach(right -> rights.add(RegionAccess.valueOf(right.toString())));
    return new RegionEntry(EntryJson.required(json, "name"), EntryJson.required(json, "node"), EntryJson.hex(json, "epoch"),
      EntryJson.hex(json, "region"), json.getLong("size", 0L), rights, json.getInteger("generation", 0), json.getString("authority", NONE),
      EntryJson.list(json, "keys", SealedKey::fromJson));
  }

  void write(Cursor out) {
    out.text(4, name).text(4, nodeId).i64(epoch).i64(regionId).i64(size).u8(EntryJson.bits(access)).i32(generation).text(4, authority)
      .list(4, keys, SealedKey::write);
  }

  static RegionEntry read(Cursor in) {
    return new RegionEntry(in.text(4).intern(), in.text(4).intern(), in.i64(), in.i64(), in.i64(), EntryJson.access(in.u8()), in.i32(),
      in.text(4).intern(), in.list(4, SealedKey::read));
  }
}
