package io.github.vertxrdma.impl.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Objects;

/**
 * What both ends tell each other in their first frames.
 *
 * @param proof the connector's proof of the cluster secret; empty in the answer
 * @param nodeId who is speaking
 * @param epoch which run of that node
 * @param controlHost where it listens for control connections, empty if nowhere: the directory may not know it
 * @param controlPort its port there, 0 if there is none
 * @param service what is wanted of the acceptor; empty in the answer
 * @param bufferSize bytes of the speaker's receives
 * @param dataCredits receives for messages granted
 * @param controlCredits receives for other frames granted, those of the handshake included
 * @param maxMessageSize largest message the speaker takes, in bytes
 * @param bell how to wake the speaker on a fabric that cannot; empty otherwise
 * @param data the application's private data
 */
public record Greeting(byte[] proof, String nodeId, long epoch, String controlHost, int controlPort, String service, int bufferSize,
                       int dataCredits, int controlCredits, int maxMessageSize, byte[] bell, byte[] data) {

  private static final byte[] NOTHING = {};

  public Greeting {
    Objects.requireNonNull(nodeId);
    Objects.requireNonNull(controlHost);
    Objects.requireNonNull(service);
  }

  /** Without what only the handshake needed, and with words that many connections have in common only once. */
  Greeting settled() {
    return new Greeting(NOTHING, nodeId.intern(), epoch, controlHost.intern(), controlPort, service.intern(), bufferSize, dataCredits,
      controlCredits, maxMessageSize, NOTHING, data.length == 0 ? NOTHING : data);
  }

  byte[] encode() {
    ByteBuf out = Unpooled.buffer(256);
    Fields.put(out, proof);
    Fields.put(out, nodeId);
    out.writeLong(epoch);
    Fields.put(out, controlHost);
    out.writeShort(controlPort);
    Fields.put(out, service);
    out.writeInt(bufferSize).writeInt(dataCredits).writeInt(controlCredits).writeInt(maxMessageSize);
    Fields.put(out, bell);
    Fields.put(out, data);
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    return bytes;
  }

  /** @throws IllegalArgumentException if the bytes are no greeting */
  static Greeting decode(byte[] bytes) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    try {
      byte[] proof = Fields.bytes(in);
      String nodeId = Fields.text(in);
      long epoch = in.readLong();
      String controlHost = Fields.text(in);
      int controlPort = in.readUnsignedShort();
      String service = Fields.text(in);
      Greeting greeting = new Greeting(proof, nodeId, epoch, controlHost, controlPort, service, in.readInt(), in.readInt(),
        in.readInt(), in.readInt(), Fields.bytes(in), Fields.bytes(in));
      if (greeting.bufferSize < Link.HANDSHAKE_BUFFER || greeting.dataCredits < 1 || greeting.dataCredits > 0xffff
        || greeting.controlCredits < Link.HANDSHAKE_CREDITS || greeting.controlCredits > 0xffff || greeting.maxMessageSize < 1) {
        throw new IllegalArgumentException("greeting with impossible sizes: " + greeting.bufferSize + ", " + greeting.dataCredits + ", "
          + greeting.controlCredits + ", " + greeting.maxMessageSize);
      }
      return greeting;
    } catch (IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("greeting of " + bytes.length + " bytes is cut short", e);
    }
  }

  @Override
  public String toString() {
    return "greeting of " + nodeId + " for '" + service + "'";
  }
}
