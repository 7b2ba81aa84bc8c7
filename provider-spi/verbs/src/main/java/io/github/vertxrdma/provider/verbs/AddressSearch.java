package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import java.net.Inet4Address;
import java.net.Inet6Address;
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
 * Finds the device port of each local IP address by binding a connection manager id to the address. Unlike sysfs, this works for VLANs,
 * bonds, IPoIB and software devices.
 */
final class AddressSearch {
  /** Orders IPv4 addresses before IPv6, and link-local addresses last. */
  static final Comparator<InetAddress> BEST_FIRST = Comparator.comparingInt(AddressSearch::rank);

  private final RdmaCm cm;
  private final InetAddress wanted;

  record BoundPort(String device, int number) {
    @Override
    public String toString() {
      return device + " port " + number;
    }
  }

  AddressSearch(RdmaCm cm, InetAddress wanted) {
    this.cm = cm;
    this.wanted = wanted;
  }

  /** Returns the addresses of each port in {@link #BEST_FIRST} order, or null without the connection manager. */
  Map<BoundPort, List<InetAddress>> addresses() {
    long channel = cm == null ? 0 : Calls.pointer(cm.createEventChannel);
    if (channel == 0) {
      return null;
    }
    Map<BoundPort, List<InetAddress>> found = new HashMap<>();
    try {
      for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        if (!network.isLoopback() && network.isUp()) {
          for (InetAddress address : Collections.list(network.getInetAddresses())) {
            BoundPort port = isReachable(address) ? port(channel, address) : null;
            if (port != null) {
              found.computeIfAbsent(port, missing -> new ArrayList<>()).add(address);
            }
          }
        }
      }
    } catch (SocketException e) {
      // Returns the addresses found so far.
    } finally {
      Calls.pointer(cm.destroyEventChannel, channel);
    }
    found.values().forEach(list -> list.sort(BEST_FIRST));
    return found;
  }

  private static int rank(InetAddress address) {
    return (address.isLinkLocalAddress() ? 2 : 0) + (address instanceof Inet4Address ? 0 : 1);
  }

  /** Returns false for link-local IPv6 addresses other than the requested one. To use them, a peer needs the name of its own interface. */
  private boolean isReachable(InetAddress address) {
    return !(address instanceof Inet6Address && address.isLinkLocalAddress()) || address.equals(wanted);
  }

  private BoundPort port(long channel, InetAddress address) {
    try (Scratch id = Scratch.of(8); Scratch socket = Scratch.of(SocketAddresses.ROOM)) {
      if (Calls.number(cm.createId, channel, id.address(), 0, CmLayout.PS_TCP) != 0) {
        return null;
      }
      long cmId = Memory.getLong(id.address());
      SocketAddresses.write(socket.address(), new InetSocketAddress(address, 0));
      BoundPort port = null;
      if (Calls.number(cm.bindAddr, cmId, socket.address()) == 0) {
        port = portOf(cmId);
      }
      Calls.number(cm.destroyId, cmId);
      return port;
    }
  }

  static BoundPort portOf(long cmId) {
    long context = Memory.getLong(cmId + CmLayout.ID_VERBS);
    return context == 0 ? null
      : new BoundPort(Memory.getString(Memory.getLong(context + VerbsLayout.CONTEXT_DEVICE) + VerbsLayout.DEVICE_NAME),
        Memory.getByte(cmId + CmLayout.ID_PORT) & 0xff);
  }
}
