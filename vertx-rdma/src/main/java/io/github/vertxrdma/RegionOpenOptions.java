package io.github.vertxrdma;

import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** Options of opening one region. */
@DataObject
@JsonGen(publicConverter = false)
public class RegionOpenOptions {

  private String fabric;
  private Duration lookupTimeout = RdmaConnectOptions.DEFAULT_LOOKUP_TIMEOUT;
  private Duration timeout = Duration.ofSeconds(30);
  private int reconnectAttempts = RdmaConnectOptions.DEFAULT_RECONNECT_ATTEMPTS;
  private Duration reconnectInterval = RdmaConnectOptions.DEFAULT_RECONNECT_INTERVAL;

  public RegionOpenOptions() {
  }

  public RegionOpenOptions(RegionOpenOptions other) {
    this(other.toJson());
  }

  public RegionOpenOptions(JsonObject json) {
    RegionOpenOptionsConverter.fromJson(JsonKeys.known(RegionOpenOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RegionOpenOptionsConverter.toJson(this, json);
    return json;
  }

  /**
   * Fabric or device to use, without fallback. If null, that of {@link RdmaOptions}; if that is null too, the best that reaches the owner.
   */
  public String getFabric() {
    return fabric;
  }

  public RegionOpenOptions setFabric(String fabric) {
    this.fabric = fabric;
    return this;
  }

  /** Time to wait for the name to appear in the directory. */
  public Duration getLookupTimeout() {
    return lookupTimeout;
  }

  public RegionOpenOptions setLookupTimeout(Duration lookupTimeout) {
    this.lookupTimeout = Bounds.atLeast("lookupTimeout", lookupTimeout, 0);
    return this;
  }

  /** Maximum time of each operation on the region, at least 1 ms. */
  public Duration getTimeout() {
    return timeout;
  }

  public RegionOpenOptions setTimeout(Duration timeout) {
    this.timeout = Bounds.atLeast("timeout", timeout, 1);
    return this;
  }

  /**
   * Number of retries after a failed attempt to open, also for {@link RemoteRegion#reconnectHandler}; -1 for no limit. See {@link
   * RdmaConnectOptions#getReconnectAttempts}.
   */
  public int getReconnectAttempts() {
    return reconnectAttempts;
  }

  public RegionOpenOptions setReconnectAttempts(int reconnectAttempts) {
    this.reconnectAttempts = RdmaConnectOptions.attempts(reconnectAttempts);
    return this;
  }

  /** Time between two attempts, at least 1 ms. */
  public Duration getReconnectInterval() {
    return reconnectInterval;
  }

  public RegionOpenOptions setReconnectInterval(Duration reconnectInterval) {
    this.reconnectInterval = Bounds.atLeast("reconnectInterval", reconnectInterval, 1);
    return this;
  }
}
