package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import java.util.List;

/** Current attributes of the device's port. LID, GIDs and MTU may change while the device is open. */
record LocalPort(Port port, Gid gid) {

  /**
   * Reads the attributes.
   *
   * @throws ProviderException {@code UNREACHABLE} if the port is down, or has lost its GID on Ethernet
   */
  static LocalPort read(VerbsDomain domain) {
    VerbsDevice device = domain.device();
    Port port = Port.query(domain.verbs, domain.context, device.port.number());
    if (port == null || !port.active()) {
      throw new ProviderException(ProviderException.Reason.UNREACHABLE, "cannot connect a queue pair of " + device.name() + ": port "
        + device.port.number() + " is " + (port == null ? "in an unknown state" : port.stateName())
        + ". Check its link, or connect over another device");
    }
    List<Gid> gids = Gid.table(domain.verbs, domain.context, port.number());
    Gid gid = VerbsDevice.chooseGid(gids, device.addresses, device.options);
    if (gid == null && port.link() != VerbsLayout.LINK_INFINIBAND) {
      throw new ProviderException(ProviderException.Reason.UNREACHABLE, "cannot connect a queue pair of " + device.name() + ": port "
        + port.number() + " has no GID. Give its network interface an IP address");
    }
    return new LocalPort(port, gid);
  }
}
