package io.github.vertxrdma;

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

  /** Fabric or device to use, without falling back; null for that of {@link RdmaOptions}, or otherwise the best that reaches the owner. */
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
}
