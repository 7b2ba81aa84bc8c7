package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.device.Grant;
import io.github.vertxrdma.impl.process.NodeName;
import java.util.Arrays;

/**
 * Identity and limits of one side, sent in the handshake. Sizes are in bytes.
 *
 * @param proof of the cluster secret; empty in the acceptor's greeting
 * @param controlHost host at which the sender accepts control connections; empty, with port 0, if it accepts none
 * @param service requested by the connector, see {@link #wanting}; empty in the acceptor's greeting
 * @param dataCredits number of receives for data frames
 * @param controlCredits number of receives for control frames, including those of the handshake
 * @param wakeAddress address to wake the sender's event loop; empty if the fabric wakes it
 * @param data of the application
 * @param device name of the sender's device in outage reports; empty if the sender speaks version 4
 */
public record Greeting(byte[] proof, String nodeId, long epoch, String controlHost, int controlPort, String service, int bufferSize,
  int dataCredits, int controlCredits, int maxMessageSize, byte[] wakeAddress, byte[] data, String device) {

  public static final int LEAST_BUFFER = 4096;
  private static final String SERVICE = "endpoint/";
  private static final byte[] NOTHING = {};

  public Greeting withoutHandshake() {
    return new Greeting(NOTHING, nodeId, epoch, controlHost, controlPort, service, bufferSize, dataCredits, controlCredits, maxMessageSize,
      NOTHING, data, device);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Greeting that && Arrays.equals(encode(), that.encode());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(encode());
  }

  public static String wanting(String service) {
    return SERVICE + service;
  }

  /** Returns the requested service; null for other requests, such as {@code regions}. */
  public static String serviceOf(String wanted) {
    return wanted.startsWith(SERVICE) ? wanted.substring(SERVICE.length()) : null;
  }

  public static String shown(String wanted) {
    String service = serviceOf(wanted);
    return service == null ? wanted : service;
  }

  public byte[] encode() {
    return Cursor.writing(256).block(2, proof).text(2, nodeId).i64(epoch).text(2, controlHost).u16(controlPort).text(2, service)
      .i32(bufferSize).i32(dataCredits).i32(controlCredits).i32(maxMessageSize).block(2, wakeAddress).block(2, data)
      .text(2, device).toArray();
  }

  public static Greeting decode(byte[] bytes) {
    Cursor in = Cursor.reading("a greeting", bytes);
    Greeting greeting = new Greeting(in.block(2), NodeName.checkId(in.text(2)), in.i64(), PeerText.of(in.text(2)), in.u16(),
      PeerText.of(in.text(2)), in.i32(), in.i32(), in.i32(), in.i32(), in.block(2), in.block(2),
      in.remaining() > 0 ? PeerText.of(in.text(2)) : "");
    if (greeting.bufferSize < LEAST_BUFFER || greeting.dataCredits < 1 || greeting.dataCredits > 0xffff
      || greeting.controlCredits < Grant.HANDSHAKE_CREDITS || greeting.controlCredits > 0xffff || greeting.maxMessageSize < 1) {
      throw new IllegalArgumentException("its buffer size, data credits, control credits and maximum message size are invalid: "
        + greeting.bufferSize + ", " + greeting.dataCredits + ", " + greeting.controlCredits + ", " + greeting.maxMessageSize);
    }
    return greeting;
  }

  @Override
  public String toString() {
    return "greeting of " + nodeId + " for '" + service + "'";
  }
}
