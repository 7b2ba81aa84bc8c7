package io.github.vertxrdma.functions;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.base.Bounds;
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
  public static final long DEFAULT_MEMORY = 256L << 20;
  public static final Duration DEFAULT_MAX_LEASE = Duration.ofSeconds(3600);
  public static final Duration DEFAULT_HOT_IDLE_TIMEOUT = Duration.ofSeconds(1);

  private int cores = Runtime.getRuntime().availableProcessors();
  private long memory = DEFAULT_MEMORY;
  private Duration maxLease = DEFAULT_MAX_LEASE;
  private Duration hotIdleTimeout = DEFAULT_HOT_IDLE_TIMEOUT;
  private boolean loadProviders = true;
  private RdmaOptions coldWorkerRdma;
  private List<String> coldJvmOptions = new ArrayList<>();
  private List<String> coldClassPath = new ArrayList<>();
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

  /** Number of cores to offer, each as one worker. */
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

  /** Maximum time of a lease or a renewal; longer requests get this. */
  public Duration getMaxLease() {
    return maxLease;
  }

  public FunctionServerOptions setMaxLease(Duration maxLease) {
    this.maxLease = Bounds.atLeast("maxLease", maxLease, 100);
    return this;
  }

  /** Time without a call after which a hot worker is warm, until the next call. */
  public Duration getHotIdleTimeout() {
    return hotIdleTimeout;
  }

  public FunctionServerOptions setHotIdleTimeout(Duration hotIdleTimeout) {
    this.hotIdleTimeout = Bounds.atLeast("hotIdleTimeout", hotIdleTimeout, 1);
    return this;
  }

  /** Returns whether functions of {@link FunctionProvider}s on the class path are registered. */
  public boolean isLoadProviders() {
    return loadProviders;
  }

  public FunctionServerOptions setLoadProviders(boolean loadProviders) {
    this.loadProviders = loadProviders;
    return this;
  }

  /**
   * Options of the node in a cold worker's process; null for no cold workers. Without a host the process has this node's. It joins no
   * directory, connects only to its caller, and runs this JVM's java and class path, with the functions of its {@link FunctionProvider}s
   * regardless of {@link #isLoadProviders}.
   */
  public RdmaOptions getColdWorkerRdma() {
    return coldWorkerRdma;
  }

  public FunctionServerOptions setColdWorkerRdma(RdmaOptions coldWorkerRdma) {
    this.coldWorkerRdma = coldWorkerRdma;
    return this;
  }

  /**
   * Arguments for the java of a cold worker, besides those of this process about modules, Netty and vertx-rdma. The default collector is
   * the serial one. Agents, debuggers, JMX, collectors, heap sizes, logs and archives are not inherited from {@code JAVA_TOOL_OPTIONS},
   * {@code JDK_JAVA_OPTIONS} and {@code _JAVA_OPTIONS}.
   */
  public List<String> getColdJvmOptions() {
    return coldJvmOptions;
  }

  public FunctionServerOptions setColdJvmOptions(List<String> coldJvmOptions) {
    this.coldJvmOptions = Objects.requireNonNull(coldJvmOptions);
    return this;
  }

  /**
   * Jars and folders of a cold worker; {@code folder/*} names all jars of a folder. Empty for the class path of this process, or the jars
   * in a fat jar of Spring Boot. Required if the server's classes come from another class loader.
   */
  public List<String> getColdClassPath() {
    return coldClassPath;
  }

  public FunctionServerOptions setColdClassPath(List<String> coldClassPath) {
    this.coldClassPath = Objects.requireNonNull(coldClassPath);
    return this;
  }

  /** Required signatures of callers' code; null to refuse code. Needs {@link #setColdWorkerRdma}. */
  public CodeOptions getCode() {
    return code;
  }

  public FunctionServerOptions setCode(CodeOptions code) {
    this.code = code;
    return this;
  }
}
