package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.FunctionOptions;
import io.github.vertxrdma.functions.FunctionRegistry;
import io.github.vertxrdma.functions.RemoteFunction;
import io.vertx.core.ThreadingModel;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.Objects;

/** Functions of a server. A function's id is its index. Thread-safe. */
final class FunctionTable implements FunctionRegistry {
  private volatile Entry[] entries = {};

  record Entry(int id, String name, RemoteFunction function, boolean onLoop, boolean idempotent) {
  }

  @Override
  public synchronized FunctionTable register(String name, FunctionOptions options, RemoteFunction function) {
    Objects.requireNonNull(function, "function");
    if (name.isEmpty() || name.length() > 255) {
      throw new IllegalArgumentException("invalid function name '" + name + "': use 1 to 255 characters");
    }
    Entry[] old = entries;
    if (Arrays.stream(old).anyMatch(entry -> entry.name.equals(name))) {
      throw new IllegalArgumentException("there is a function '" + name + "' already; use another name");
    }
    Entry[] more = Arrays.copyOf(old, old.length + 1);
    more[old.length] = new Entry(old.length, name, function, options.getThreading() == ThreadingModel.EVENT_LOOP, options.isIdempotent());
    entries = more;
    return this;
  }

  Entry get(int id) {
    Entry[] all = entries;
    return id >= 0 && id < all.length ? all[id] : null;
  }

  JsonArray toJson() {
    JsonArray json = new JsonArray();
    for (Entry entry : entries) {
      json.add(new JsonObject().put("id", entry.id).put("name", entry.name).put("idempotent", entry.idempotent));
    }
    return json;
  }
}
