package io.github.vertxrdma.functions;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Objects;

/** Options of a lease. */
@DataObject
@JsonGen(publicConverter = false)
public class LeaseOptions {
  public static final int DEFAULT_MEMORY = 1 << 20;
  public static final int DEFAULT_SLOTS = 16;
  public static final Duration DEFAULT_DURATION = Duration.ofSeconds(60);
  public static final Duration DEFAULT_WAIT_TIMEOUT = Duration.ofSeconds(10);
  public static final int DEFAULT_MESSAGE_SIZE = 3840;
  public static final int DEFAULT_WORKERS = 1;
  public static final WorkerMode DEFAULT_MODE = WorkerMode.WARM;
  public static final int LEAST_SLOT = 1024;

  private String service = FunctionServer.DEFAULT_SERVICE;
  private String nodeId;
  private int workers = DEFAULT_WORKERS;
  private int memory = DEFAULT_MEMORY;
  private int slots = DEFAULT_SLOTS;
  private Duration duration = DEFAULT_DURATION;
  private boolean autoRenew;
  private boolean keep;
  private Duration waitTimeout = DEFAULT_WAIT_TIMEOUT;
  private WorkerMode mode = DEFAULT_MODE;
  private int messageSize = DEFAULT_MESSAGE_SIZE;

  public LeaseOptions() {
  }

  public LeaseOptions(LeaseOptions other) {
    this(other.toJson());
  }

  public LeaseOptions(JsonObject json) {
    LeaseOptionsConverter.fromJson(JsonKeys.known(LeaseOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    LeaseOptionsConverter.toJson(this, json);
    return json;
  }

  /** Name of the function servers ({@link FunctionServer#listen(String)}). */
  public String getService() {
    return service;
  }

  public LeaseOptions setService(String service) {
    this.service = Objects.requireNonNull(service);
    return this;
  }

  /** Id of the node whose server grants the lease; null for any node. */
  public String getNodeId() {
    return nodeId;
  }

  public LeaseOptions setNodeId(String nodeId) {
    this.nodeId = nodeId;
    return this;
  }

  /** Number of workers to lease. */
  public int getWorkers() {
    return workers;
  }

  public LeaseOptions setWorkers(int workers) {
    this.workers = Bounds.within("workers", workers, 1, 65_536);
    return this;
  }

  /**
   * Bytes of a worker's region for arguments, and of its region for results: at least 1 KiB for each slot. One call can use nearly the
   * entire region.
   */
  public int getMemory() {
    return memory;
  }

  public LeaseOptions setMemory(int memory) {
    this.memory = Bounds.within("memory", memory, LEAST_SLOT, 1 << 30);
    return this;
  }

  /** Maximum number of calls in flight on each worker, 1 … 64. A call larger than {@code memory ÷ slots} occupies several. */
  public int getSlots() {
    return slots;
  }

  public LeaseOptions setSlots(int slots) {
    this.slots = Bounds.within("slots", slots, 1, 64);
    return this;
  }

  /** Duration of the lease; a server may grant less. */
  public Duration getDuration() {
    return duration;
  }

  public LeaseOptions setDuration(Duration duration) {
    this.duration = Bounds.atLeast("duration", duration, 1);
    return this;
  }

  /** True if the client renews the lease after half of each duration. */
  public boolean isAutoRenew() {
    return autoRenew;
  }

  public LeaseOptions setAutoRenew(boolean autoRenew) {
    this.autoRenew = autoRenew;
    return this;
  }

  /**
   * True if the client replaces lost workers. Calls wait for the replacement. Each worker has its own lease, which the client renews.
   * {@link Lease#end} ends a lease without a replacement. {@link FunctionClient#leaseHandler} reports changes.
   */
  public boolean isKeep() {
    return keep;
  }

  public LeaseOptions setKeep(boolean keep) {
    this.keep = keep;
    return this;
  }

  /**
   * Maximum time to wait for free workers. Each server may take an equal share, at least 2 s; then the client asks the next. The last may
   * take 10 s more, or 130 s for cold workers.
   */
  public Duration getWaitTimeout() {
    return waitTimeout;
  }

  public LeaseOptions setWaitTimeout(Duration waitTimeout) {
    this.waitTimeout = Bounds.atLeast("waitTimeout", waitTimeout, 0);
    return this;
  }

  /**
   * Maximum bytes, with headers, of calls and results that are sent as messages; 0 for none. Larger ones are written into the receiver's
   * memory, which takes a second work request. Must be below {@code maxMessageSize} of both nodes: a larger message closes the connection.
   */
  public int getMessageSize() {
    return messageSize;
  }

  public LeaseOptions setMessageSize(int messageSize) {
    this.messageSize = Bounds.within("messageSize", messageSize, 0, 1 << 20);
    return this;
  }

  /** Mode in which workers wait for calls. */
  public WorkerMode getMode() {
    return mode;
  }

  public LeaseOptions setMode(WorkerMode mode) {
    this.mode = Objects.requireNonNull(mode);
    return this;
  }
}
