package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.PortRange;
import io.github.vertxrdma.provider.ffi.KernelDevices;
import io.github.vertxrdma.provider.rdm.RdmDevice;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmLayer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

abstract sealed class FabricDevice implements Device {
  /** Libfabric providers for adapters with connectionless endpoints. */
  private static final Set<String> HARDWARE = Set.of("efa", "cxi", "psm2", "opx");

  private final Libfabric library;
  private final FiInfo info;
  private final String name;
  private final String fabric;
  private final String subnet;
  private final String adapter;
  private volatile List<Path> counterFolders;
  private final Capabilities capabilities;
  private final Limits limits;
  private final PortRange ports;

  private FabricDevice(Libfabric library, FiInfo info, String name, String fabric, String subnet, Capabilities capabilities,
    PortRange ports) {
    this.library = library;
    this.info = info;
    this.name = name;
    this.fabric = fabric;
    this.subnet = subnet;
    this.capabilities = capabilities;
    this.ports = ports;
    limits = FabricCapabilities.limits(info);
    adapter = info.adapter();
  }

  static FabricDevice of(Libfabric library, FiInfo info, String name, String fabric, String subnet, Capabilities capabilities,
    PortRange ports) {
    return info.endpointType() == Fi.EP_MSG
      ? new Msg(library, info, name, fabric, subnet, capabilities, ports)
      : new Rdm(library, info, name, fabric, subnet, capabilities, ports);
  }

  Libfabric library() {
    return library;
  }

  FiInfo info() {
    return info;
  }

  /** Opens a listener on the first free port of the configured range, or at the default address. */
  <T> T listen(Function<EndpointAddress, T> opener) {
    EndpointAddress own = info.source();
    return ports.open(own != null && own.format().equals(EndpointAddress.INET) ? own.toInet().getAddress() : null, opener);
  }

  @Override
  public String provider() {
    return LibfabricProvider.NAME;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String fabric() {
    return fabric;
  }

  @Override
  public String subnet() {
    return subnet;
  }

  @Override
  public Reach reach() {
    return Reach.NETWORK;
  }

  @Override
  public List<Path> counterFolders() {
    if (counterFolders == null) {
      counterFolders = counterFolders(KernelDevices.ADAPTERS);
    }
    return counterFolders;
  }

  /** Returns the folders of the adapter's counters. Empty for an adapter with several ports, because libfabric does not name the port. */
  List<Path> counterFolders(Path adapters) {
    Path folder = folder(adapters);
    return folder == null || Files.exists(folder.resolve("ports/2")) ? List.of() : KernelDevices.counterFolders(folder, 1);
  }

  @Override
  public int numaNode() {
    return numaNode(KernelDevices.ADAPTERS);
  }

  int numaNode(Path adapters) {
    Path folder = folder(adapters);
    return folder == null ? -1 : KernelDevices.numaNode(folder);
  }

  private Path folder(Path adapters) {
    return adapter == null ? null : adapters.resolve(adapter);
  }

  final Capabilities rawCapabilities() {
    return capabilities;
  }

  final Limits rawLimits() {
    return limits;
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public Limits limits() {
    return limits;
  }

  @Override
  public String toString() {
    return name + " (libfabric " + Fi.versionName(library.version()) + ", " + info.provider() + ", " + info.domain() + ")";
  }

  static final class Msg extends FabricDevice {
    private Msg(Libfabric library, FiInfo info, String name, String fabric, String subnet, Capabilities capabilities,
      PortRange ports) {
      super(library, info, name, fabric, subnet, capabilities, ports);
    }

    @Override
    public EndpointType endpointType() {
      return EndpointType.MSG;
    }

    @Override
    public Preference preference() {
      return Preference.MSG;
    }

    @Override
    public Domain open() {
      return new MsgDomain(this);
    }
  }

  static final class Rdm extends FabricDevice implements RdmDevice {
    private Rdm(Libfabric library, FiInfo info, String name, String fabric, String subnet, Capabilities capabilities,
      PortRange ports) {
      super(library, info, name, fabric, subnet, capabilities, ports);
    }

    @Override
    public Preference preference() {
      return HARDWARE.contains(info().provider()) ? Preference.RDMA_HARDWARE : Preference.RDM;
    }

    @Override
    public Capabilities capabilities() {
      return RdmLayer.capabilities(rawCapabilities());
    }

    @Override
    public Limits limits() {
      return RdmLayer.limits(rawLimits());
    }

    @Override
    public RdmDomain openRdm() {
      return new RdmFabricDomain(this);
    }
  }
}
