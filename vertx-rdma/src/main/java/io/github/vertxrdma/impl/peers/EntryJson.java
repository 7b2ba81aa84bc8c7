package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.process.NodeName;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

public final class EntryJson {
  private EntryJson() {
  }

  public static long hex(JsonObject json, String field) {
    String value = json.getString(field, "0");
    try {
      return Long.parseUnsignedLong(value, 16);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("directory entry: '" + field + "' is '" + PeerText.of(value) + "', not a hexadecimal number");
    }
  }

  public static String required(JsonObject json, String field) {
    String value = json.getString(field);
    if (value == null || value.isEmpty()) {
      throw new IllegalArgumentException("directory entry: '" + field + "' is missing in " + PeerText.of(json.encode()));
    }
    return value;
  }

  /** Returns rights as bits: READ 1, WRITE 2, ATOMIC 4. */
  public static int bits(Set<RegionAccess> access) {
    return access.stream().mapToInt(right -> 1 << right.ordinal()).sum();
  }

  public static Set<RegionAccess> access(int bits) {
    Set<RegionAccess> access = EnumSet.allOf(RegionAccess.class);
    access.removeIf(right -> (bits & 1 << right.ordinal()) == 0);
    return access;
  }

  public static <T> JsonArray array(List<T> values, Function<T, ?> element) {
    JsonArray array = new JsonArray();
    values.forEach(value -> array.add(element.apply(value)));
    return array;
  }

  public static <T> List<T> list(JsonObject json, String field, Function<JsonObject, T> element) {
    JsonArray array = json.getJsonArray(field, new JsonArray());
    return array.stream().map(JsonObject.class::cast).map(element).toList();
  }

  public static String name(String kind, String name) {
    Objects.requireNonNull(name, kind);
    if (!NodeName.isValid(name)) {
      throw new IllegalArgumentException(
        "invalid " + kind + " '" + PeerText.of(name, NodeName.MAX_LENGTH) + "': use 1 to 255 characters and no control characters");
    }
    return name;
  }

  public static void checkText(String field, String text) {
    if (text.length() > NodeName.MAX_LENGTH || !PeerText.isPrintable(text)) {
      throw new IllegalArgumentException("directory entry: '" + field + "' is '" + PeerText.of(text, NodeName.MAX_LENGTH)
        + "': use at most " + NodeName.MAX_LENGTH + " characters and no control characters");
    }
  }
}
