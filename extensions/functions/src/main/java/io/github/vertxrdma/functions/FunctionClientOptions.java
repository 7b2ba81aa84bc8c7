package io.github.vertxrdma.functions;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** Options of a function client. */
@DataObject
@JsonGen(publicConverter = false)
public class FunctionClientOptions {
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
  public static final int DEFAULT_RETRIES = 2;
  public static final int DEFAULT_MAX_WAITING = 100_000;

  private String client;
  private Duration timeout = DEFAULT_TIMEOUT;
  private int retries = DEFAULT_RETRIES;
  private int maxWaiting = DEFAULT_MAX_WAITING;

  public FunctionClientOptions() {
  }

  public FunctionClientOptions(FunctionClientOptions other) {
    this(other.toJson());
  }

  public FunctionClientOptions(JsonObject json) {
    FunctionClientOptionsConverter.fromJson(JsonKeys.known(FunctionClientOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    FunctionClientOptionsConverter.toJson(this, json);
    return json;
  }

  /** Name of this client on bills; null for the id of this node. */
  public String getClient() {
    return client;
  }

  public FunctionClientOptions setClient(String client) {
    this.client = client;
    return this;
  }

  /** Default maximum time of a call, including the wait for a worker; zero for no limit. */
  public Duration getTimeout() {
    return timeout;
  }

  public FunctionClientOptions setTimeout(Duration timeout) {
    this.timeout = Bounds.atLeast("timeout", timeout, 0);
    return this;
  }

  /** Maximum number of repetitions after the worker was lost. Repeats only unsent calls, and calls of idempotent functions. */
  public int getRetries() {
    return retries;
  }

  public FunctionClientOptions setRetries(int retries) {
    this.retries = Bounds.atLeast("retries", retries, 0);
    return this;
  }

  /** Maximum number of calls that wait for a worker. Further calls fail with {@code TOO_MANY_CALLS}. */
  public int getMaxWaiting() {
    return maxWaiting;
  }

  public FunctionClientOptions setMaxWaiting(int maxWaiting) {
    this.maxWaiting = Bounds.atLeast("maxWaiting", maxWaiting, 0);
    return this;
  }
}
