package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.Discovery.Unavailable;
import io.github.vertxrdma.provider.IpSubnet;
import io.github.vertxrdma.provider.PortRange;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

final class FabricDiscovery {
  /** Registration modes that this provider supports; fi_mr(3). Without them, libfabric returns devices whose memory peers cannot access. */
  private static final int MR_MODES = Fi.MR_LOCAL | Fi.MR_VIRT_ADDR | Fi.MR_ALLOCATED | Fi.MR_PROV_KEY;
  /** Libfabric providers that are requested by name, or that duplicate the fabrics {@code tcp}, {@code shm} or {@code nio}. */
  private static final Set<String> KNOWN = Set.of("tcp", "tcp;ofi_rxm", "net", "net;ofi_rxm", "shm", "sm2");

  /**
   * Fabric that libfabric 2 lists before {@code efa} for the same device. It is not used, because its messages have at most one packet and
   * arrive in any order; fi_efa(7).
   */
  private static final String EFA_DIRECT = "efa-direct";
  private static final String EFA = "efa";

  /** Describes a defect of rxm_get_addr, which uses the connection of a message before that connection exists. */
  private static final String RXM_CRASH = "with %s the process crashes if messages of a new peer arrive before the peer is registered, as "
    + "with many simultaneous requests to connect";

  private final Libfabric library;
  private final String host;
  private final PortRange ports;
  private final List<Device> devices = new ArrayList<>();
  private final List<Unavailable> unavailable = new ArrayList<>();
  private final Set<String> names = new HashSet<>();

  FabricDiscovery(Libfabric library, String host, PortRange ports) {
    this.library = library;
    this.host = host;
    this.ports = ports;
  }

  Discovery run() {
    String version = "libfabric " + Fi.versionName(library.version) + " (" + library.file + ")";
    if (!named("tcp", "tcp", Fi.EP_MSG)) {
      missing("tcp", version + " offers no connected tcp endpoints on " + host);
    }
    if (rxmCrashes()) {
      unavailable.add(new Unavailable("rxm", RXM_CRASH.formatted(version), "install libfabric 2.4 or newer, or use the fabric tcp"));
    } else if (!named("rxm", "tcp;ofi_rxm", Fi.EP_RDM)) {
      missing("rxm", version + " offers no ofi_rxm over tcp on " + host);
    }
    others(Fi.EP_MSG);
    others(Fi.EP_RDM);
    if (devices.stream().noneMatch(device -> device.fabric().equals(EFA))) {
      unavailable.add(new Unavailable(EFA, "no EFA device, or " + version + " was built without it",
        "on EC2 attach an EFA and run the EFA installer"));
    }
    return new Discovery(devices, unavailable);
  }

  private void missing(String what, String reason) {
    unavailable.add(new Unavailable(what, reason, "install a libfabric that has it, or set VERTX_RDMA_LIBFABRIC to the path of one"));
  }

  private boolean named(String name, String provider, int type) {
    FiInfo first = choose(ask(provider, type, host, Fi.ATOMIC, 0), info -> provider.equals(info.provider()));
    if (first == null) {
      first = choose(ask(provider, type, host, 0, 0), info -> provider.equals(info.provider()));
    }
    if (first == null) {
      return false;
    }
    add(first, name, name, host);
    return true;
  }

  private void others(int type) {
    Set<String> skipped = new HashSet<>();
    for (FiInfo info : ask(null, type, null, 0, 0)) {
      String provider = info.provider();
      String why = refused(provider);
      if (KNOWN.contains(provider) || info.fabric() == null || info.domain() == null || info.fabric().equals(EFA_DIRECT)) {
        info.close();
      } else if (why != null) {
        if (skipped.add(provider) && names.add("skipped " + provider)) {
          unavailable.add(new Unavailable(provider, why, ""));
        }
        info.close();
      } else {
        // The prefix distinguishes this fabric from that of the project's verbs provider, which has another wire protocol.
        String fabric = type == Fi.EP_MSG ? "libfabric-" + provider : provider;
        String name = fabric + ":" + info.domain();
        if (names.contains(name)) {
          info.close();
        } else {
          FiInfo atomic = choose(ask(provider, type, null, Fi.ATOMIC, 0),
            candidate -> candidate.provider().equals(provider) && info.fabric().equals(candidate.fabric())
              && info.domain().equals(candidate.domain()));
          add(atomic == null ? info : atomic, name, fabric, null);
        }
      }
    }
  }

