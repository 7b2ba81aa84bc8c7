package io.github.vertxrdma.functions;

import io.github.vertxrdma.Bounds;
import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Options of a function server. */
@DataObject
@JsonGen(publicConverter = false)
public class FunctionServerOptions {
  /** Default of {@link #getMemory}. */
  public static final long DEFAULT_MEMORY = 256L << 20;
  /** Default of {@link #getMaxLease}. */
  public static final Duration DEFAULT_MAX_LEASE = Duration.ofSeconds(3600);
  /** Default of {@link #getHotIdleTimeout}. */
  public static final Duration DEFAULT_HOT_IDLE_TIMEOUT = Duration.ofSeconds(1);

  private int cores = Runtime.getRuntime().availableProcessors();
  private long memory = DEFAULT_MEMORY;
  private Duration maxLease = DEFAULT_MAX_LEASE;
  private Duration hotIdleTimeout = DEFAULT_HOT_IDLE_TIMEOUT;
  private boolean loadProviders = true;
  private RdmaOptions coldWorkerRdma;
  private List<String> coldJvmOptions = new ArrayList<>();
  private CodeOptions code;

  public FunctionServerOptions() {
  }

  public FunctionServerOptions(FunctionServerOptions other) {
    this(other.toJson());
    coldWorkerRdma = other.coldWorkerRdma == null ? null : new RdmaOptions(other.coldWorkerRdma);
  }

  public FunctionServerOptions(JsonObject json) {
    FunctionServerOptionsConverter.fromJson(JsonKeys.known(FunctionServerOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    FunctionServerOptionsConverter.toJson(this, json);
    return json;
  }

  /** Cores to offer, each as one worker; the machine's by default. */
  public int getCores() {
    return cores;
  }

  public FunctionServerOptions setCores(int cores) {
    this.cores = Bounds.atLeast("cores", cores, 1);
    return this;
  }

  /** Bytes of registered memory to offer for the input regions of all workers. */
  public long getMemory() {
    return memory;
  }

  public FunctionServerOptions setMemory(long memory) {
    this.memory = Bounds.atLeast("memory", memory, 1 << 16);
    return this;
  }

  /** Longest time that a lease is granted or renewed for; a longer wish gets this. */
  public Duration getMaxLease() {
    return maxLease;
  }

  public FunctionServerOptions setMaxLease(Duration maxLease) {
    this.maxLease = Bounds.atLeast("maxLease", maxLease, 100);
    return this;
  }

  /** Time without a call after which a hot worker becomes warm, until the next one. */
  public Duration getHotIdleTimeout() {
    return hotIdleTimeout;
  }

  public FunctionServerOptions setHotIdleTimeout(Duration hotIdleTimeout) {
    this.hotIdleTimeout = Bounds.atLeast("hotIdleTimeout", hotIdleTimeout, 1);
    return this;
  }

  /** Whether functions of {@link FunctionProvider}s on the class path are registered. */
  public boolean isLoadProviders() {
    return loadProviders;
  }

  public FunctionServerOptions setLoadProviders(boolean loadProviders) {
    this.loadProviders = loadProviders;
    return this;
  }

  /**
   * The node of each cold worker's process: fabric, secret and so on; null, as at first, for no cold workers. Its host is this node's
   * unless it says another. Its directory does not matter: the process is in none, and goes to its caller. It runs this JVM's java with its
   * class path, and has the functions of {@link FunctionProvider}s there, whatever {@link #isLoadProviders} says.
   */
  public RdmaOptions getColdWorkerRdma() {
    return coldWorkerRdma;
  }

  public FunctionServerOptions setColdWorkerRdma(RdmaOptions coldWorkerRdma) {
    this.coldWorkerRdma = coldWorkerRdma;
    return this;
  }

  /**
   * Arguments that the java of a cold worker is given, beside what this one was given of modules, Netty and vertx-rdma: {@code -Xmx256m}.
   */
  public List<String> getColdJvmOptions() {
    return coldJvmOptions;
  }

  public FunctionServerOptions setColdJvmOptions(List<String> coldJvmOptions) {
    this.coldJvmOptions = Objects.requireNonNull(coldJvmOptions);
    return this;
  }

  /**
   * Signatures that a caller's code must have for cold workers to run it; null, as at first, for none. It needs {@link #setColdWorkerRdma}.
   */
  public CodeOptions getCode() {
    return code;
  }

  public FunctionServerOptions setCode(CodeOptions code) {
    this.code = code;
    return this;
  }
}
