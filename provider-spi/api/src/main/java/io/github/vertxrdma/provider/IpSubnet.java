package io.github.vertxrdma.provider;

import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** @param network first address of the subnet @param bits length of the prefix */
public record IpSubnet(InetAddress network, int bits) {

  /** @throws IllegalArgumentException if bits after the prefix are set */
  public IpSubnet {
    if (!network(network, bits).equals(network)) {
      throw new IllegalArgumentException(network.getHostAddress() + " is not the first address of a subnet of " + bits + " bits");
    }
  }

  public static IpSubnet of(InetAddress address, int bits) {
    return new IpSubnet(network(address, bits), bits);
  }

  /** Returns the subnets of local addresses. Ignores addresses that no interface has. Makes system calls. */
  public static List<IpSubnet> of(List<InetAddress> addresses) {
    List<IpSubnet> subnets = new ArrayList<>();
    for (InetAddress address : addresses) {
      try {
        NetworkInterface card = NetworkInterface.getByInetAddress(address);
        for (InterfaceAddress each : card == null ? List.<InterfaceAddress>of() : card.getInterfaceAddresses()) {
          if (each.getAddress().equals(address)) {
            subnets.add(of(address, each.getNetworkPrefixLength()));
          }
        }
      } catch (SocketException e) {
        // The interface was removed.
      }
    }
    return List.copyOf(subnets);
  }

  private static InetAddress network(InetAddress address, int bits) {
    byte[] bytes = address.getAddress();
    for (int i = 0; i < bytes.length; i++) {
      int kept = Math.clamp(bits - i * (long) Byte.SIZE, 0, Byte.SIZE);
      bytes[i] &= (byte) (0xff00 >> kept);
    }
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  public boolean contains(InetAddress address) {
    return address.getAddress().length == network.getAddress().length && network(address, bits).equals(network);
  }

  @Override
  public String toString() {
    return network.getHostAddress() + '/' + bits;
  }
}
