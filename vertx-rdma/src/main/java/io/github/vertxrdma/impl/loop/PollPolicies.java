package io.github.vertxrdma.impl.loop;

import java.util.function.Supplier;

/** The policies by name. */
public enum PollPolicies implements Supplier<PollPolicy> {
  /** Sleeps as soon as it finds nothing. */
  BLOCKING {
    @Override
    public PollPolicy get() {
      return new BlockingPolicy();
    }
  },
  /** Polls on where it pays. */
  ADAPTIVE {
    @Override
    public PollPolicy get() {
      return new AdaptivePolicy();
    }
  },
  /** Never sleeps. */
  BUSY {
    @Override
    public PollPolicy get() {
      return new BusyPolicy();
    }
  };

  /** The system property that names the policy of all event loops: {@code blocking}, {@code adaptive} (the default) or {@code busy}. */
  public static final String PROPERTY = "vertx.rdma.poll";

  /** @throws IllegalArgumentException if the property names none */
  public static PollPolicies configured() {
    String name = System.getProperty(PROPERTY, "adaptive");
    for (PollPolicies policy : values()) {
      if (policy.name().equalsIgnoreCase(name)) {
        return policy;
      }
    }
    throw new IllegalArgumentException("-D" + PROPERTY + "=" + name + " names no poll policy; there are blocking, adaptive and busy");
  }
}
