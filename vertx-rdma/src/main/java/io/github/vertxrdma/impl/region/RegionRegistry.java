package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.impl.peers.Authorization;
import io.github.vertxrdma.impl.peers.EntryJson;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.github.vertxrdma.provider.Domain;
import io.vertx.core.Future;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

public final class RegionRegistry {
  private static final Logger LOG = LoggerFactory.getLogger(RegionRegistry.class);

  public interface Listener {
    Listener NONE = new Listener() {
    };

    default void keysChanged(OwnedRegion region) {
    }

    default Authorization authorization() {
      return Authorization.GROUP;
    }

    default void refused(Reason reason, String why) {
    }

    /**
     * Called when the revocation of a region begins.
     *
     * @return completes when the region is no longer published; fails after {@code timeoutMillis}
     */
    default Future<Void> closing(OwnedRegion region, long timeoutMillis) {
      return Future.succeededFuture();
    }
  }

  private final Supplier<LoopHost> hosts;
  final Listener listener;
  final Registrations registrations = new Registrations();
  private final Map<Long, OwnedRegion> regions = new ConcurrentHashMap<>();

  /** @param hosts returns a host with its own queue of blocking calls, so that regions do not delay each other */
  public RegionRegistry(Supplier<LoopHost> hosts, Listener listener) {
    this.hosts = hosts;
    this.listener = listener;
  }

  /**
   * Creates a region on a worker thread. Registers a named region on devices.
   *
   * @param given checked memory of the application, or null to allocate
   * @param domains devices to choose from, best first
   * @return fails with {@link RdmaException}; devices that refuse are skipped with a warning unless the options name them
   */
  public Future<OwnedRegion> share(Caller caller, RegionOptions options, MemorySegment given, List<Domain> domains) {
    LoopHost host = hosts.get();
    return host.blocking(() -> make(host, caller, options, given, domains));
  }

  private OwnedRegion make(LoopHost host, Caller caller, RegionOptions options, MemorySegment given, List<Domain> domains) {
    if (!options.getName().isEmpty()) {
      EntryJson.name("region", options.getName());
    }
    String label = options.getName().isEmpty() ? "a region without name" : "region '" + options.getName() + "'";
    List<Domain> chosen = options.getName().isEmpty() ? List.of() : choose(label, options.getFabrics(), domains);
    List<Domain> homes = chosen.isEmpty() ? domains : chosen;
    RegionMemory memory = given != null ? RegionMemory.of(host, given)
      : RegionMemory.allocate(host, label, homes.isEmpty() ? null : homes.getFirst(),
        Registrations.access(options.getAccess(), true), options.getSize(), options.getFile());
    List<Exposure> exposed = new ArrayList<>();
    try {
      String authority = authority(options, chosen);
      for (Domain domain : chosen) {
        expose(label, options, authority, memory, domain, exposed);
      }
      if (!chosen.isEmpty() && exposed.isEmpty()) {
        throw new RdmaException(Reason.LIMIT, label + " could not be registered on any device. The log has the reason of each device");
      }
      OwnedRegion region = new OwnedRegion(this, host, caller, options, host.random().nextLong(), authority, memory, exposed);
      regions.put(region.id(), region);
      return region;
    } catch (RuntimeException e) {
      exposed.forEach(exposure -> exposure.registration().close());
      memory.close(label);
      throw e;
    }
  }

  private void expose(String label, RegionOptions options, String authority, RegionMemory memory, Domain domain, List<Exposure> exposed) {
    try {
      exposed.add(registrations.expose(domain, memory.segment(), options.getAccess(), authority));
    } catch (RuntimeException e) {
      String why = label + " (" + memory.size() + " bytes) could not be registered on " + domain.device().name() + ": " + e.getMessage();
      if (!options.getFabrics().isEmpty()) {
        throw new RdmaException(Reason.LIMIT, why, e);
      }
      LOG.warn(why + "; peers cannot use it over that device");
    }
  }

  private static List<Domain> choose(String label, List<String> names, List<Domain> domains) {
    if (names.isEmpty()) {
      return domains;
    }
    List<Domain> chosen = new ArrayList<>();
    for (String name : names) {
      List<Domain> named = domains.stream().filter(d -> d.device().name().equals(name) || d.device().fabric().equals(name)).toList();
      if (named.isEmpty()) {
        throw new RdmaException(Reason.UNREACHABLE, label + " cannot be shared over '" + name + "', which is not a device or fabric "
          + "of this node. This node has "
          + domains.stream().map(d -> d.device().name()).toList());
      }
      named.stream().filter(domain -> !chosen.contains(domain)).forEach(chosen::add);
    }
    return chosen;
  }

  /**
   * Returns what executes the region's atomics: the device if the region is on one device only, whose hardware executes atomics. Otherwise
   * the processor, whose atomics exclude each other on all fabrics.
   */
  private static String authority(RegionOptions options, List<Domain> chosen) {
    if (options.isOwnerAtomics()) {
      return RegionEntry.OWNER;
    }
    boolean device = options.getAccess().contains(RegionAccess.ATOMIC) && chosen.size() == 1
      && chosen.getFirst().capabilities().atomics() && !chosen.getFirst().capabilities().processorAtomics();
    return device ? chosen.getFirst().device().fabric() : RegionEntry.PROCESSOR;
  }

  public OwnedRegion find(long regionId) {
    OwnedRegion region = regions.get(regionId);
    return region != null && region.isOpen() ? region : null;
  }

  public List<OwnedRegion> regions() {
    return regions.values().stream().filter(OwnedRegion::isOpen).toList();
  }

  public Future<Void> exposeAgain(List<Domain> domains) {
    return Future.join(regions().stream().map(region -> region.exposures.exposeAgain(domains)).toList()).mapEmpty();
  }

  void closed(OwnedRegion region) {
    regions.remove(region.id());
  }

  public Future<Void> closeAll() {
    return Future.join(regions.values().stream().map(OwnedRegion::close).toList()).mapEmpty();
  }
}
