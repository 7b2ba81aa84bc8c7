package io.github.vertxrdma.provider.ffi;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** struct sockaddr_in and sockaddr_in6 in native memory; ip(7), ipv6(7). */
public final class SocketAddresses {
  public static final CHeader HEADER = new CHeader("Linux", "sys/socket.h", "netinet/in.h");
  public static final int ROOM = HEADER.bufferSize("struct sockaddr_storage", 128);
  private static final int AF_INET = HEADER.constant("AF_INET", 2);
  private static final int AF_INET6 = HEADER.constant("AF_INET6", 10);
  private static final int SIZE = HEADER.size("struct sockaddr_in", 16);
  private static final int SIZE6 = HEADER.size("struct sockaddr_in6", 28);
  private static final int PORT = HEADER.offset("struct sockaddr_in", "sin_port", 2);
  private static final int ADDRESS = HEADER.offset("struct sockaddr_in", "sin_addr", 4);
  private static final int ADDRESS6 = HEADER.offset("struct sockaddr_in6", "sin6_addr", 8);
  private static final int SCOPE = HEADER.offset("struct sockaddr_in6", "sin6_scope_id", 24);

  private SocketAddresses() {
  }

  public static int family(InetAddress address) {
    return address instanceof Inet6Address ? AF_INET6 : AF_INET;
  }

  /** Writes an address into zeroed memory of {@link #ROOM} bytes. @return the number of bytes used */
  public static int write(long to, InetSocketAddress address) {
    InetAddress host = address.getAddress();
    Memory.putShort(to, (short) family(host));
    Memory.putByte(to + PORT, (byte) (address.getPort() >> 8));
    Memory.putByte(to + PORT + 1, (byte) address.getPort());
    if (host instanceof Inet6Address six) {
      Memory.putBytes(to + ADDRESS6, six.getAddress());
      Memory.putInt(to + SCOPE, six.getScopeId());
      return SIZE6;
    }
    Memory.putBytes(to + ADDRESS, host.getAddress());
    return SIZE;
  }

  /**
   * Reads an address.
   *
   * @param length available bytes
   * @return null if the address is of another family or incomplete
   */
  public static InetSocketAddress read(long from, int length) {
    int family = length < SIZE ? 0 : Memory.getShort(from);
    if (family != AF_INET && (family != AF_INET6 || length < SIZE6)) {
      return null;
    }
    int port = (Memory.getByte(from + PORT) & 0xff) << 8 | Memory.getByte(from + PORT + 1) & 0xff;
    try {
      return new InetSocketAddress(family == AF_INET ? InetAddress.getByAddress(Memory.getBytes(from + ADDRESS, 4))
        : six(Memory.getBytes(from + ADDRESS6, 16), Memory.getInt(from + SCOPE)), port);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  private static InetAddress six(byte[] bytes, int scope) throws UnknownHostException {
    return scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
  }
}
