package io.github.vertxrdma.grpc;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import io.vertx.core.tracing.TracingPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Options of an {@link RdmaGrpcClient}. */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaGrpcClientOptions {
  public static final int DEFAULT_MAX_MESSAGE_SIZE = 4 << 20;
  public static final int DEFAULT_MAX_METADATA_SIZE = 8 << 10;
  public static final Duration DEFAULT_INITIAL_BACKOFF = Duration.ofMillis(100);
  public static final Duration DEFAULT_MAX_BACKOFF = Duration.ofSeconds(1);
  public static final int DEFAULT_CALL_WINDOW = 16;

  public static final Duration DEFAULT_LOOKUP_TIMEOUT = Duration.ofSeconds(10);
  public static final Balancing DEFAULT_BALANCING = Balancing.ROUND_ROBIN;
  public static final int DEFAULT_MAX_ATTEMPTS = 3;

  private String server;
  private String fabric;
  private Duration lookupTimeout = DEFAULT_LOOKUP_TIMEOUT;
  private Balancing balancing = DEFAULT_BALANCING;
  private int maxMessageSize = DEFAULT_MAX_MESSAGE_SIZE;
  private int maxMetadataSize = DEFAULT_MAX_METADATA_SIZE;
  private int callWindow = DEFAULT_CALL_WINDOW;
  private Duration timeout = Duration.ZERO;
  private boolean scheduleDeadline = true;
  private List<String> idempotentMethods = List.of();
  private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
  private Duration initialBackoff = DEFAULT_INITIAL_BACKOFF;
  private Duration maxBackoff = DEFAULT_MAX_BACKOFF;
  private TracingPolicy tracingPolicy = TracingPolicy.PROPAGATE;

  public RdmaGrpcClientOptions() {
  }

  public RdmaGrpcClientOptions(RdmaGrpcClientOptions other) {
    this(other.toJson());
  }

  public RdmaGrpcClientOptions(JsonObject json) {
    RdmaGrpcClientOptionsConverter.fromJson(JsonKeys.known(RdmaGrpcClientOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RdmaGrpcClientOptionsConverter.toJson(this, json);
    return json;
  }

  /** Name of the server that calls without an address use; null for none. */
  public String getServer() {
    return server;
  }

  public RdmaGrpcClientOptions setServer(String server) {
    this.server = server;
    return this;
  }

  /** Name of the only fabric or device for calls. Null for the best one that reaches the server. */
  public String getFabric() {
    return fabric;
  }

  public RdmaGrpcClientOptions setFabric(String fabric) {
    this.fabric = fabric;
    return this;
  }

  /** Maximum time to wait until the server's name appears in the directory. */
  public Duration getLookupTimeout() {
    return lookupTimeout;
  }

  public RdmaGrpcClientOptions setLookupTimeout(Duration lookupTimeout) {
    this.lookupTimeout = Bounds.atLeast("lookupTimeout", lookupTimeout, 0);
    return this;
  }

  /** Rule for selecting one of several servers with the same name. */
  public Balancing getBalancing() {
    return balancing;
  }

  public RdmaGrpcClientOptions setBalancing(Balancing balancing) {
    this.balancing = Objects.requireNonNull(balancing);
    return this;
  }

  /**
   * Maximum bytes of a response message. {@link io.github.vertxrdma.RdmaOptions#getMaxMessageSize} also applies. A longer message ends its
   * call with {@code RESOURCE_EXHAUSTED}.
   */
  public int getMaxMessageSize() {
    return maxMessageSize;
  }

  public RdmaGrpcClientOptions setMaxMessageSize(int maxMessageSize) {
    this.maxMessageSize = Bounds.atLeast("maxMessageSize", maxMessageSize, 1);
    return this;
  }

  /** Maximum bytes of the headers of a response, and of its trailers. Longer ones end their call with {@code RESOURCE_EXHAUSTED}. */
  public int getMaxMetadataSize() {
    return maxMetadataSize;
  }

  public RdmaGrpcClientOptions setMaxMetadataSize(int maxMetadataSize) {
    this.maxMetadataSize = Bounds.atLeast("maxMetadataSize", maxMetadataSize, 1);
    return this;
  }

  /** Maximum number of unconsumed response messages of one call. At this number the server stops sending. */
  public int getCallWindow() {
    return callWindow;
  }

  public RdmaGrpcClientOptions setCallWindow(int callWindow) {
    this.callWindow = Bounds.atLeast("callWindow", callWindow, 1);
    return this;
  }

  /**
   * Timeout of calls that set none, including the search for a server and the connect; zero for no deadline. Calls made while serving
   * another call get the remaining time of that call instead, if the server's option {@code deadlinePropagation} is set.
   */
  public Duration getTimeout() {
    return timeout;
  }

  public RdmaGrpcClientOptions setTimeout(Duration timeout) {
    this.timeout = Bounds.atLeast("timeout", timeout, 0);
    return this;
  }

  /** True if the client ends a call at its deadline, with {@code DEADLINE_EXCEEDED}. Otherwise only the server does. */
  public boolean isScheduleDeadline() {
    return scheduleDeadline;
  }

  public RdmaGrpcClientOptions setScheduleDeadline(boolean scheduleDeadline) {
    this.scheduleDeadline = scheduleDeadline;
    return this;
  }

  /**
   * Methods ({@code package.Service/Method}) whose unary calls are repeated after the connection was lost, and may run twice. Unary calls
   * that no server has begun are always repeated.
   */
  public List<String> getIdempotentMethods() {
    return idempotentMethods;
  }

  public RdmaGrpcClientOptions setIdempotentMethods(List<String> idempotentMethods) {
    this.idempotentMethods = List.copyOf(idempotentMethods);
    return this;
  }

  /** Maximum number of attempts of a call, including the first. */
  public int getMaxAttempts() {
    return maxAttempts;
  }

  public RdmaGrpcClientOptions setMaxAttempts(int maxAttempts) {
    this.maxAttempts = Bounds.atLeast("maxAttempts", maxAttempts, 1);
    return this;
  }

  /**
   * Pause before a call is repeated; zero for none. Each further pause is twice as long, up to {@link #getMaxBackoff}, and randomly up to a
   * fifth shorter or longer. A call that no server has begun is repeated without a pause the first time. If the pause would end after the
   * deadline, the call fails immediately.
   */
  public Duration getInitialBackoff() {
    return initialBackoff;
  }

  public RdmaGrpcClientOptions setInitialBackoff(Duration initialBackoff) {
    this.initialBackoff = Bounds.atLeast("initialBackoff", initialBackoff, 0);
    return this;
  }

  /** Maximum pause before a call is repeated. */
  public Duration getMaxBackoff() {
    return maxBackoff;
  }

  public RdmaGrpcClientOptions setMaxBackoff(Duration maxBackoff) {
    this.maxBackoff = Bounds.atLeast("maxBackoff", maxBackoff, 0);
    return this;
  }

  /** Policy for reporting calls as spans to Vert.x's tracer. The default reports calls that are made within a span. */
  public TracingPolicy getTracingPolicy() {
    return tracingPolicy;
  }

  public RdmaGrpcClientOptions setTracingPolicy(TracingPolicy tracingPolicy) {
    this.tracingPolicy = Objects.requireNonNull(tracingPolicy);
    return this;
  }
}
