package io.github.vertxrdma.provider.contract;

import java.util.Map;
import java.util.ServiceLoader;

/** Counts native objects, registered bytes and regions of a provider. A {@link ServiceLoader} service for {@link Leaks}. */
public interface ResourceProbe {

  Map<String, Long> counts();
}
