package io.github.vertxrdma.grpc;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.grpc.server.GrpcProtocol;
import io.vertx.grpc.server.GrpcServerOptions;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/** Options of an {@link RdmaGrpcServer}. */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaGrpcServerOptions {
  public static final int DEFAULT_MAX_MESSAGE_SIZE = 4 << 20;
  public static final int DEFAULT_MAX_METADATA_SIZE = 8 << 10;
  public static final int DEFAULT_CALL_WINDOW = 16;
  public static final int DEFAULT_MAX_CALLS = 1_000;

  private int maxMessageSize = DEFAULT_MAX_MESSAGE_SIZE;
  private int maxMetadataSize = DEFAULT_MAX_METADATA_SIZE;
  private int callWindow = DEFAULT_CALL_WINDOW;
  private int maxCalls = DEFAULT_MAX_CALLS;
  private boolean scheduleDeadline = true;
  private boolean deadlinePropagation = true;
  private TracingPolicy tracingPolicy = TracingPolicy.PROPAGATE;
  private Set<GrpcProtocol> enabledProtocols = EnumSet.copyOf(GrpcServerOptions.DEFAULT_ENABLED_PROTOCOLS);

  public RdmaGrpcServerOptions() {
  }

  public RdmaGrpcServerOptions(RdmaGrpcServerOptions other) {
    this(other.toJson());
  }

  public RdmaGrpcServerOptions(JsonObject json) {
    RdmaGrpcServerOptionsConverter.fromJson(JsonKeys.known(RdmaGrpcServerOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RdmaGrpcServerOptionsConverter.toJson(this, json);
    return json;
  }

  /**
   * Maximum bytes of a request message. {@link io.github.vertxrdma.RdmaOptions#getMaxMessageSize} also applies. A longer message ends its
   * call with {@code RESOURCE_EXHAUSTED}.
   */
  public int getMaxMessageSize() {
    return maxMessageSize;
  }

  public RdmaGrpcServerOptions setMaxMessageSize(int maxMessageSize) {
    this.maxMessageSize = Bounds.atLeast("maxMessageSize", maxMessageSize, 1);
    return this;
  }

  /** Maximum bytes of the headers of a request. Longer ones end their call with {@code RESOURCE_EXHAUSTED}. */
  public int getMaxMetadataSize() {
    return maxMetadataSize;
  }

  public RdmaGrpcServerOptions setMaxMetadataSize(int maxMetadataSize) {
    this.maxMetadataSize = Bounds.atLeast("maxMetadataSize", maxMetadataSize, 1);
    return this;
  }

  /** Maximum number of unconsumed request messages of one call. At this number the client stops sending. */
  public int getCallWindow() {
    return callWindow;
  }

  public RdmaGrpcServerOptions setCallWindow(int callWindow) {
    this.callWindow = Bounds.atLeast("callWindow", callWindow, 1);
    return this;
  }

  /** Maximum number of calls in flight on each connection. Further calls wait at their client. */
  public int getMaxCalls() {
    return maxCalls;
  }

  public RdmaGrpcServerOptions setMaxCalls(int maxCalls) {
    this.maxCalls = Bounds.atLeast("maxCalls", maxCalls, 1);
    return this;
  }

  /** True if the server ends a call at its deadline, with {@code DEADLINE_EXCEEDED}. */
  public boolean isScheduleDeadline() {
    return scheduleDeadline;
  }

  public RdmaGrpcServerOptions setScheduleDeadline(boolean scheduleDeadline) {
    this.scheduleDeadline = scheduleDeadline;
    return this;
  }

  /** True if calls that a handler makes get the remaining time of the served call as timeout. */
  public boolean isDeadlinePropagation() {
    return deadlinePropagation;
  }

  public RdmaGrpcServerOptions setDeadlinePropagation(boolean deadlinePropagation) {
    this.deadlinePropagation = deadlinePropagation;
    return this;
  }

  /**
   * Protocols of gRPC over HTTP that the server serves. Requests in other protocols receive status 415. Calls over RDMA are always served.
   */
  public Set<GrpcProtocol> getEnabledProtocols() {
    return Set.copyOf(enabledProtocols);
  }

  public RdmaGrpcServerOptions setEnabledProtocols(Set<GrpcProtocol> enabledProtocols) {
    this.enabledProtocols = EnumSet.noneOf(GrpcProtocol.class);
    this.enabledProtocols.addAll(enabledProtocols);
    return this;
  }

  public boolean isProtocolEnabled(GrpcProtocol protocol) {
    return enabledProtocols.contains(protocol);
  }

  public RdmaGrpcServerOptions addEnabledProtocol(GrpcProtocol protocol) {
    enabledProtocols.add(protocol);
    return this;
  }

  public RdmaGrpcServerOptions removeEnabledProtocol(GrpcProtocol protocol) {
    enabledProtocols.remove(protocol);
    return this;
  }

  /** Policy for reporting served calls as spans to Vert.x's tracer. The default reports calls that arrive with a span. */
  public TracingPolicy getTracingPolicy() {
    return tracingPolicy;
  }

  public RdmaGrpcServerOptions setTracingPolicy(TracingPolicy tracingPolicy) {
    this.tracingPolicy = Objects.requireNonNull(tracingPolicy);
    return this;
  }
}
