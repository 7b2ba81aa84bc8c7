package io.github.vertxrdma;

import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Objects;

/** Options of one connection. */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaConnectOptions {
  public static final Duration DEFAULT_LOOKUP_TIMEOUT = Duration.ofSeconds(10);

  private String fabric;
  private Buffer privateData = Buffer.buffer();
  private Duration lookupTimeout = DEFAULT_LOOKUP_TIMEOUT;

  public RdmaConnectOptions() {
  }

  public RdmaConnectOptions(RdmaConnectOptions other) {
    fabric = other.fabric;
    privateData = other.privateData.copy();
    lookupTimeout = other.lookupTimeout;
  }

  public RdmaConnectOptions(JsonObject json) {
    RdmaConnectOptionsConverter.fromJson(JsonKeys.known(RdmaConnectOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RdmaConnectOptionsConverter.toJson(this, json);
    return json;
  }

  /** The one fabric or device to use, without falling back; null for the one of {@link RdmaOptions}, else the best that reaches the peer. */
  public String getFabric() {
    return fabric;
  }

  public RdmaConnectOptions setFabric(String fabric) {
    this.fabric = fabric;
    return this;
  }

  /** Private data that the server sees in the handshake before it accepts; at most 1,024 bytes. */
  public Buffer getPrivateData() {
    return privateData;
  }

  public RdmaConnectOptions setPrivateData(Buffer privateData) {
    if (privateData.length() > 1024) {
      throw new IllegalArgumentException("private data of " + privateData.length() + " bytes: at most 1024; send the rest as a message");
    }
    this.privateData = Objects.requireNonNull(privateData);
    return this;
  }

  /** Time to wait for the name to appear in the directory. */
  public Duration getLookupTimeout() {
    return lookupTimeout;
  }

  public RdmaConnectOptions setLookupTimeout(Duration lookupTimeout) {
    this.lookupTimeout = Durations.atLeast("lookupTimeout", lookupTimeout, 0);
    return this;
  }
}
