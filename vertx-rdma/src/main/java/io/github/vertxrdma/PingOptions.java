package io.github.vertxrdma;

import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** Options of a ping. */
@DataObject
@JsonGen(publicConverter = false)
public class PingOptions {

  private int count = 10;
  private int size = 64;
  private String fabric;
  private Duration lookupTimeout = RdmaConnectOptions.DEFAULT_LOOKUP_TIMEOUT;

  public PingOptions() {
  }

  public PingOptions(PingOptions other) {
    this(other.toJson());
  }

  public PingOptions(JsonObject json) {
    PingOptionsConverter.fromJson(JsonKeys.known(PingOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    PingOptionsConverter.toJson(this, json);
    return json;
  }

  /** Number of messages over each fabric. Each one is sent after the reply to the previous one. */
  public int getCount() {
    return count;
  }

  public PingOptions setCount(int count) {
    this.count = Bounds.atLeast("count", count, 1);
    return this;
  }

  /** Bytes of each message, up to {@link RdmaOptions#getMaxMessageSize}. */
  public int getSize() {
    return size;
  }

  public PingOptions setSize(int size) {
    this.size = Bounds.atLeast("size", size, 0);
    return this;
  }

  /** Fabric or device to use. If null, that of {@link RdmaOptions}; if that is null too, each fabric that reaches the peer. */
  public String getFabric() {
    return fabric;
  }

  public PingOptions setFabric(String fabric) {
    this.fabric = fabric;
    return this;
  }

  /** Time to wait for the name to appear in the directory. */
  public Duration getLookupTimeout() {
    return lookupTimeout;
  }

  public PingOptions setLookupTimeout(Duration lookupTimeout) {
    this.lookupTimeout = Bounds.atLeast("lookupTimeout", lookupTimeout, 0);
    return this;
  }
}
