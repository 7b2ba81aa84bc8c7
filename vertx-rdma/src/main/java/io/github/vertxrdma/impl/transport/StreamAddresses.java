package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.atomic.AtomicInteger;

/** Socket addresses for connections that have no sockets: what the connecting side calls its own, and tells the accepting side. */
public final class StreamAddresses {
  private static final int FIRST = 49152;
  private static final AtomicInteger NEXT = new AtomicInteger();

  private StreamAddresses() {
  }

  /** An address on the same kind of interface as the remote one, with a port of its own. */
  static InetSocketAddress local(InetSocketAddress remote) {
    int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), 65536 - FIRST);
    return new InetSocketAddress(remote.getAddress(), port);
  }

  public static byte[] encode(InetSocketAddress address) {
    byte[] ip = address.getAddress().getAddress();
    ByteBuf out = Unpooled.buffer(2 + ip.length, 2 + ip.length);
    return out.writeShort(address.getPort()).writeBytes(ip).array();
  }

  /** @param otherwise taken where the bytes are none */
  public static InetSocketAddress decode(byte[] bytes, InetSocketAddress otherwise) {
    if (bytes.length != 6 && bytes.length != 18) {
      return otherwise;
    }
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    int port = in.readUnsignedShort();
    byte[] ip = new byte[in.readableBytes()];
    in.readBytes(ip);
    try {
      return new InetSocketAddress(InetAddress.getByAddress(ip), port);
    } catch (UnknownHostException e) {
      return otherwise;
    }
  }
}