  private boolean rxmCrashes() {
    return library.version >= Fi.version(2, 0) && library.version < Fi.version(2, 4);
  }

  private String refused(String provider) {
    if (provider.contains("ofi_rxm") && rxmCrashes()) {
      return RXM_CRASH.formatted("libfabric " + Fi.versionName(library.version));
    }
    if (provider.equals("sockets")) {
      return "libfabric has replaced it by tcp, and its progress thread slows down event loops that poll";
    }
    if (provider.toLowerCase(Locale.ROOT).startsWith("udp")) {
      return "its atomics never complete, and an invalid key blocks the peer permanently";
    }
    if (provider.contains("ofi_hook") || provider.contains("mrail") || provider.contains("lnx")) {
      return "it is only a layer above another provider";
    }
    return null;
  }

  private void add(FiInfo info, String name, String fabric, String node) {
    names.add(name);
    List<FiInfo> complete = ask(info.provider(), info.endpointType(), node, 0, Fi.DELIVERY_COMPLETE);
    String provider = info.provider();
    boolean deliveryComplete = complete.stream().anyMatch(candidate -> candidate.provider().equals(provider));
    complete.forEach(FiInfo::close);
    // EFA packets do not leave the subnet. EFA addresses do not show the subnet, so the host's subnet is used.
    devices.add(new FabricDevice.Found(library, info, name, fabric, fabric.equals(EFA) ? subnet(host) : "",
      FabricCapabilities.advertised(info, deliveryComplete, isKernelSocket(info, node)), ports).device());
  }

  /** Returns the subnet of an address, such as {@code 10.0.1.0/24}; empty for the loopback address or an unknown subnet. */
  static String subnet(String host) {
    InetAddress address = InetAddress.ofLiteral(host);
    return address.isLoopbackAddress() ? "" : IpSubnet.of(List.of(address)).stream().findFirst().map(IpSubnet::toString).orElse("");
  }

  /** Returns whether kernel sockets carry the data. For a layer such as ofi_rxm, checks the provider below the layer. */
  private boolean isKernelSocket(FiInfo info, String node) {
    int layer = info.provider().indexOf(';');
    if (layer < 0 || FabricCapabilities.isSocketProtocol(info)) {
      return FabricCapabilities.isSocketProtocol(info);
    }
    List<FiInfo> below = ask(info.provider().substring(0, layer), Fi.EP_MSG, node, 0, 0);
    boolean sockets = below.stream().anyMatch(FabricCapabilities::isSocketProtocol);
    below.forEach(FiInfo::close);
    return sockets;
  }

  private List<FiInfo> ask(String provider, int type, String node, long moreCaps, long opFlags) {
    List<FiInfo> found = new ArrayList<>(ask(provider, type, node, moreCaps, opFlags, MR_MODES));
    if (type == Fi.EP_RDM && (found.isEmpty() || provider == null)) {
      // Requested only after the other modes, because binding memory to one endpoint has drawbacks.
      found.addAll(ask(provider, type, node, moreCaps, opFlags, MR_MODES & ~Fi.MR_LOCAL | Fi.MR_ENDPOINT));
    }
    return found;
  }

  /** Calls fi_getinfo(3). Omits devices whose memory peers cannot access. */
  private List<FiInfo> ask(String provider, int type, String node, long moreCaps, long opFlags, int mrModes) {
    try (FiInfo hints = library.hints()) {
      hints.request(provider, type, Fi.MSG | Fi.RMA | moreCaps, mrModes, opFlags);
      List<FiInfo> found = new ArrayList<>();
      for (FiInfo info : library.info(node, hints)) {
        if (FabricCapabilities.isTarget(info)) {
          found.add(info);
        } else {
          info.close();
        }
      }
      return found;
    }
  }

  private static FiInfo choose(List<FiInfo> found, Predicate<FiInfo> wanted) {
    FiInfo first = null;
    for (FiInfo info : found) {
      if (first == null && wanted.test(info)) {
        first = info;
      } else {
        info.close();
      }
    }
    return first;
  }
}
