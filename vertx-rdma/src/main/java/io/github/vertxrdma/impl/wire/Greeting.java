package io.github.vertxrdma.impl.wire;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.impl.process.NodeName;
import java.util.Arrays;
import java.util.Objects;

/**
 * First words of both ends to each other: who they are, and what they take.
 *
 * @param proof the connector's proof of the cluster secret; empty in the answer
 * @param nodeId of the speaker
 * @param epoch of that node
 * @param controlHost address of its control connections, empty if it has none: the directory may not know it
 * @param controlPort its port there, 0 if there is none
 * @param service what the connector asks for, see {@link #wanting}; empty in the answer
 * @param bufferSize bytes of the speaker's receives
 * @param dataCredits receives for messages granted
 * @param controlCredits receives for other frames granted, those of the handshake included
 * @param maxMessageSize largest message the speaker takes, in bytes
 * @param wakeAddress how to wake the speaker on a fabric that cannot; empty otherwise
 * @param data the application's private data
 * @param device the speaker's, by the name under which it tells of outages; empty from a node of version 4
 */
public record Greeting(byte[] proof, String nodeId, long epoch, String controlHost, int controlPort, String service, int bufferSize,
  int dataCredits, int controlCredits, int maxMessageSize, byte[] wakeAddress, byte[] data, String device) {

  /** Control credits that each side has before the greetings are exchanged. */
  public static final int HANDSHAKE_CREDITS = 4;
  /** Bytes that every receive has at least. */
  public static final int LEAST_BUFFER = 4096;
  /** Before the name of a service, where it stands since the first version of the link. */
  private static final String SERVICE = "endpoint/";
  private static final byte[] NOTHING = {};

  public Greeting {
    Objects.requireNonNull(nodeId);
    Objects.requireNonNull(controlHost);
    Objects.requireNonNull(service);
    Objects.requireNonNull(device);
  }

  /** Copy without what only the handshake needed. */
  public Greeting settled() {
    return new Greeting(NOTHING, nodeId, epoch, controlHost, controlPort, service, bufferSize, dataCredits, controlCredits, maxMessageSize,
      NOTHING,
      data, device);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Greeting that && Arrays.equals(encode(), that.encode());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(encode());
  }

  /** Words by which a connector asks for a service. */
  public static String wanting(String service) {
    return SERVICE + service;
  }

  /** The name of the service that is asked for; null if it is something else, as {@code regions}. */
  public static String serviceOf(String wanted) {
    return wanted.startsWith(SERVICE) ? wanted.substring(SERVICE.length()) : null;
  }

  /** Words for people of what is asked for. */
  public static String shown(String wanted) {
    String service = serviceOf(wanted);
    return service == null ? wanted : service;
  }

  public byte[] encode() {
    Cursor out = Cursor.writing(256).block(2, proof).text(2, nodeId).i64(epoch).text(2, controlHost).u16(controlPort).text(2, service)
      .i32(bufferSize).i32(dataCredits).i32(controlCredits).i32(maxMessageSize).block(2, wakeAddress).block(2, data);
    out.text(2, device);
    return out.toArray();
  }

  /** @throws IllegalArgumentException if the bytes are no greeting */
  public static Greeting decode(byte[] bytes) {
    Cursor in = Cursor.reading("a greeting", bytes);
    Greeting greeting = new Greeting(in.block(2), NodeName.checkId(in.text(2)), in.i64(), in.text(2), in.u16(), in.text(2), in.i32(),
      in.i32(), in.i32(), in.i32(), in.block(2), in.block(2), in.remaining() > 0 ? in.text(2) : "");
    if (greeting.bufferSize < LEAST_BUFFER || greeting.dataCredits < 1 || greeting.dataCredits > 0xffff
      || greeting.controlCredits < HANDSHAKE_CREDITS || greeting.controlCredits > 0xffff || greeting.maxMessageSize < 1) {
      throw new IllegalArgumentException("greeting with impossible sizes: " + greeting.bufferSize + ", " + greeting.dataCredits + ", "
        + greeting.controlCredits + ", " + greeting.maxMessageSize);
    }
    return greeting;
  }

  @Override
  public String toString() {
    return "greeting of " + nodeId + " for '" + service + "'";
  }
}
