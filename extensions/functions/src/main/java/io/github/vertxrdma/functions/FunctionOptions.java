package io.github.vertxrdma.functions;

import io.github.vertxrdma.JsonKeys;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.ThreadingModel;
import io.vertx.core.json.JsonObject;

/** Options of a function. */
@DataObject
@JsonGen(publicConverter = false)
public class FunctionOptions {

  public static final ThreadingModel DEFAULT_THREADING = ThreadingModel.WORKER;

  private ThreadingModel threading = DEFAULT_THREADING;
  private boolean idempotent;

  public FunctionOptions() {
  }

  public FunctionOptions(FunctionOptions other) {
    this(other.toJson());
  }

  public FunctionOptions(JsonObject json) {
    FunctionOptionsConverter.fromJson(JsonKeys.known(FunctionOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    FunctionOptionsConverter.toJson(this, json);
    return json;
  }

  /**
   * Thread that runs the function. {@code WORKER}: a thread of the worker, for one call after another, which may block. {@code EVENT_LOOP}:
   * the worker's event loop, for functions that take at most about 100 µs or return a future.
   */
  public ThreadingModel getThreading() {
    return threading;
  }

  public FunctionOptions setThreading(ThreadingModel threading) {
    if (threading != ThreadingModel.WORKER && threading != ThreadingModel.EVENT_LOOP) {
      throw new IllegalArgumentException(
        "cannot set the threading of a function: use " + ThreadingModel.WORKER + " or " + ThreadingModel.EVENT_LOOP + " instead of "
          + threading + ". A worker runs one call at a time");
    }
    this.threading = threading;
    return this;
  }

  /** True if a call may be repeated after its worker was lost, so that the function may run twice. */
  public boolean isIdempotent() {
    return idempotent;
  }

  public FunctionOptions setIdempotent(boolean idempotent) {
    this.idempotent = idempotent;
    return this;
  }
}
