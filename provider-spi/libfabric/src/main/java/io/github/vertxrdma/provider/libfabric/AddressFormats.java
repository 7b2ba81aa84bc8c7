package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import java.net.Inet4Address;
import java.net.InetSocketAddress;

/** Converts addresses between libfabric's formats (fi_info.addr_format) and the SPI's formats. */
final class AddressFormats {
  private static final String OTHER = "fi";

  private AddressFormats() {
  }

  /** Encodes an address. Throws {@code INVALID} if the address does not have this format. */
  static byte[] toNative(int format, EndpointAddress address) {
    if (isInet(format)) {
      if (!address.format().equals(EndpointAddress.INET)) {
        throw new ProviderException(ProviderException.Reason.INVALID, "cannot use the address " + address + ": this fabric needs an "
          + "IP address and port");
      }
      return toNative(address.toInet());
    }
    if (!address.format().equals(OTHER + format)) {
      throw new ProviderException(ProviderException.Reason.INVALID, "cannot use the address " + address + ": it is not an address of "
        + "this fabric");
    }
    return address.bytes();
  }

  private static byte[] toNative(InetSocketAddress address) {
    try (Scratch room = Scratch.of(SocketAddresses.ROOM)) {
      return Memory.getBytes(room.address(), SocketAddresses.write(room.address(), address));
    }
  }

  static int format(EndpointAddress address) {
    return address.toInet().getAddress() instanceof Inet4Address ? Fi.SOCKADDR_IN : Fi.SOCKADDR_IN6;
  }

  static boolean isInet(int format) {
    return format == Fi.SOCKADDR || format == Fi.SOCKADDR_IN || format == Fi.SOCKADDR_IN6;
  }

  static EndpointAddress fromNative(int format, long address, int length) {
    InetSocketAddress inet = isInet(format) ? SocketAddresses.read(address, length) : null;
    if (inet != null) {
      return EndpointAddress.of(inet);
    }
    return EndpointAddress.of(OTHER + format, Memory.getBytes(address, length));
  }
}
