package io.github.vertxrdma.page;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Objects;

/** Options of the page about a cluster. */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaPageOptions {
  public static final String DEFAULT_HOST = "127.0.0.1";
  public static final int DEFAULT_PORT = 7480;
  public static final Duration DEFAULT_PERIOD = Duration.ofSeconds(1);
  private static final int SHORTEST_TOKEN = 16;

  private String host = DEFAULT_HOST;
  private int port = DEFAULT_PORT;
  private String token;
  private Duration period = DEFAULT_PERIOD;

  public RdmaPageOptions() {
  }

  public RdmaPageOptions(RdmaPageOptions other) {
    this(other.toJson());
  }

  public RdmaPageOptions(JsonObject json) {
    RdmaPageOptionsConverter.fromJson(JsonKeys.known(RdmaPageOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RdmaPageOptionsConverter.toJson(this, json);
    return json;
  }

  /**
   * Address on which the page listens. Except on loopback, token and data cross the network unencrypted. If it is a host name, URLs may
   * contain it, {@code localhost} or an IP address.
   */
  public String getHost() {
    return host;
  }

  public RdmaPageOptions setHost(String host) {
    this.host = Objects.requireNonNull(host);
    return this;
  }

  /** TCP port of the page; 0 for any free one. */
  public int getPort() {
    return port;
  }

  public RdmaPageOptions setPort(int port) {
    if (port < 0 || port > 65535) {
      throw new IllegalArgumentException("port " + port + " of the page is invalid: use 0 to 65535");
    }
    this.port = port;
    return this;
  }

  /** Token that a browser must send, at least 16 characters. If null, the page creates and logs a random token. */
  public String getToken() {
    return token;
  }

  public RdmaPageOptions setToken(String token) {
    if (token != null && token.length() < SHORTEST_TOKEN) {
      throw new IllegalArgumentException(
        "a token of " + token.length() + " characters for the page is too easy to guess: use at least " + SHORTEST_TOKEN);
    }
    this.token = token;
    return this;
  }

  /** Time between two updates. While a browser is connected, each update requests the statistics of all nodes. */
  public Duration getPeriod() {
    return period;
  }

  public RdmaPageOptions setPeriod(Duration period) {
    this.period = Bounds.atLeast("period", period, 50);
    return this;
  }
}
