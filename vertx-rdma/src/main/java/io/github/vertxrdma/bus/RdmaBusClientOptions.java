package io.github.vertxrdma.bus;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;

/**
 * Options of a client of a service of the event bus; as JSON the configuration of a verticle {@code rdma:name?connect}, which joins the
 * service to an address of its Vert.x.
 */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaBusClientOptions {
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
  private RdmaOptions rdma;

  public RdmaBusClientOptions() {
  }

  public RdmaBusClientOptions(RdmaBusClientOptions other) {
    address = other.address;
    fabric = other.fabric;
    lookupTimeoutMillis = other.lookupTimeoutMillis;
    drainTimeoutMillis = other.drainTimeoutMillis;
    replyTimeoutMillis = other.replyTimeoutMillis;
    maxOutstanding = other.maxOutstanding;
    rdma = other.rdma == null ? null : new RdmaOptions(other.rdma);
  }

  public RdmaBusClientOptions(JsonObject json) {
    RdmaBusClientOptionsConverter.fromJson(JsonKeys.known(RdmaBusClientOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RdmaBusClientOptionsConverter.toJson(this, json);
    return json;
  }

  static int atLeast(String name, int value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(name + ' ' + value + ": at least " + least);
    }
    return value;
  }

  static int outstanding(int maxOutstanding) {
    if (maxOutstanding > 0xffff) {
      throw new IllegalArgumentException("maxOutstanding " + maxOutstanding + ": at most 65535");
    }
    return atLeast("maxOutstanding", maxOutstanding, 1);
  }

  /** Verticles: the event-bus address of this Vert.x that is joined to the service; null for the service's name. */
  public String getAddress() {
    return address;
  }

  public RdmaBusClientOptions setAddress(String address) {
    this.address = address;
    return this;
  }

  /** The one fabric or device to use, without falling back; null for the one of {@link RdmaOptions}, else the best. */
  public String getFabric() {
    return fabric;
  }

  public RdmaBusClientOptions setFabric(String fabric) {
    this.fabric = fabric;
    return this;
  }

  /** Milliseconds for which an instance of the service that can be connected to is looked for. */
  public int getLookupTimeoutMillis() {
    return lookupTimeoutMillis;
  }

  public RdmaBusClientOptions setLookupTimeoutMillis(int lookupTimeoutMillis) {
    this.lookupTimeoutMillis = atLeast("lookupTimeoutMillis", lookupTimeoutMillis, 1);
    return this;
  }

  /** Milliseconds that closing, or undeploying, waits for the answers to requests under way. */
  public int getDrainTimeoutMillis() {
    return drainTimeoutMillis;
  }

  public RdmaBusClientOptions setDrainTimeoutMillis(int drainTimeoutMillis) {
    this.drainTimeoutMillis = atLeast("drainTimeoutMillis", drainTimeoutMillis, 0);
    return this;
  }

  /**
   * Verticles: milliseconds to wait for the answer to a request that came over the local event bus. The bus does not tell how long its
   * sender waits: longer timeouts there need a longer one here.
   */
  public int getReplyTimeoutMillis() {
    return replyTimeoutMillis;
  }

  public RdmaBusClientOptions setReplyTimeoutMillis(int replyTimeoutMillis) {
    this.replyTimeoutMillis = atLeast("replyTimeoutMillis", replyTimeoutMillis, 1);
    return this;
  }

  /**
   * Requests under way, and messages that wait for a connection, above which further ones fail at once: 1 … 65,535.
   */
  public int getMaxOutstanding() {
    return maxOutstanding;
  }

  public RdmaBusClientOptions setMaxOutstanding(int maxOutstanding) {
    this.maxOutstanding = outstanding(maxOutstanding);
    return this;
  }

  /**
   * Verticles: use of RDMA by this Vert.x. Null for what {@code -Dvertx.rdma.config} or {@code vertx-rdma.json} on the class path says,
   * which the transport uses as well; with equal options both share devices and connections to the directory.
   */
  public RdmaOptions getRdma() {
    return rdma;
  }

  public RdmaBusClientOptions setRdma(RdmaOptions rdma) {
    this.rdma = rdma;
    return this;
  }
}
