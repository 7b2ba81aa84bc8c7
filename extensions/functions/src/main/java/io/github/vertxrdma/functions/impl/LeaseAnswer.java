package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A server's answer that grants a lease.
 *
 * @param millis duration of the lease after the start of its workers
 */
record LeaseAnswer(long id, long secret, long startMillis, long millis, List<String> workers, Map<String, Function> functions) {

  record Function(int id, boolean idempotent) {
  }

  static LeaseAnswer of(JsonObject json) {
    return read("lease", () -> {
      Wire.choose(VersionRange.only(json.getInteger("version", 0)));
      Map<String, Function> functions = new HashMap<>();
      JsonArray table = json.getJsonArray("functions");
      for (int i = 0; i < table.size(); i++) {
        JsonObject function = table.getJsonObject(i);
        functions.put(Wire.cut(function.getString("name")), new Function(function.getInteger("id"), function.getBoolean("idempotent")));
      }
      return new LeaseAnswer(Long.parseUnsignedLong(json.getString("lease"), 16), Long.parseUnsignedLong(json.getString("secret"), 16),
        json.getLong("startMillis", 0L), json.getLong("millis"),
        List.copyOf(json.getJsonArray("workers").stream().map(worker -> Wire.cut((String) worker)).toList()), functions);
    });
  }

  static long millis(JsonObject json) {
    return read("renewal", () -> (long) json.getLong("millis"));
  }

  static Bill bill(JsonObject json) {
    return read("bill", () -> Bill.fromJson(json.getJsonObject("bill")));
  }

  private static <T> T read(String what, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (RuntimeException e) {
      throw new FunctionException(Reason.PROTOCOL, "the server's answer has an invalid " + what + ": " + Wire.words(e), e);
    }
  }
}
