package io.github.vertxrdma.functions;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Objects;

/** Options of a lease that a function client requests from servers. */
@DataObject
@JsonGen(publicConverter = false)
public class LeaseOptions {
  /** Default of {@link #getMemory}. */
  public static final int DEFAULT_MEMORY = 1 << 20;
  /** Default of {@link #getSlots}. */
  public static final int DEFAULT_SLOTS = 16;
  /** Default of {@link #getDuration}. */
  public static final Duration DEFAULT_DURATION = Duration.ofSeconds(60);
  /** Default of {@link #getWaitTimeout}. */
  public static final Duration DEFAULT_WAIT_TIMEOUT = Duration.ofSeconds(10);
  /** Default of {@link #getMessageSize}. */
  public static final int DEFAULT_MESSAGE_SIZE = 3840;
  /** Default of {@link #getWorkers}. */
  public static final int DEFAULT_WORKERS = 1;
  /** Default of {@link #getMode}. */
  public static final WorkerMode DEFAULT_MODE = WorkerMode.WARM;
  /** Minimum bytes of a slot. */
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

  /** Name of the servers to ask ({@link FunctionServer#listen}). */
  public String getService() {
    return service;
  }

  public LeaseOptions setService(String service) {
    this.service = Objects.requireNonNull(service);
    return this;
  }

  /** The only node to ask; null for all. */
  public String getNodeId() {
    return nodeId;
  }

  public LeaseOptions setNodeId(String nodeId) {
    this.nodeId = nodeId;
    return this;
  }

  /** Number of workers; they come evenly from all servers that have any. */
  public int getWorkers() {
    return workers;
  }

  public LeaseOptions setWorkers(int workers) {
    this.workers = Bounds.within("workers", workers, 1, 65_536);
    return this;
  }

  /**
   * Bytes of each worker's input region, and of the region for its results here: at least 1 KiB for each slot. The arguments of one call,
   * and its result, can be nearly as large.
   */
  public int getMemory() {
    return memory;
  }

  public LeaseOptions setMemory(int memory) {
    this.memory = Bounds.within("memory", memory, LEAST_SLOT, 1 << 30);
    return this;
  }

  /**
   * Maximum number of calls in flight on each worker, 1 … 64. A call whose arguments or result are larger than memory ÷ slots occupies
   * several.
   */
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

  /** Returns whether the lease is renewed automatically, after half of its time, until it is ended. */
  public boolean isAutoRenew() {
    return autoRenew;
  }

  public LeaseOptions setAutoRenew(boolean autoRenew) {
    this.autoRenew = autoRenew;
    return this;
  }

  /**
   * Whether the client keeps this number of workers. Each of them then has its own lease, which is renewed automatically. A lease that ends
   * in any other way than by {@link Lease#end} is replaced, from any server, as soon as a worker is free. Meanwhile, calls that no other
   * worker can take wait within their time. {@link FunctionClient#leaseHandler} reports the changes.
   */
  public boolean isKeep() {
    return keep;
  }

  public LeaseOptions setKeep(boolean keep) {
    this.keep = keep;
    return this;
  }

  /**
   * Maximum time to wait for enough free workers. If a server of hot or warm workers does not answer within its share of that time, at
   * least 2 s, others are asked instead; the last one may still answer for 10 s, or 130 s for cold workers. No other server is asked after
   * the time has passed.
   */
  public Duration getWaitTimeout() {
    return waitTimeout;
  }

  public LeaseOptions setWaitTimeout(Duration waitTimeout) {
    this.waitTimeout = Bounds.atLeast("waitTimeout", waitTimeout, 0);
    return this;
  }

  /**
   * Maximum bytes of calls and results, with their headers, that are sent as messages of the worker's connection; larger ones are written
   * into memory. 0 to write all into memory. A message is one request, a notified write is two. This pays while a message fits a receive of
   * the connection, which holds for the default with any {@code bufferSize}. Keep it below {@code maxMessageSize} of both nodes: a call or
   * result above that cannot be sent, and its worker is lost.
   */
  public int getMessageSize() {
    return messageSize;
  }

  public LeaseOptions setMessageSize(int messageSize) {
    this.messageSize = Bounds.within("messageSize", messageSize, 0, 1 << 20);
    return this;
  }

  /** Way in which the workers wait for calls. */
  public WorkerMode getMode() {
    return mode;
  }

  public LeaseOptions setMode(WorkerMode mode) {
    this.mode = Objects.requireNonNull(mode);
    return this;
  }
}
