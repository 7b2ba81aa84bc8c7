package io.github.vertxrdma.functions;

import io.github.vertxrdma.JsonKeys;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.util.Objects;

/** Options of a function: the thread it runs on, and whether it may be called again when its worker dies. */
@DataObject
@JsonGen(publicConverter = false)
public class FunctionOptions {

  /** The thread that a function runs on. */
  public enum Threading {
    /** On the worker's own thread, one call after another; it may block. */
    OWN_THREAD,
    /** On the worker's event loop, without a hop: for functions of some 100 µs at most, or which return a future. */
    EVENT_LOOP
  }

  private Threading threading = Threading.OWN_THREAD;
  private boolean idempotent;

  public FunctionOptions() {
  }

  public FunctionOptions(FunctionOptions other) {
    threading = other.threading;
    idempotent = other.idempotent;
  }

  public FunctionOptions(JsonObject json) {
    FunctionOptionsConverter.fromJson(JsonKeys.known(FunctionOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    FunctionOptionsConverter.toJson(this, json);
    return json;
  }

  /** The thread it runs on; {@link Threading#OWN_THREAD} by default. */
  public Threading getThreading() {
    return threading;
  }

  public FunctionOptions setThreading(Threading threading) {
    this.threading = Objects.requireNonNull(threading);
    return this;
  }

  /** Whether it may run twice: a call whose worker is lost is then made again on another one. */
  public boolean isIdempotent() {
    return idempotent;
  }

  public FunctionOptions setIdempotent(boolean idempotent) {
    this.idempotent = idempotent;
    return this;
  }
}
