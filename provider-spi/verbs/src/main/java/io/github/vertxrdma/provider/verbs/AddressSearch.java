package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the device of each IP address, by binding to each address with the connection manager. It knows VLANs, bonds, IPoIB and software
 * devices, which have no common form in sysfs.
 */
final class AddressSearch {
  /** IPv4 before IPv6, link-local addresses last. */
  static final Comparator<InetAddress> BEST_FIRST = Comparator.comparingInt(AddressSearch::rank);

  private final RdmaCm cm;

  AddressSearch(RdmaCm cm) {
    this.cm = cm;
  }

  /** Returns addresses by name of device, IPv4 before IPv6 and link-local addresses last; null if the connection manager cannot be used. */
  Map<String, List<InetAddress>> addresses() {
    long channel = cm == null ? 0 : Calls.pointer(cm.createEventChannel);
    if (channel == 0) {
      return null;
    }
    Map<String, List<InetAddress>> found = new HashMap<>();
    try {
      for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        if (!network.isLoopback() && network.isUp()) {
          for (InetAddress address : Collections.list(network.getInetAddresses())) {
            String device = device(channel, address);
            if (device != null) {
              found.computeIfAbsent(device, name -> new ArrayList<>()).add(address);
            }
          }
        }
      }
    } catch (SocketException e) {
      // Without interfaces there are no addresses. Queue pairs can still be connected without the connection manager.
    } finally {
      Calls.pointer(cm.destroyEventChannel, channel);
    }
    found.values().forEach(list -> list.sort(BEST_FIRST));
    return found;
  }

  private static int rank(InetAddress address) {
    return (address.isLinkLocalAddress() ? 2 : 0) + (address instanceof Inet4Address ? 0 : 1);
  }

  private String device(long channel, InetAddress address) {
    long id = Memory.allocate(8);
    long socket = Memory.allocate(SocketAddresses.ROOM);
    try {
      if (Calls.number(cm.createId, channel, id, 0, CmLayout.PS_TCP) != 0) {
        return null;
      }
      long cmId = Memory.getLong(id);
      SocketAddresses.write(socket, new InetSocketAddress(address, 0));
      String name = null;
      if (Calls.number(cm.bindAddr, cmId, socket) == 0) {
        name = deviceOf(cmId);
      }
      Calls.number(cm.destroyId, cmId);
      return name;
    } finally {
      Memory.free(socket);
      Memory.free(id);
    }
  }

  /** Returns the name of the device that an id is bound to, or null if it is bound to none. */
  static String deviceOf(long cmId) {
    long context = Memory.getLong(cmId + CmLayout.ID_VERBS);
    return context == 0 ? null : Memory.getString(Memory.getLong(context + VerbsLayout.CONTEXT_DEVICE) + VerbsLayout.DEVICE_NAME);
  }
}
