package io.github.vertxrdma.impl.node;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** First bytes of a TCP connection in each direction, by which its ends recognize each other. Confined to the channel's event loop. */
public final class ConnectionPrefix {
  /** Number of bytes kept for each direction. */
  private static final int MOST = 256;
  /** Number of bytes in the busier direction by which a connection is recognized. */
  static final int LEAST = 32;

  private final Part sent = new Part();
  private final Part received = new Part();

  private static final class Part {
    private final byte[] bytes = new byte[MOST];
    private int length;
    private boolean ended;

    void add(ByteBuf more) {
      if (length < MOST && !ended) {
        int added = Math.min(more.readableBytes(), MOST - length);
        more.getBytes(more.readerIndex(), bytes, length, added);
        length += added;
      }
    }
  }

  /** Addresses of both ends of a connection, as the kernel of one end states them. */
  record Ends(InetSocketAddress local, InetSocketAddress remote) {
    Ends mirrored() {
      return new Ends(remote, local);
    }
  }

  public void sent(ByteBuf bytes) {
    sent.add(bytes);
  }

  public void received(ByteBuf bytes) {
    received.add(bytes);
  }

  /** Ends the bytes that this side keeps of its output, since it does not see those that follow. */
  public void endSent() {
    sent.ended = true;
  }

  /** Returns whether enough bytes have passed to recognize the connection. */
  public boolean isRecognizable() {
    return Math.max(sent.length, received.length) >= LEAST;
  }

  int sentLength() {
    return sent.length;
  }

  /** Returns the number of bytes received that the prefix has. */
  public int receivedLength() {
    return received.length;
  }

  /**
   * Returns an HMAC over both directions, keyed by the nonce of the connecting node.
   *
   * @param connects whether the HMAC is that of the connecting node, so that none can return the other's
   * @param own whether this is the connecting node
   */
  byte[] mac(byte[] nonce, boolean connects, boolean own, Ends ofConnector, int fromConnector, int toConnector) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(nonce, "HmacSHA256"));
      mac.update((byte) (connects ? 1 : 2));
      add(mac, ofConnector.local);
      add(mac, ofConnector.remote);
      add(mac, own ? sent : received, fromConnector);
      add(mac, own ? received : sent, toConnector);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new AssertionError("each JDK has HmacSHA256", e);
    }
  }

  private static void add(Mac mac, InetSocketAddress address) {
    byte[] ip = address.getAddress().getAddress();
    mac.update((byte) ip.length);
    mac.update(ip);
    mac.update((byte) (address.getPort() >>> 8));
    mac.update((byte) address.getPort());
  }

  private static void add(Mac mac, Part part, int length) {
    mac.update((byte) (length >>> 8));
    mac.update((byte) length);
    mac.update(part.bytes, 0, length);
  }
}
