package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.impl.process.Setting;

public enum PollPolicies {
  /** Least processor time, highest latency. */
  BLOCKING,
  ADAPTIVE,
  /** Never sleeps while the loop has a completion queue. For loops with their own core. */
  BUSY;

  /**
   * System property and environment variable VERTX_RDMA_POLL: how event loops wait for messages. {@code blocking} sleeps, {@code busy}
   * polls without sleeping, {@code adaptive} (the default) measures which of these is faster.
   */
  public static final String PROPERTY = "vertx.rdma.poll";

  PollPolicy create() {
    return switch (this) {
      case BLOCKING -> new PollPolicy() {};
      case ADAPTIVE -> new AdaptivePolicy();
      case BUSY -> new BusyPolicy();
    };
  }

  public static PollPolicies configured() {
    String set = Setting.of(PROPERTY);
    String name = set == null ? "adaptive" : set;
    for (PollPolicies policy : values()) {
      if (policy.name().equalsIgnoreCase(name)) {
        return policy;
      }
    }
    throw new IllegalArgumentException(PROPERTY + " (" + Setting.variable(PROPERTY) + ") is '" + name
      + "', which is not a poll policy. Use blocking, adaptive or busy");
  }
}
