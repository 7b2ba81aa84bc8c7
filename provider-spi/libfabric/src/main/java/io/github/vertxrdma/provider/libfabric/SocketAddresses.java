package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.CHeader;
import io.github.vertxrdma.provider.ffi.Memory;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Addresses as libfabric has them (fi_info.addr_format) and as the SPI has them. */
final class SocketAddresses {
  private static final CHeader H = Fi.HEADER;
  private static final int AF_INET = H.constant("AF_INET", 2);
  private static final int AF_INET6 = H.constant("AF_INET6", 10);
  private static final int PORT = H.offset("struct sockaddr_in", "sin_port", 2);
  private static final int IN_ADDR = H.offset("struct sockaddr_in", "sin_addr", 4);
  private static final int IN6_ADDR = H.offset("struct sockaddr_in6", "sin6_addr", 8);
  private static final int IN_SIZE = H.size("struct sockaddr_in", 16);
  private static final int IN6_SIZE = H.size("struct sockaddr_in6", 28);
  private static final String OTHER = "fi";

  private SocketAddresses() {
  }

  /** The bytes libfabric wants. @throws ProviderException {@code INVALID} if the address is not one of this format */
  static byte[] toNative(int format, EndpointAddress address) {
    if (isInet(format)) {
      if (!address.format().equals(EndpointAddress.INET)) {
        throw new ProviderException(ProviderException.Reason.INVALID, address + " is not an IP address, which this fabric is reached by");
      }
      return toNative(address.toInet());
    }
    if (format == Fi.ADDR_STR) {
      if (!address.format().equals(EndpointAddress.STRING)) {
        throw new ProviderException(ProviderException.Reason.INVALID, address + " is not a name, which this fabric is reached by");
      }
      byte[] name = address.bytes();
      return ByteBuffer.allocate(name.length + 1).put(name).array();
    }
    if (!address.format().equals(OTHER + format)) {
      throw new ProviderException(ProviderException.Reason.INVALID, address + " is not an address of this fabric");
    }
    return address.bytes();
  }

  static byte[] toNative(InetSocketAddress address) {
    byte[] host = address.getAddress().getAddress();
    boolean four = address.getAddress() instanceof Inet4Address;
    ByteBuffer buffer = ByteBuffer.allocate(four ? IN_SIZE : IN6_SIZE).order(ByteOrder.nativeOrder());
    buffer.putShort(0, (short) (four ? AF_INET : AF_INET6));
    buffer.order(ByteOrder.BIG_ENDIAN).putShort(PORT, (short) address.getPort());
    return buffer.put(four ? IN_ADDR : IN6_ADDR, host).array();
  }

  /** The format of an IP address. */
  static int format(EndpointAddress address) {
    return address.toInet().getAddress() instanceof Inet4Address ? Fi.SOCKADDR_IN : Fi.SOCKADDR_IN6;
  }

  static boolean isInet(int format) {
    return format == Fi.SOCKADDR || format == Fi.SOCKADDR_IN || format == Fi.SOCKADDR_IN6;
  }

  /** Of a struct sockaddr. */
  static boolean isInetFamily(short family) {
    return family == AF_INET || family == AF_INET6;
  }

  /** Parses an address that libfabric gave. */
  static EndpointAddress fromNative(int format, long address, int length) {
    byte[] bytes = Memory.getBytes(address, length);
    if (isInet(format) && length >= IN_SIZE) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
      boolean four = buffer.getShort(0) == AF_INET;
      byte[] host = new byte[four ? 4 : 16];
      buffer.get(four ? IN_ADDR : IN6_ADDR, host);
      try {
        return EndpointAddress.of(new InetSocketAddress(InetAddress.getByAddress(host),
          buffer.order(ByteOrder.BIG_ENDIAN).getShort(PORT) & 0xffff));
      } catch (UnknownHostException e) {
        throw new IllegalStateException(e);
      }
    }
    if (format == Fi.ADDR_STR) {
      int end = 0;
      while (end < bytes.length && bytes[end] != 0) {
        end++;
      }
      return EndpointAddress.of(new String(bytes, 0, end, StandardCharsets.UTF_8));
    }
    return EndpointAddress.of(OTHER + format, bytes);
  }
}
