package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ffi.Memory;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** struct sockaddr_in and sockaddr_in6 in native memory; ip(7), ipv6(7). */
final class SocketAddresses {
  private SocketAddresses() {
  }

  /** Writes an address into zeroed memory of {@link CmLayout#SOCKADDR_ROOM} bytes. */
  static void write(long to, InetSocketAddress address) {
    byte[] host = address.getAddress().getAddress();
    Memory.putShort(to, (short) (host.length == 4 ? CmLayout.AF_INET : CmLayout.AF_INET6));
    Memory.putByte(to + CmLayout.SIN_PORT, (byte) (address.getPort() >> 8));
    Memory.putByte(to + CmLayout.SIN_PORT + 1, (byte) address.getPort());
    Memory.putBytes(to + (host.length == 4 ? CmLayout.SIN_ADDR : CmLayout.SIN6_ADDR), host);
    if (address.getAddress() instanceof Inet6Address v6) {
      Memory.putInt(to + CmLayout.SIN6_SCOPE, v6.getScopeId());
    }
  }

  /** Reads one; null if it is of neither family. */
  static InetSocketAddress read(long from) {
    int family = Memory.getShort(from);
    if (family != CmLayout.AF_INET && family != CmLayout.AF_INET6) {
      return null;
    }
    int port = (Memory.getByte(from + CmLayout.SIN_PORT) & 0xff) << 8 | Memory.getByte(from + CmLayout.SIN_PORT + 1) & 0xff;
    try {
      byte[] host = family == CmLayout.AF_INET ? Memory.getBytes(from + CmLayout.SIN_ADDR, 4) : Memory.getBytes(from + CmLayout.SIN6_ADDR, 16);
      return new InetSocketAddress(InetAddress.getByAddress(host), port);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }
}
