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

  /** Number of cores to offer, each as one worker; by default those of the machine. */
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

  /** Maximum time of a lease or a renewal; a request for a longer one gets this. */
  public Duration getMaxLease() {
    return maxLease;
  }

  public FunctionServerOptions setMaxLease(Duration maxLease) {
    this.maxLease = Bounds.atLeast("maxLease", maxLease, 100);
    return this;
  }

  /** Time without a call after which a hot worker becomes warm, until the next call. */
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
   * Node of each cold worker's process: fabric, secret and so on; null, the default, for no cold workers. Its host is this node's unless it
   * names another. Its directory is ignored: the process joins none, and connects to its caller. It runs this JVM's java with its class
   * path, and has the functions of {@link FunctionProvider}s there, regardless of {@link #isLoadProviders}.
   */
  public RdmaOptions getColdWorkerRdma() {
    return coldWorkerRdma;
  }

  public FunctionServerOptions setColdWorkerRdma(RdmaOptions coldWorkerRdma) {
    this.coldWorkerRdma = coldWorkerRdma;
    return this;
  }

  /**
   * Arguments for the java of a cold worker, besides those of this process about modules, Netty and vertx-rdma: {@code -Xmx256m}. Without a
   * collector here the process has the serial one. Agents, ports of debuggers and JMX, collectors, sizes of the heap, logs of the JVM and
   * archives in {@code JAVA_TOOL_OPTIONS}, {@code JDK_JAVA_OPTIONS} and {@code _JAVA_OPTIONS} are not inherited.
   */
  public List<String> getColdJvmOptions() {
    return coldJvmOptions;
  }

  public FunctionServerOptions setColdJvmOptions(List<String> coldJvmOptions) {
    this.coldJvmOptions = Objects.requireNonNull(coldJvmOptions);
    return this;
  }

  /**
   * Jars and folders of a cold worker; {@code folder/*} names all jars of a folder. Empty, the default, for the class path of this process,
   * or for the jars inside of a fat jar of Spring Boot. A server whose classes come from another class loader needs it.
   */
  public List<String> getColdClassPath() {
    return coldClassPath;
  }

  public FunctionServerOptions setColdClassPath(List<String> coldClassPath) {
    this.coldClassPath = Objects.requireNonNull(coldClassPath);
    return this;
  }

  /** Required signatures of a caller's code for cold workers; null, the default, to refuse code. Needs {@link #setColdWorkerRdma}. */
  public CodeOptions getCode() {
    return code;
  }

  public FunctionServerOptions setCode(CodeOptions code) {
    this.code = code;
    return this;
  }
}
