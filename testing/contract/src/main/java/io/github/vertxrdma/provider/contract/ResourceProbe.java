package io.github.vertxrdma.provider.contract;

import java.util.Map;
import java.util.ServiceLoader;

/**
 * Counts what a provider holds: native objects, registered bytes, regions. A provider's tests offer one as a {@link ServiceLoader}
 * service, and {@link Leaks} compares its counts before and after each test.
 */
public interface ResourceProbe {

  /** The number of each counted resource now. */
  Map<String, Long> counts();
}
