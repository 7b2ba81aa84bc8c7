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

  /** Number of cores to offer, one for each worker. */
  public int getCores() {
    return cores;
  }

  public FunctionServerOptions setCores(int cores) {
    this.cores = Bounds.atLeast("cores", cores, 1);
    return this;
  }

  /** Bytes of registered memory for the input regions of all workers together. */
  public long getMemory() {
    return memory;
  }

  public FunctionServerOptions setMemory(long memory) {
    this.memory = Bounds.atLeast("memory", memory, 1 << 16);
    return this;
  }

  /** Maximum duration of a lease or a renewal. Longer requests are granted this duration. */
  public Duration getMaxLease() {
    return maxLease;
  }

  public FunctionServerOptions setMaxLease(Duration maxLease) {
    this.maxLease = Bounds.atLeast("maxLease", maxLease, 100);
    return this;
  }

  /** Time without a call after which a hot worker stops polling, and sleeps until the next call. */
  public Duration getHotIdleTimeout() {
    return hotIdleTimeout;
  }

  public FunctionServerOptions setHotIdleTimeout(Duration hotIdleTimeout) {
    this.hotIdleTimeout = Bounds.atLeast("hotIdleTimeout", hotIdleTimeout, 1);
    return this;
  }

  /** True if the server registers the functions of {@link FunctionProvider}s on the class path. */
  public boolean isLoadProviders() {
    return loadProviders;
  }

  public FunctionServerOptions setLoadProviders(boolean loadProviders) {
    this.loadProviders = loadProviders;
    return this;
  }

  /**
   * RDMA options of cold workers, which are separate processes; null to offer none. The default {@code host} is this node's. Each process
   * has the {@code java} and class path of this one, and connects only to its client. The process always offers the functions of {@link
   * FunctionProvider}s.
   */
  public RdmaOptions getColdWorkerRdma() {
    return coldWorkerRdma;
  }

  public FunctionServerOptions setColdWorkerRdma(RdmaOptions coldWorkerRdma) {
    this.coldWorkerRdma = coldWorkerRdma;
    return this;
  }

  /**
   * Additional JVM options of cold workers. They inherit this process's options for modules, Netty and vertx-rdma, {@code
   * -Djava.io.tmpdir} and {@code -Djava.net.prefer...}. The default collector is the serial one. Agents, debuggers, JMX settings,
   * collectors, heap sizes, logs and archives in {@code JAVA_TOOL_OPTIONS}, {@code JDK_JAVA_OPTIONS} and {@code _JAVA_OPTIONS} are not
   * inherited.
   */
  public List<String> getColdJvmOptions() {
    return coldJvmOptions;
  }

  public FunctionServerOptions setColdJvmOptions(List<String> coldJvmOptions) {
    this.coldJvmOptions = Objects.requireNonNull(coldJvmOptions);
    return this;
  }

  /**
   * Class path of cold workers; {@code folder/*} names all jars of a folder. Empty for that of this process, or the jars in a Spring Boot
   * fat jar. Required if another class loader loaded the server.
   */
  public List<String> getColdClassPath() {
    return coldClassPath;
  }

  public FunctionServerOptions setColdClassPath(List<String> coldClassPath) {
    this.coldClassPath = Objects.requireNonNull(coldClassPath);
    return this;
  }

  /** Accepted signatures of code from clients; null to refuse code. */
  public CodeOptions getCode() {
    return code;
  }

  public FunctionServerOptions setCode(CodeOptions code) {
    this.code = code;
    return this;
  }
}
