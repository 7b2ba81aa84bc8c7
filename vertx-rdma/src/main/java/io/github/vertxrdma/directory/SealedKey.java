package io.github.vertxrdma.directory;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.impl.peers.EntryJson;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/**
 * Key by which peers access a region over one fabric, encrypted with the cluster secret.
 *
 * @param fabric {@link io.github.vertxrdma.provider.Device#fabric()}
 * @param bytes opaque; copied in and out
 */
public record SealedKey(String fabric, byte[] bytes) {

  public SealedKey {
    EntryJson.name("fabric", fabric);
    bytes = bytes.clone();
  }

  @Override
  public byte[] bytes() {
    return bytes.clone();
  }

  public JsonObject toJson() {
    return new JsonObject().put("fabric", fabric).put("sealed", bytes.clone());
  }

  public static SealedKey fromJson(JsonObject json) {
    return new SealedKey(EntryJson.required(json, "fabric"), Objects.requireNonNull(json.getBinary("sealed"), "sealed"));
  }

  void write(Cursor out) {
    out.text(4, fabric).block(4, bytes);
  }

  static SealedKey read(Cursor in) {
    return new SealedKey(in.text(4).intern(), in.block(4));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SealedKey that && fabric.equals(that.fabric) && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return 31 * fabric.hashCode() + Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return fabric + ':' + HexFormat.of().formatHex(bytes);
  }
}
