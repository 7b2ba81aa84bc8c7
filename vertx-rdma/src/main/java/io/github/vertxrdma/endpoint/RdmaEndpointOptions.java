package io.github.vertxrdma.endpoint;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;

/** Options of an endpoint, served or used; as JSON the configuration of a verticle {@code rdma:name}. */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaEndpointOptions {
  /** Default of {@link #getLookupTimeoutMillis}. */
  public static final int DEFAULT_LOOKUP_TIMEOUT_MILLIS = 10_000;
  /** Default of {@link #getDrainTimeoutMillis}. */
  public static final int DEFAULT_DRAIN_TIMEOUT_MILLIS = 10_000;
  /** Default of {@link #getReplyTimeoutMillis}. */
  public static final int DEFAULT_REPLY_TIMEOUT_MILLIS = 30_000;
  /** Default of {@link #getMaxOutstanding}. */
  public static final int DEFAULT_MAX_OUTSTANDING = 4096;

  private String address;
  private String fabric;
  private int lookupTimeoutMillis = DEFAULT_LOOKUP_TIMEOUT_MILLIS;
  private int drainTimeoutMillis = DEFAULT_DRAIN_TIMEOUT_MILLIS;
  private int replyTimeoutMillis = DEFAULT_REPLY_TIMEOUT_MILLIS;
  private int maxOutstanding = DEFAULT_MAX_OUTSTANDING;
  private JsonObject metadata = new JsonObject();
  private RdmaOptions rdma;

  public RdmaEndpointOptions() {
  }

  public RdmaEndpointOptions(RdmaEndpointOptions other) {
    address = other.address;
    fabric = other.fabric;
    lookupTimeoutMillis = other.lookupTimeoutMillis;
    drainTimeoutMillis = other.drainTimeoutMillis;
    replyTimeoutMillis = other.replyTimeoutMillis;
    maxOutstanding = other.maxOutstanding;
    metadata = other.metadata.copy();
    rdma = other.rdma == null ? null : new RdmaOptions(other.rdma);
  }

  public RdmaEndpointOptions(JsonObject json) {
    RdmaEndpointOptionsConverter.fromJson(JsonKeys.known(RdmaEndpointOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RdmaEndpointOptionsConverter.toJson(this, json);
    return json;
  }

  private static int atLeast(String name, int value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(name + ' ' + value + ": at least " + least);
    }
    return value;
  }

  /** Verticles: the event-bus address of this Vert.x that is joined to the endpoint; null for the endpoint's name. */
  public String getAddress() {
    return address;
  }

  public RdmaEndpointOptions setAddress(String address) {
    this.address = address;
    return this;
  }

  /** Clients: the one fabric or device to use, without falling back; null for the one of {@link RdmaOptions}, else the best. */
  public String getFabric() {
    return fabric;
  }

  public RdmaEndpointOptions setFabric(String fabric) {
    this.fabric = fabric;
    return this;
  }

  /** Clients: how long to look for an instance of the endpoint that can be connected to, in milliseconds. */
  public int getLookupTimeoutMillis() {
    return lookupTimeoutMillis;
  }

  public RdmaEndpointOptions setLookupTimeoutMillis(int lookupTimeoutMillis) {
    this.lookupTimeoutMillis = atLeast("lookupTimeoutMillis", lookupTimeoutMillis, 1);
    return this;
  }

  /** Milliseconds that undeploying, or closing, waits for the answers to requests under way. */
  public int getDrainTimeoutMillis() {
    return drainTimeoutMillis;
  }

  public RdmaEndpointOptions setDrainTimeoutMillis(int drainTimeoutMillis) {
    this.drainTimeoutMillis = atLeast("drainTimeoutMillis", drainTimeoutMillis, 0);
    return this;
  }

  /**
   * Verticles: how long to wait for the answer to a request that came over the local event bus, in milliseconds. The bus does not tell how
   * long its sender waits: longer timeouts there need a longer one here.
   */
  public int getReplyTimeoutMillis() {
    return replyTimeoutMillis;
  }

  public RdmaEndpointOptions setReplyTimeoutMillis(int replyTimeoutMillis) {
    this.replyTimeoutMillis = atLeast("replyTimeoutMillis", replyTimeoutMillis, 1);
    return this;
  }

  /**
   * Clients: requests under way, and messages that wait for a connection, above which further ones fail at once. Servers: requests of one
   * connection under way above which no more are read from it. 1 … 65,535.
   */
  public int getMaxOutstanding() {
    return maxOutstanding;
  }

  public RdmaEndpointOptions setMaxOutstanding(int maxOutstanding) {
    if (maxOutstanding > 0xffff) {
      throw new IllegalArgumentException("maxOutstanding " + maxOutstanding + ": at most 65535");
    }
    this.maxOutstanding = atLeast("maxOutstanding", maxOutstanding, 1);
    return this;
  }

  /** Servers: what the directory tells about the endpoint beside its addresses; the application's own. */
  public JsonObject getMetadata() {
    return metadata;
  }

  public RdmaEndpointOptions setMetadata(JsonObject metadata) {
    this.metadata = metadata == null ? new JsonObject() : metadata;
    return this;
  }

  /**
   * Verticles: how this Vert.x uses RDMA. Null for what {@code -Dvertx.rdma.config} or {@code vertx-rdma.json} on the class path says,
   * which the transport uses as well; with equal options both share devices and connections to the directory.
   */
  public RdmaOptions getRdma() {
    return rdma;
  }

  public RdmaEndpointOptions setRdma(RdmaOptions rdma) {
    this.rdma = rdma;
    return this;
  }
}
