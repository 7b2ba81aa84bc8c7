package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.impl.process.Setting;

/** The policies by name. */
public enum PollPolicies {
  /** Sleeps as soon as it finds nothing: the least processor time, and a wake-up by the kernel in each latency. */
  BLOCKING,
  /** Measures whether polling on pays. */
  ADAPTIVE,
  /** Never sleeps while the loop has a completion queue: for loops that have a core to themselves. */
  BUSY;

  /**
   * System property, and environment variable {@code VERTX_RDMA_POLL}: the policy of all event loops, {@code blocking}, {@code adaptive}
   * (the default) or {@code busy}.
   */
  public static final String PROPERTY = "vertx.rdma.poll";

  /** Returns a new one for one loop. */
  PollPolicy create() {
    return switch (this) {
      case BLOCKING -> new BlockingPolicy();
      case ADAPTIVE -> new AdaptivePolicy();
      case BUSY -> new BusyPolicy();
    };
  }

  /** @throws IllegalArgumentException if what is set names none */
  public static PollPolicies configured() {
    String set = Setting.of(PROPERTY);
    String name = set == null ? "adaptive" : set;
    for (PollPolicies policy : values()) {
      if (policy.name().equalsIgnoreCase(name)) {
        return policy;
      }
    }
    throw new IllegalArgumentException(PROPERTY + " (" + Setting.variable(PROPERTY) + ") is '" + name
      + "', which names no poll policy; there are blocking, adaptive and busy");
  }
}
