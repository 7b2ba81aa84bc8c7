package io.github.vertxrdma.provider;

import io.github.vertxrdma.base.Admission;
import io.github.vertxrdma.base.PeerText;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/**
 * Address of an endpoint, which only its provider interprets. The format is {@code inet} (2 bytes port, then 4 or 16 bytes of IP address),
 * {@code string} (a name), or one of a provider.
 */
public final class EndpointAddress {
  public static final String INET = "inet";
  public static final String STRING = "string";

  private final String format;
  private final byte[] bytes;

  private EndpointAddress(String format, byte[] bytes) {
    this.format = Objects.requireNonNull(format);
    this.bytes = bytes;
  }

  /** @throws IllegalArgumentException if {@link #INET} bytes have the wrong length, or the text has control characters or is too long */
  public static EndpointAddress of(String format, byte[] bytes) {
    if (format.equals(INET) && bytes.length != 6 && bytes.length != 18) {
      throw new IllegalArgumentException("cannot read an IP address and port of " + bytes.length + " bytes: 6 or 18 bytes are required");
    }
    EndpointAddress address = new EndpointAddress(format, bytes.clone());
    String text = address.toString();
    if (text.length() > PeerText.MOST || !PeerText.isPrintable(text)) {
      throw new IllegalArgumentException("cannot use address " + PeerText.of(text) + ": it has control characters or is too long");
    }
    return address;
  }

  public static EndpointAddress of(String name) {
    return new EndpointAddress(STRING, name.getBytes(StandardCharsets.UTF_8));
  }

  /** @throws IllegalArgumentException if the host is unresolved */
  public static EndpointAddress of(InetSocketAddress address) {
    if (address.isUnresolved()) {
      throw new IllegalArgumentException("host '" + address.getHostString() + "' is not resolved");
    }
    byte[] host = address.getAddress().getAddress();
    return new EndpointAddress(INET, ByteBuffer.allocate(2 + host.length).putShort((short) address.getPort()).put(host).array());
  }

  public String format() {
    return format;
  }

  public byte[] bytes() {
    return bytes.clone();
  }

  /** @throws IllegalArgumentException if the format is not {@link #INET} */
  public InetSocketAddress toInet() {
    if (!format.equals(INET)) {
      throw new IllegalArgumentException(this + " is not an IP address");
    }
    try {
      return new InetSocketAddress(InetAddress.getByAddress(Arrays.copyOfRange(bytes, 2, bytes.length)),
        ByteBuffer.wrap(bytes).getShort() & 0xffff);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Returns the network of an IP address, which limits what its peers may use; otherwise this address. */
  public Object source() {
    return format.equals(INET) ? Admission.source(toInet().getAddress().getAddress()) : this;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EndpointAddress that && format.equals(that.format) && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return 31 * format.hashCode() + Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return switch (format) {
      case INET -> {
        InetSocketAddress inet = toInet();
        String host = inet.getAddress().getHostAddress();
        yield (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + inet.getPort();
      }
      case STRING -> new String(bytes, StandardCharsets.UTF_8);
      default -> format + ':' + HexFormat.of().formatHex(bytes);
    };
  }
}
