package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.contract.ResourceProbe;
import java.util.Map;

/** Counts libfabric objects, so that the contract finds one that a test left open. */
public final class FidProbe implements ResourceProbe {
  @Override
  public Map<String, Long> counts() {
    return Map.of("libfabric objects", (long) Fid.open());
  }
}
