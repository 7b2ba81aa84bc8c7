package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Addresses as a struct sockaddr_in or sockaddr_in6; ip(7), ipv6(7). */
final class LinuxAddresses {
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;
  private static final int IPV4 = 16;
  private static final int IPV6 = 28;
  /** sizeof(struct sockaddr_storage), and an int behind it. */
  private static final int STORAGE = 128;

  private LinuxAddresses() {
  }

  /** A call with an address. */
  interface Call {
    int with(int fd, long address, int length);
  }

  static int family(InetSocketAddress address) throws UnknownHostException {
    if (address.isUnresolved()) {
      throw new UnknownHostException(address.getHostString());
    }
    return address.getAddress() instanceof Inet6Address ? AF_INET6 : AF_INET;
  }

  /** @return what the call returns */
  static int call(Call call, int fd, InetSocketAddress to) {
    byte[] bytes = to.getAddress().getAddress();
    long address = Memory.allocate(STORAGE);
    try {
      boolean six = bytes.length > 4;
      Memory.putShort(address, (short) (six ? AF_INET6 : AF_INET));
      Memory.putByte(address + 2, (byte) (to.getPort() >> 8));
      Memory.putByte(address + 3, (byte) to.getPort());
      Memory.putBytes(address + (six ? 8 : 4), bytes);
      if (six) {
        Memory.putInt(address + 24, ((Inet6Address) to.getAddress()).getScopeId());
      }
      return call.with(fd, address, six ? IPV6 : IPV4);
    } finally {
      Memory.free(address);
    }
  }

  /** The address of a socket. @param peer of the other end */
  static InetSocketAddress of(int fd, boolean peer) throws IOException {
    long address = Memory.allocate(STORAGE + 8);
    try {
      Memory.putInt(address + STORAGE, STORAGE);
      int done = LinuxCalls.name(fd, peer, address, address + STORAGE);
      if (done < 0) {
        throw LinuxCalls.failure(-done);
      }
      int port = (Memory.getByte(address + 2) & 0xff) << 8 | Memory.getByte(address + 3) & 0xff;
      return switch (Memory.getShort(address)) {
        case AF_INET -> new InetSocketAddress(InetAddress.getByAddress(Memory.getBytes(address + 4, 4)), port);
        case AF_INET6 -> new InetSocketAddress(six(Memory.getBytes(address + 8, 16), Memory.getInt(address + 24)), port);
        default -> throw LinuxCalls.failure(Errno.EINVAL);
      };
    } finally {
      Memory.free(address);
    }
  }

  private static InetAddress six(byte[] bytes, int scope) throws UnknownHostException {
    return scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
  }
}
