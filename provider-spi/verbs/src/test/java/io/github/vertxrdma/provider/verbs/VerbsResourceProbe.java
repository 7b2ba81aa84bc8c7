package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.contract.ResourceProbe;
import java.util.Map;

/** Counts resources of this provider; found as a service. */
public final class VerbsResourceProbe implements ResourceProbe {
  @Override
  public Map<String, Long> counts() {
    return NativeObjects.counts();
  }
}
