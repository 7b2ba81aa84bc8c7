package io.github.vertxrdma.bus;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/**
 * Options of an event bus service. Their JSON form is the configuration of a verticle {@code rdma:name}. A request by {@code
 * replyAndRequest} always has a timeout of 30 s, since the event bus does not reveal its {@code sendTimeout}.
 */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaBusServiceOptions {

  private String address;
  private Duration drainTimeout = Duration.ofSeconds(10);
  private int maxOutstanding = RdmaBusClientOptions.DEFAULT_MAX_OUTSTANDING;
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

  /** Event bus address of this Vert.x whose consumers serve the service; null for the service's name. */
  public String getAddress() {
    return address;
  }

  public RdmaBusServiceOptions setAddress(String address) {
    this.address = address;
    return this;
  }

  /** Time for which undeploying waits for replies to requests in flight. */
  public Duration getDrainTimeout() {
    return drainTimeout;
  }

  public RdmaBusServiceOptions setDrainTimeout(Duration drainTimeout) {
    this.drainTimeout = Bounds.atLeast("drainTimeout", drainTimeout, 0);
    return this;
  }

  /** Maximum number of requests in flight on one connection: 1 … 65,535. Above it, the service stops reading from the connection. */
  public int getMaxOutstanding() {
    return maxOutstanding;
  }

  public RdmaBusServiceOptions setMaxOutstanding(int maxOutstanding) {
    this.maxOutstanding = RdmaBusClientOptions.outstanding(maxOutstanding);
    return this;
  }

  /** Metadata of the application that the directory publishes with the service's addresses. */
  public JsonObject getMetadata() {
    return metadata;
  }

  public RdmaBusServiceOptions setMetadata(JsonObject metadata) {
    this.metadata = metadata == null ? new JsonObject() : metadata;
    return this;
  }

  /** RDMA options of this Vert.x. If null, those of {@code -Dvertx.rdma.config} or {@code vertx-rdma.json} on the class path. */
  public RdmaOptions getRdma() {
    return rdma;
  }

  public RdmaBusServiceOptions setRdma(RdmaOptions rdma) {
    this.rdma = rdma;
    return this;
  }
}
