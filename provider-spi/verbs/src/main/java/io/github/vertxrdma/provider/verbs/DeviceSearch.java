package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Looks for the devices of this machine, and says of each that cannot be used why. */
final class DeviceSearch {
  private final IbVerbs verbs;
  private final RdmaCm cm;
  private final DiscoveryOptions options;
  private final List<Device> devices = new ArrayList<>();
  private final List<Discovery.Unavailable> unavailable = new ArrayList<>();

  /** @param cm null where librdmacm is missing */
  DeviceSearch(IbVerbs verbs, RdmaCm cm, DiscoveryOptions options) {
    this.verbs = verbs;
    this.cm = cm;
    this.options = options;
  }

  Discovery discover() {
    long number = Memory.allocate(8);
    long list = Calls.pointer(verbs.getDeviceList, number);
    int errno = list == 0 ? Errno.last() : 0;
    int count = Memory.getInt(number);
    Memory.free(number);
    if (list == 0) {
      refuse("verbs", "the list of devices cannot be had: " + Errno.describe(errno),
        errno == Errno.ENOSYS ? "load the kernel's modules: modprobe ib_uverbs" : "");
    } else if (count == 0) {
      refuse("verbs", "this machine has no RDMA device", "a network interface can have a software one: 'rdma link add siw0 type siw netdev eth0'"
        + " or '… rxe0 type rxe …'; in a container pass it on: '--device /dev/infiniband'");
    }
    // The list is kept: contexts refer to its entries for as long as the process lives, and there are few.
    Map<String, List<InetAddress>> addresses = count == 0 ? Map.of() : new AddressSearch(cm).addresses();
    for (int i = 0; i < count; i++) {
      long device = Memory.getLong(list + 8L * i);
      String name = Memory.getString(device + DEVICE_NAME);
      String wanted = options.setting("verbs.device", null);
      if (wanted == null || Arrays.asList(wanted.split(" *, *")).contains(name)) {
        look(device, name, addresses.getOrDefault(name, List.of()));
      }
    }
    return new Discovery(devices, unavailable);
  }

  private void look(long device, String name, List<InetAddress> addresses) {
    long context = Calls.pointer(verbs.openDevice, device);
    if (context == 0) {
      int errno = Errno.last();
      refuse("verbs:" + name, "it cannot be opened: " + Errno.describe(errno), remedy(errno));
      return;
    }
    try {
      DeviceAttributes attributes = DeviceAttributes.query(verbs, device, context);
      Port port = attributes == null ? null : choosePort(context, name, attributes);
      if (port == null) {
        return;
      }
      List<Gid> gids = Gid.table(verbs, context, port.number());
      Gid gid = chooseGid(name, gids, addresses);
      if (gid == null && port.link() != LINK_INFINIBAND && !attributes.iwarp()) {
        refuse("verbs:" + name, "port " + port.number() + " has no GID" + gidWanted(gids), "give its network interface an IP address");
        return;
      }
      devices.add(new VerbsDevice(verbs, cm, device, name, attributes, port, gid, addresses, options));
    } finally {
      Calls.number(verbs.closeDevice, context);
    }
  }

  private Port choosePort(long context, String name, DeviceAttributes attributes) {
    String wanted = options.setting("verbs.port", null);
    StringBuilder down = new StringBuilder();
    for (int number = 1; number <= attributes.ports(); number++) {
      if (wanted != null && !wanted.equals(Integer.toString(number))) {
        continue;
      }
      Port port = Port.query(verbs, context, number);
      if (port != null && port.active()) {
        return port;
      }
      down.append(down.isEmpty() ? "" : ", ").append("port ").append(number).append(" is ").append(port == null ? "silent" : port.stateName());
    }
    refuse("verbs:" + name, down.isEmpty() ? "it has no port " + wanted + " (setting verbs.port)" : down.toString(), down.isEmpty()
      ? "its ports are 1 to " + attributes.ports() : "bring its link up: 'ip link set <interface> up', the cable, or the subnet manager");
    return null;
  }

  private Gid chooseGid(String name, List<Gid> gids, List<InetAddress> addresses) {
    String wanted = options.setting("verbs.gid-index", null);
    if (wanted != null) {
      return gids.stream().filter(gid -> wanted.equals(Integer.toString(gid.index()))).findFirst().orElse(null);
    }
    return Gid.choose(gids, addresses.contains(options.host()) ? options.host() : addresses.isEmpty() ? null : addresses.getFirst());
  }

  private String gidWanted(List<Gid> gids) {
    String wanted = options.setting("verbs.gid-index", null);
    return wanted == null ? "" : " with index " + wanted + " (setting verbs.gid-index); it has " + gids;
  }

  private String remedy(int errno) {
    return switch (errno) {
      case Errno.EACCES, Errno.EPERM -> "give this user the right to open /dev/infiniband/uverbs*: a udev rule, or the group that owns them";
      case Errno.ENOENT, Errno.ENODEV -> Files.exists(Path.of("/dev/infiniband"))
        ? "its file in /dev/infiniband is missing: modprobe ib_uverbs" : "/dev/infiniband is missing: modprobe ib_uverbs; in a container pass it on with '--device /dev/infiniband'";
      case Errno.EMFILE -> "raise 'ulimit -n'";
      default -> "";
    };
  }

  private void refuse(String what, String reason, String remedy) {
    unavailable.add(new Discovery.Unavailable(what, reason, remedy));
  }
}
