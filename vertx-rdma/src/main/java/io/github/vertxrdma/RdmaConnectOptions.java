package io.github.vertxrdma;

import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** Options of one connection. */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaConnectOptions {
  public static final Duration DEFAULT_LOOKUP_TIMEOUT = Duration.ofSeconds(10);

  /** Value of {@link #getReconnectAttempts} for no limit. */
  public static final int UNLIMITED_RECONNECT_ATTEMPTS = -1;
  public static final int DEFAULT_RECONNECT_ATTEMPTS = 0;
  public static final Duration DEFAULT_RECONNECT_INTERVAL = Duration.ofSeconds(1);

  private String fabric;
  private Buffer privateData = Buffer.buffer();
  private Duration lookupTimeout = DEFAULT_LOOKUP_TIMEOUT;
  private int reconnectAttempts = DEFAULT_RECONNECT_ATTEMPTS;
  private Duration reconnectInterval = DEFAULT_RECONNECT_INTERVAL;

  public RdmaConnectOptions() {
  }

  public RdmaConnectOptions(RdmaConnectOptions other) {
    this(other.toJson());
  }

  public RdmaConnectOptions(JsonObject json) {
    RdmaConnectOptionsConverter.fromJson(JsonKeys.known(RdmaConnectOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RdmaConnectOptionsConverter.toJson(this, json);
    return json;
  }

  /**
   * Fabric or device to use, without fallback. If null, that of {@link RdmaOptions}; if that is null too, the best that reaches the peer.
   */
  public String getFabric() {
    return fabric;
  }

  public RdmaConnectOptions setFabric(String fabric) {
    this.fabric = fabric;
    return this;
  }

  /** Data of the application that the server receives before it accepts the connection. At most 1,024 bytes. */
  public Buffer getPrivateData() {
    return privateData;
  }

  public RdmaConnectOptions setPrivateData(Buffer privateData) {
    if (privateData.length() > 1024) {
      throw new IllegalArgumentException("private data of " + privateData.length() + " bytes is too long: at most 1024 bytes are "
        + "allowed. Send the rest as a message");
    }
    this.privateData = privateData;
    return this;
  }

  /** Time to wait for the name to appear in the directory. */
  public Duration getLookupTimeout() {
    return lookupTimeout;
  }

  public RdmaConnectOptions setLookupTimeout(Duration lookupTimeout) {
    this.lookupTimeout = Bounds.atLeast("lookupTimeout", lookupTimeout, 0);
    return this;
  }

  /**
   * Number of retries after a failed attempt to connect, also for {@link RdmaConnection#reconnectHandler}; -1 for no limit. Refusals by the
   * server, different secrets and missing capabilities of this node are not retried.
   */
  public int getReconnectAttempts() {
    return reconnectAttempts;
  }

  public RdmaConnectOptions setReconnectAttempts(int reconnectAttempts) {
    this.reconnectAttempts = attempts(reconnectAttempts);
    return this;
  }

  static int attempts(int reconnectAttempts) {
    if (reconnectAttempts < UNLIMITED_RECONNECT_ATTEMPTS) {
      throw new IllegalArgumentException("reconnectAttempts of " + reconnectAttempts + " is invalid: use 0 or more, or -1 for no limit");
    }
    return reconnectAttempts;
  }

  /** Time between two attempts, at least 1 ms. */
  public Duration getReconnectInterval() {
    return reconnectInterval;
  }

  public RdmaConnectOptions setReconnectInterval(Duration reconnectInterval) {
    this.reconnectInterval = Bounds.atLeast("reconnectInterval", reconnectInterval, 1);
    return this;
  }
}
