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

  final Libfabric library;
  final FiInfo info;
  final Found found;
  /** Limits without those of {@link RdmLayer}. */
  final Limits limits;
  private volatile List<Path> counterFolders;

  record Found(Libfabric library, FiInfo info, String name, String fabric, String subnet, Capabilities capabilities, PortRange ports) {
    FabricDevice device() {
      return info.endpointType() == Fi.EP_MSG ? new Msg(this) : new Rdm(this);
    }
  }

  private FabricDevice(Found found) {
    this.found = found;
    library = found.library;
    info = found.info;
    limits = FabricCapabilities.limits(info);
  }

  /** Opens a listener on the first free port of the configured range, or at the default address. */
  <T> T listen(Function<EndpointAddress, T> opener) {
    EndpointAddress own = info.source();
    return found.ports.open(own != null && own.format().equals(EndpointAddress.INET) ? own.toInet().getAddress() : null, opener);
  }

  /**
   * Returns whether fi_shutdown(3) and fi_close(3) free the entry of a read twice if its answer is arriving, as tcp 1.17 does.
   * Two operations would then share the entry. If the socket is shut down first, the entry is freed once.
   */
  boolean freesReadsTwice() {
    return info.provider().equals("tcp") && library.version < Fi.version(1, 18);
  }

  @Override
  public String provider() {
    return LibfabricProvider.NAME;
  }

  @Override
  public String name() {
    return found.name;
  }

  @Override
  public String fabric() {
    return found.fabric;
  }

  @Override
  public String subnet() {
    return found.subnet;
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
    String adapter = info.adapter();
    return adapter == null ? null : adapters.resolve(adapter);
  }

  @Override
  public Capabilities capabilities() {
    return found.capabilities;
  }

  @Override
  public Limits limits() {
    return limits;
  }

  @Override
  public String toString() {
    return found.name + " (libfabric " + Fi.versionName(library.version) + ", " + info.provider() + ", " + info.domain() + ")";
  }

  static final class Msg extends FabricDevice {
    private Msg(Found found) {
      super(found);
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
    private Rdm(Found found) {
      super(found);
    }

    @Override
    public Preference preference() {
      return HARDWARE.contains(info.provider()) ? Preference.RDMA_HARDWARE : Preference.RDM;
    }

    @Override
    public Capabilities capabilities() {
      return RdmLayer.capabilities(super.capabilities());
    }

    @Override
    public Limits limits() {
      return RdmLayer.limits(limits);
    }

    @Override
    public RdmDomain openRdm() {
      return new RdmFabricDomain(this);
    }
  }
}
