package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaAuthorizer;
import io.github.vertxrdma.RegionAccess;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Applies a node's authorizer, and names both nodes in refusals. Thread-safe. */
public record Authorization(RdmaAuthorizer authorizer, Supplier<String> self) {
  private static final Logger LOG = LoggerFactory.getLogger(Authorization.class);

  public static final Authorization GROUP = new Authorization(RdmaAuthorizer.GROUP, () -> "");

  public boolean isGroup() {
    return authorizer == RdmaAuthorizer.GROUP;
  }

  /** Returns the error message for a refused node; null if the node may connect. */
  public String refuseConnect(String nodeId, String service) {
    return may(() -> authorizer.mayConnect(nodeId, service)) ? null : refusal(nodeId, "connect to '" + service + "'");
  }

  public Set<RegionAccess> allowed(String nodeId, String region, Set<RegionAccess> access) {
    if (isGroup()) {
      return access;
    }
    Set<RegionAccess> allowed = EnumSet.noneOf(RegionAccess.class);
    access.stream().filter(right -> may(() -> authorizer.mayOpen(nodeId, region, right))).forEach(allowed::add);
    return allowed;
  }

  public String refuseOpen(String nodeId, String region, Set<RegionAccess> access) {
    return refusal(nodeId, "open region '" + region + "' for " + access.stream().sorted().map(right -> switch (right) {
      case READ -> "reading";
      case WRITE -> "writing";
      case ATOMIC -> "atomics";
    }).collect(Collectors.joining(" or ")));
  }

  private String refusal(String nodeId, String what) {
    return "node " + nodeId + " may not " + what + ": the authorizer of node " + self.get() + " refused it";
  }

  private static boolean may(BooleanSupplier permission) {
    try {
      return permission.getAsBoolean();
    } catch (RuntimeException e) {
      LOG.error("The RdmaAuthorizer threw an exception, so the peer is refused", e);
      return false;
    }
  }
}
