package io.github.vertxrdma.bus;

import io.github.vertxrdma.Bounds;
import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/**
 * Options of a service of the event bus: as JSON the configuration of a verticle {@code rdma:name}. A consumer that asks back by
 * {@code replyAndRequest} is answered within 30 s or not at all, whatever its {@code sendTimeout}: the bus does not tell how long it waits.
 */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaBusServiceOptions {
  /** Default of {@link #getDrainTimeout}. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(10);
  /** Default of {@link #getMaxOutstanding}. */
  public static final int DEFAULT_MAX_OUTSTANDING = 4096;

  private String address;
  private Duration drainTimeout = DEFAULT_DRAIN_TIMEOUT;
  private int maxOutstanding = DEFAULT_MAX_OUTSTANDING;
  private JsonObject metadata = new JsonObject();
  private RdmaOptions rdma;

  public RdmaBusServiceOptions() {
  }

  public RdmaBusServiceOptions(RdmaBusServiceOptions other) {
    this(other.toJson());
    rdma = other.rdma == null ? null : new RdmaOptions(other.rdma);
  }

  public RdmaBusServiceOptions(JsonObject json) {
    RdmaBusServiceOptionsConverter.fromJson(JsonKeys.known(RdmaBusServiceOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RdmaBusServiceOptionsConverter.toJson(this, json);
    return json;
  }

  /** The event-bus address of this Vert.x whose consumers the service offers; null for the service's name. */
  public String getAddress() {
    return address;
  }

  public RdmaBusServiceOptions setAddress(String address) {
    this.address = address;
    return this;
  }

  /** Time that undeploying waits for the answers to requests under way. */
  public Duration getDrainTimeout() {
    return drainTimeout;
  }

  public RdmaBusServiceOptions setDrainTimeout(Duration drainTimeout) {
    this.drainTimeout = Bounds.atLeast("drainTimeout", drainTimeout, 0);
    return this;
  }

  /** Requests of one connection under way above which no more are read from it: 1 … 65,535. */
  public int getMaxOutstanding() {
    return maxOutstanding;
  }

  public RdmaBusServiceOptions setMaxOutstanding(int maxOutstanding) {
    this.maxOutstanding = RdmaBusClientOptions.outstanding(maxOutstanding);
    return this;
  }

  /** The application's own data, which the directory tells beside the service's addresses. */
  public JsonObject getMetadata() {
    return metadata;
  }

  public RdmaBusServiceOptions setMetadata(JsonObject metadata) {
    this.metadata = metadata == null ? new JsonObject() : metadata;
    return this;
  }

  /**
   * Use of RDMA by this Vert.x. Null for what {@code -Dvertx.rdma.config} or {@code vertx-rdma.json} on the class path says, which the
   * transport uses as well; with equal options both share devices and connections to the directory.
   */
  public RdmaOptions getRdma() {
    return rdma;
  }

  public RdmaBusServiceOptions setRdma(RdmaOptions rdma) {
    this.rdma = rdma;
    return this;
  }
}
