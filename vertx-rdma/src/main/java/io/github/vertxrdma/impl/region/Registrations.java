package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.impl.process.FlightEvents;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Registers memory under keys that were not revoked recently. A device may assign a revoked key again, with which a former holder could
 * access the memory. Thread-safe. Registering blocks.
 */
final class Registrations {
  private static final int REMEMBERED = 4096;
  private static final int ATTEMPTS = 64;

  private final Map<Domain, LinkedHashSet<ByteBuffer>> revoked = new HashMap<>();

  static Set<Access> access(Set<RegionAccess> rights, boolean fabricAtomics) {
    Set<Access> access = EnumSet.noneOf(Access.class);
    if (rights.contains(RegionAccess.READ)) {
      access.add(Access.REMOTE_READ);
    }
    if (rights.contains(RegionAccess.WRITE)) {
      access.addAll(Set.of(Access.REMOTE_WRITE, Access.LOCAL_WRITE));
    }
    if (fabricAtomics && rights.contains(RegionAccess.ATOMIC)) {
      access.addAll(Set.of(Access.REMOTE_ATOMIC, Access.LOCAL_WRITE));
    }
    return access;
  }

  /** Registers memory for peers with certain rights. @param authority executor of the region's atomics */
  Exposure expose(Domain domain, MemorySegment memory, Set<RegionAccess> rights, String authority) {
    return new Exposure(domain, register(domain, memory, access(rights, Strategies.byFabric(domain, authority))));
  }

  /** @throws RdmaException {@code LIMIT}, or {@code ACCESS_DENIED} if the device refuses the memory */
  MemoryRegion register(Domain domain, MemorySegment memory, Set<Access> access) {
    List<MemoryRegion> withRevokedKeys = new ArrayList<>();
    try {
      for (int i = 0; i < ATTEMPTS; i++) {
        MemoryRegion registration = FlightEvents.register(domain, memory, access);
        if (!isRevoked(domain, registration)) {
          return registration;
        }
        withRevokedKeys.add(registration);
      }
      throw new RdmaException(Reason.LIMIT, domain.device().name() + ": " + ATTEMPTS
        + " registrations in a row returned keys of recently revoked regions. Close some regions, or share fewer and larger ones");
    } catch (ProviderException e) {
      throw new RdmaException(e.reason() == ProviderException.Reason.LIMIT ? Reason.LIMIT : Reason.ACCESS_DENIED, e.getMessage(), e);
    } finally {
      withRevokedKeys.forEach(MemoryRegion::close);
    }
  }

  private synchronized boolean isRevoked(Domain domain, MemoryRegion registration) {
    Set<ByteBuffer> keys = revoked.get(domain);
    return keys != null && keys.contains(ByteBuffer.wrap(registration.remoteKey()));
  }

  /** Deregisters memory and remembers its key, unless the key has no rights. */
  void deregister(Domain domain, MemoryRegion registration) {
    if (!registration.access().isEmpty()) {
      remember(domain, registration);
    }
    registration.close();
  }

  private synchronized void remember(Domain domain, MemoryRegion registration) {
    LinkedHashSet<ByteBuffer> keys = revoked.computeIfAbsent(domain, d -> new LinkedHashSet<>());
    keys.addLast(ByteBuffer.wrap(registration.remoteKey()));
    if (keys.size() > REMEMBERED) {
      keys.removeFirst();
    }
  }
}
