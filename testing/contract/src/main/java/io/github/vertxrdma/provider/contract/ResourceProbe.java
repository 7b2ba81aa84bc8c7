package io.github.vertxrdma.provider.contract;

import java.util.Map;
import java.util.ServiceLoader;

/** Counts a provider's native objects, registered bytes and regions. A {@link ServiceLoader} service for {@link Leaks}. */
public interface ResourceProbe {

  Map<String, Long> counts();
}
