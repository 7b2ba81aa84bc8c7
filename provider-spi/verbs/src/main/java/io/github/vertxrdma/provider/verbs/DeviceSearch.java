package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.RootCommand;
import io.github.vertxrdma.provider.ffi.Scratch;
import io.github.vertxrdma.provider.verbs.AddressSearch.BoundPort;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

final class DeviceSearch {
  /** Number of the port whose name is the device's name. The names of the device's other ports end with their numbers. */
  private static final Map<List<Object>, Integer> FIRST = new ConcurrentHashMap<>();

  /** Addresses of the devices in lists that are never freed. */
  private static final Set<Long> KEPT = ConcurrentHashMap.newKeySet();

  private final IbVerbs verbs;
  private Manager manager;
  private final DiscoveryOptions options;
  private final List<Device> devices = new ArrayList<>();
  private final List<Discovery.Unavailable> unavailable = new ArrayList<>();

  DeviceSearch(IbVerbs verbs, Manager wanted, DiscoveryOptions options) {
    this.verbs = verbs;
    manager = wanted;
    this.options = options;
  }

  Discovery discover() {
    DeviceList listed = DeviceList.read(verbs);
    int count = listed.devices.length;
    if (listed.errno != 0) {
      refuse("verbs", "cannot list the devices: " + Errno.describe(listed.errno),
        listed.errno == Errno.ENOSYS ? "load the kernel's modules: " + RootCommand.of("modprobe ib_uverbs") : "");
    } else if (count == 0) {
      unavailable.add(DeviceFiles.noDevice());
    }
    String wanted = options.setting("verbs.device", null);
    Map<BoundPort, List<InetAddress>> addresses = count == 0 || !manager.isUsable() ? null
      : new AddressSearch(manager.cm(), options.host()).addresses();
    if (count > 0 && addresses == null && manager.isUsable()) {
      manager = Manager.none("/dev/infiniband/rdma_cm is missing or not permitted",
        RootCommand.of("modprobe rdma_ucm") + "; in a container pass it on with '--device /dev/infiniband'");
    }
    for (int i = 0; i < count; i++) {
      long device = listed.devices[i];
      String name = Memory.getString(device + DEVICE_NAME);
      if (wanted != null && !Arrays.asList(wanted.split(" *, *")).contains(name)) {
        continue;
      }
      int transport = Memory.getInt(device + DEVICE_TRANSPORT);
      if (transport != TRANSPORT_IB && transport != TRANSPORT_IWARP) {
        refuse("verbs:" + name, "it is neither InfiniBand nor RoCE nor iWARP, so it has no reliable connections",
          "Amazon's EFA is used by libfabric: run 'fi_info -p efa'");
        continue;
      }
      look(device, name, addresses, wanted != null);
    }
    if (wanted == null) {
      leaveVirtualFunctionsOut();
    }
    return new Discovery(devices, unavailable);
  }

  /** Removes virtual functions whose physical function was also found. Otherwise memory would be registered twice with one adapter. */
  private void leaveVirtualFunctionsOut() {
    Set<String> names = devices.stream().map(device -> ((VerbsDevice) device).ibName).collect(Collectors.toSet());
    for (Device device : List.copyOf(devices)) {
      VerbsDevice function = (VerbsDevice) device;
      String physical = physicalFunctions(function).stream().filter(names::contains).findFirst().orElse(null);
      if (physical != null) {
        devices.remove(device);
        refuse(device.name(), "it is a virtual function of " + physical + ", which is used instead", "name it in verbs.device to use it");
      }
    }
  }

  /** Returns the names of a virtual function's physical devices, or an empty set; Documentation/PCI/pci-iov-howto.rst of Linux. */
  private static Set<String> physicalFunctions(VerbsDevice device) {
    String[] names = Path.of(device.sysfs, "device/physfn/infiniband").toFile().list();
    return names == null ? Set.of() : Set.of(names);
  }

  /** Result of ibv_get_device_list(3). A list with a new device is never freed, because domains refer to its entries. */
  private record DeviceList(long[] devices, int errno) {
    static DeviceList read(IbVerbs verbs) {
      long list;
      DeviceList read;
      try (Scratch number = Scratch.of(8)) {
        list = Calls.pointer(verbs.getDeviceList, number.address());
        read = new DeviceList(new long[list == 0 ? 0 : Memory.getInt(number.address())], list == 0 ? Errno.last() : 0);
      }
      boolean known = true;
      for (int i = 0; i < read.devices.length; i++) {
        read.devices[i] = Memory.getLong(list + 8L * i);
        known &= !KEPT.add(read.devices[i]);
      }
      if (list != 0 && known) {
        Calls.number(verbs.freeDeviceList, list);
      }
      return read;
    }
  }

  static long find(IbVerbs verbs, String name) {
    return Arrays.stream(DeviceList.read(verbs).devices).filter(device -> Memory.getString(device + DEVICE_NAME).equals(name)).findFirst()
      .orElse(0);
  }

