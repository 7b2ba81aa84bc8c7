package io.github.vertxrdma.bus;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/**
 * Options of a client of an event bus service. Their JSON form is the configuration of a verticle {@code rdma:name?connect}, which makes
 * the service available at an event bus address of its Vert.x.
 */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaBusClientOptions {
  public static final int DEFAULT_MAX_OUTSTANDING = 4096;

  private String address;
  private String fabric;
  private Duration lookupTimeout = Duration.ofSeconds(10);
  private Duration drainTimeout = Duration.ofSeconds(10);
  private Duration replyTimeout = Duration.ofSeconds(30);
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

  /** Event bus address of this Vert.x for the service; null for the service's name. Only for verticles. */
  public String getAddress() {
    return address;
  }

  public RdmaBusClientOptions setAddress(String address) {
    this.address = address;
    return this;
  }

  /** Fabric or device to use, without fallback. If null, that of {@link RdmaOptions}; if that is null too, the best one. */
  public String getFabric() {
    return fabric;
  }

  public RdmaBusClientOptions setFabric(String fabric) {
    this.fabric = fabric;
    return this;
  }

  /** Time to search for an instance of the service that accepts a connection. */
  public Duration getLookupTimeout() {
    return lookupTimeout;
  }

  public RdmaBusClientOptions setLookupTimeout(Duration lookupTimeout) {
    this.lookupTimeout = Bounds.atLeast("lookupTimeout", lookupTimeout, 1);
    return this;
  }

  /** Time for which closing, or undeploying, waits for replies to requests in flight. */
  public Duration getDrainTimeout() {
    return drainTimeout;
  }

  public RdmaBusClientOptions setDrainTimeout(Duration drainTimeout) {
    this.drainTimeout = Bounds.atLeast("drainTimeout", drainTimeout, 0);
    return this;
  }

  /**
   * Timeout of a request from the local event bus. Set it at least as long as the timeouts of the senders, which the event bus does not
   * reveal. Only for verticles.
   */
  public Duration getReplyTimeout() {
    return replyTimeout;
  }

  public RdmaBusClientOptions setReplyTimeout(Duration replyTimeout) {
    this.replyTimeout = Bounds.atLeast("replyTimeout", replyTimeout, 1);
    return this;
  }

  /** Maximum number of requests in flight, and of messages that wait for a connection: 1 … 65,535. Further ones fail immediately. */
  public int getMaxOutstanding() {
    return maxOutstanding;
  }

  public RdmaBusClientOptions setMaxOutstanding(int maxOutstanding) {
    this.maxOutstanding = outstanding(maxOutstanding);
    return this;
  }

  /**
   * RDMA options of this Vert.x. If null, those of {@code -Dvertx.rdma.config} or {@code vertx-rdma.json} on the class path. Only for
   * verticles.
   */
  public RdmaOptions getRdma() {
    return rdma;
  }

  public RdmaBusClientOptions setRdma(RdmaOptions rdma) {
    this.rdma = rdma;
    return this;
  }
}
