package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Shared-memory endpoints of this process that know each other. The provider gives endpoints of one process each other's memory as it
 * is, so destroying one under the feet of another ends the process at the other's next step. Therefore a closed endpoint rests, unpolled
 * and unposted, until all that know it are closed as well; then they are destroyed together. Endpoints of other processes map the memory
 * for themselves and are not concerned. Used from any thread, off the hot path.
 */
final class LocalEndpoints {
  /** By name without scheme. */
  private static final Map<EndpointAddress, RdmFabricEndpoint> OPEN = new HashMap<>();
  private static final Map<RdmFabricEndpoint, Set<RdmFabricEndpoint>> ACQUAINTED = new HashMap<>();
  private static final Set<RdmFabricEndpoint> RESTING = new HashSet<>();
  /** Names of closed endpoints; those that {@link SharedMemoryNames} gave are known by their number. */
  private static final GoneNames GONE = new GoneNames();

  private LocalEndpoints() {
  }

  static synchronized void opened(RdmFabricEndpoint endpoint) {
    OPEN.put(SharedMemoryNames.plain(endpoint.localAddress()), endpoint);
    ACQUAINTED.put(endpoint, new HashSet<>());
  }

  /**
   * Checks a name that an application chose, without scheme.
   *
   * @throws ProviderException {@code ADDRESS_IN_USE} if an endpoint of this process has it, {@code LIMIT} if too many others were chosen before
   */
  static synchronized void checkFree(EndpointAddress address) {
    if (OPEN.containsKey(address)) {
      throw new ProviderException(ProviderException.Reason.ADDRESS_IN_USE, address + " is in use by another endpoint of this process"
        + " — choose another name, or none for any");
    }
    GONE.check(address);
  }

  /**
   * One is to know another.
   *
   * @return the other if it is of this process, else null
   * @throws ProviderException {@code UNREACHABLE} if it was, and is closed
   */
  static synchronized RdmFabricEndpoint acquaint(RdmFabricEndpoint endpoint, EndpointAddress address) {
    RdmFabricEndpoint other = OPEN.get(SharedMemoryNames.plain(address));
    if (other != null) {
      if (ACQUAINTED.get(endpoint).add(other) && other != endpoint) {
        other.greet(endpoint.localAddress());
      }
      ACQUAINTED.get(other).add(endpoint);
    } else if (isGone(address)) {
      throw new ProviderException(ProviderException.Reason.UNREACHABLE, address + " was an endpoint of this process and is closed");
    }
    return other;
  }

  /** Tells whether an endpoint that is not open has had that name. */
  private static boolean isGone(EndpointAddress address) {
    return SharedMemoryNames.gave(address) || GONE.has(SharedMemoryNames.plain(address));
  }

  /** It is closed: it is destroyed now or later, together with those that it knows. */
  static synchronized void closed(RdmFabricEndpoint endpoint) {
    EndpointAddress name = SharedMemoryNames.plain(endpoint.localAddress());
    OPEN.remove(name);
    if (!SharedMemoryNames.gave(name)) {
      GONE.add(name);
    }
    RESTING.add(endpoint);
    Set<RdmFabricEndpoint> ending = new HashSet<>(RESTING);
    while (ending.removeIf(resting -> !ending.containsAll(ACQUAINTED.get(resting)))) {
      // One that must stay keeps those that it knows.
    }
    List<RdmFabricEndpoint> all = new ArrayList<>(ending);
    all.forEach(RdmFabricEndpoint::destroyEndpoint);
    all.forEach(RdmFabricEndpoint::destroyVector);
    RESTING.removeAll(ending);
    ending.forEach(ACQUAINTED::remove);
  }
}