  /**
   * Adds the usable ports of a device. The best port gets the device's name.
   *
   * @param byPort IP addresses of each port; null without the connection manager
   */
  private void look(long device, String name, Map<BoundPort, List<InetAddress>> byPort, boolean named) {
    long context = Calls.pointer(verbs.openDevice, device);
    if (context == 0) {
      int errno = DeviceFiles.errno(Errno.last());
      refuse("verbs:" + name, "it cannot be opened: " + Errno.describe(errno), DeviceFiles.remedy(errno));
      return;
    }
    try {
      DeviceAttributes attributes = DeviceAttributes.query(verbs, device, context);
      if (attributes == null) {
        return;
      }
      List<FoundPort> found = new ArrayList<>();
      for (Port port : activePorts(context, name, attributes)) {
        List<Gid> gids = Gid.table(verbs, context, port.number());
        List<InetAddress> addresses = byPort == null ? Gid.localAddresses(gids)
          : byPort.getOrDefault(new BoundPort(name, port.number()), List.of());
        found.add(new FoundPort(port, gids, addresses));
      }
      found.sort(Comparator.comparing((FoundPort port) -> !port.addresses.contains(options.host()))
        .thenComparing(port -> port.addresses.isEmpty()).thenComparing(port -> -port.port.speed()));
      List<Object> choice = List.of(name, options);
      for (FoundPort port : found) {
        int first = FIRST.getOrDefault(choice, port.port.number());
        String portName = first == port.port.number() ? name : name + ':' + port.port.number();
        if (isUsable(portName, attributes, port, named)) {
          FIRST.put(choice, first);
          devices.add(new VerbsDevice(verbs, manager, device, name, portName, attributes, port.port, port.gid(options), port.addresses,
            options));
        }
      }
    } finally {
      Calls.number(verbs.closeDevice, context);
    }
  }

  private record FoundPort(Port port, List<Gid> gids, List<InetAddress> addresses) {
    Gid gid(DiscoveryOptions options) {
      return VerbsDevice.chooseGid(gids, addresses, options);
    }
  }

  private boolean isUsable(String portName, DeviceAttributes attributes, FoundPort found, boolean named) {
    String name = "verbs:" + portName;
    boolean infiniband = found.port.link() == LINK_INFINIBAND;
    boolean hasAddress = !found.addresses.isEmpty();
    String address = "give its network interface one ('" + RootCommand.of("ip address add") + "'), or start the process in the "
      + "network namespace that has it";
    if (attributes.iwarp() && !manager.isUsable()) {
      refuse(name, manager.missing() + ", and iWARP needs the connection manager",
        manager.remedy() == null ? "remove that setting" : manager.remedy());
      return false;
    }
    if (!hasAddress && !named && !infiniband) {
      refuseForNow(name, "no IP address of this network namespace belongs to it", address);
      return false;
    }
    String missing = !manager.isUsable() ? manager.missing() : infiniband && !hasAddress
      ? "no IP address (IPoIB) of this network namespace belongs to it" : null;
    String remedy = manager.isUsable() ? address : manager.remedy();
    if (missing != null && remedy != null) {
      refuse(name + " by IP address", missing + ", so connections by host and port are impossible; connections by name "
        + "work, since nodes exchange the addresses of their queue pairs", remedy);
    }
    if (found.gid(options) == null && !infiniband && !attributes.iwarp()) {
      refuseForNow(name, "port " + found.port.number() + " has no GID" + gidWanted(found.gids), "give its network interface an IP address");
      return false;
    }
    return true;
  }

  private List<Port> activePorts(long context, String name, DeviceAttributes attributes) {
    String wanted = options.setting("verbs.port", null);
    List<Port> active = new ArrayList<>();
    List<String> down = new ArrayList<>();
    for (int number = 1; number <= attributes.ports(); number++) {
      if (wanted != null && !wanted.equals(Integer.toString(number))) {
        continue;
      }
      Port port = Port.query(verbs, context, number);
      if (port != null && port.active()) {
        active.add(port);
      } else {
        down.add("port " + number + " is " + (port == null ? "in an unknown state" : port.stateName()));
      }
    }
    if (!down.isEmpty()) {
      refuseForNow("verbs:" + name, String.join(", ", down),
        "bring its link up with '" + RootCommand.of("ip link set <interface> up") + "', or check the cable or the subnet manager");
    } else if (active.isEmpty()) {
      refuse("verbs:" + name, "it has no port " + wanted + " (setting verbs.port)", "its ports are 1 to " + attributes.ports());
    }
    return active;
  }

  private String gidWanted(List<Gid> gids) {
    String wanted = options.setting("verbs.gid-index", null);
    return wanted == null ? "" : " with index " + wanted + " (setting verbs.gid-index); it has " + gids;
  }

  private void refuse(String what, String reason, String remedy) {
    unavailable.add(new Discovery.Unavailable(what, reason, remedy));
  }

  private void refuseForNow(String what, String reason, String remedy) {
    unavailable.add(new Discovery.Unavailable(what, reason, remedy, true));
  }
}
