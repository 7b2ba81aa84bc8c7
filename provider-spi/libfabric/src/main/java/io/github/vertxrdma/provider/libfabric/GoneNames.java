package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import java.util.HashSet;
import java.util.Set;

/**
 * Names that applications chose, of endpoints that are closed: the provider never forgets a name, and hands out what is no longer there. As many
 * are remembered as there may be, beyond which a further one is refused. Confined to its owner's lock.
 */
final class GoneNames {
  private static final int MOST = 1024;

  private final Set<EndpointAddress> names = new HashSet<>();

  /** @throws ProviderException {@code LIMIT} if the name is a new one, and too many others were chosen before */
  void check(EndpointAddress name) {
    if (names.size() >= MOST && !names.contains(name)) {
      throw new ProviderException(ProviderException.Reason.LIMIT, name + " cannot be opened: this process has closed " + MOST
        + " endpoints of names of its own — choose one of those again, or none for any");
    }
  }

  void add(EndpointAddress name) {
    names.add(name);
  }

  boolean has(EndpointAddress name) {
    return names.contains(name);
  }
}
