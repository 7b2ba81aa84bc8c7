package io.github.vertxrdma.bus;

import io.github.vertxrdma.Bounds;
import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/**
 * Options of a client of a service of the event bus; as JSON the configuration of a verticle {@code rdma:name?connect}, which joins the
 * service to an address of its Vert.x.
 */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaBusClientOptions {
  /** Default of {@link #getLookupTimeout}. */
  public static final Duration DEFAULT_LOOKUP_TIMEOUT = Duration.ofSeconds(10);
  /** Default of {@link #getDrainTimeout}. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(10);
  /** Default of {@link #getReplyTimeout}. */
  public static final Duration DEFAULT_REPLY_TIMEOUT = Duration.ofSeconds(30);
  /** Default of {@link #getMaxOutstanding}. */
  public static final int DEFAULT_MAX_OUTSTANDING = 4096;

  private String address;
  private String fabric;
  private Duration lookupTimeout = DEFAULT_LOOKUP_TIMEOUT;
  private Duration drainTimeout = DEFAULT_DRAIN_TIMEOUT;
  private Duration replyTimeout = DEFAULT_REPLY_TIMEOUT;
  private int maxOutstanding = DEFAULT_MAX_OUTSTANDING;
  private RdmaOptions rdma;

  public RdmaBusClientOptions() {
  }

  public RdmaBusClientOptions(RdmaBusClientOptions other) {
    this(other.toJson());
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

  static int outstanding(int maxOutstanding) {
    return Bounds.within("maxOutstanding", maxOutstanding, 1, 0xffff);
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

  /** Time for which an instance of the service that can be connected to is looked for. */
  public Duration getLookupTimeout() {
    return lookupTimeout;
  }

  public RdmaBusClientOptions setLookupTimeout(Duration lookupTimeout) {
    this.lookupTimeout = Bounds.atLeast("lookupTimeout", lookupTimeout, 1);
    return this;
  }

  /** Time that closing, or undeploying, waits for the answers to requests under way. */
  public Duration getDrainTimeout() {
    return drainTimeout;
  }

  public RdmaBusClientOptions setDrainTimeout(Duration drainTimeout) {
    this.drainTimeout = Bounds.atLeast("drainTimeout", drainTimeout, 0);
    return this;
  }

  /**
   * Verticles: time to wait for the answer to a request that came over the local event bus. The bus does not tell how long its
   * sender waits: longer timeouts there need a longer one here.
   */
  public Duration getReplyTimeout() {
    return replyTimeout;
  }

  public RdmaBusClientOptions setReplyTimeout(Duration replyTimeout) {
    this.replyTimeout = Bounds.atLeast("replyTimeout", replyTimeout, 1);
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
