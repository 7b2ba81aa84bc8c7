package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Cursor;

/**
 * Protocol versions. The connector names its lowest and highest, the acceptor chooses the highest common version and names it in its
 * accept.
 */
public final class LinkVersions {
  /** First byte of requests and accepts, which excludes other programs. */
  static final int MAGIC = 0x56;
  public static final int LOWEST = 4;
  public static final int HIGHEST = 5;

  private LinkVersions() {
  }

  /** @throws RdmaException {@code PROTOCOL} if there is no common version */
  public static int choose(int lowest, int highest) {
    if (highest < LOWEST || lowest > HIGHEST || lowest > highest) {
      throw new RdmaException(Reason.PROTOCOL, "the peer speaks " + named(lowest, highest) + " of the protocol, this node "
        + named(LOWEST, HIGHEST) + "; run versions of vertx-rdma that meet");
    }
    return Math.min(highest, HIGHEST);
  }

  private static String named(int lowest, int highest) {
    return lowest == highest ? "version " + lowest : "versions " + lowest + " to " + highest;
  }

  /** @throws RdmaException {@code PROTOCOL} if another program sent the bytes */
  static Cursor begin(String what, byte[] bytes) {
    if (bytes.length < 3 || bytes[0] != MAGIC) {
      throw new RdmaException(Reason.PROTOCOL, "the peer's " + what + " is not one of vertx-rdma (" + bytes.length + " bytes)"
        + "; another program answers at that address");
    }
    Cursor in = Cursor.reading(what, bytes);
    in.u8();
    return in;
  }

  /** @throws RdmaException {@code PROTOCOL} if there are too few bytes */
  static void checkLength(String what, byte[] bytes, int length) {
    if (bytes.length < length) {
      throw new RdmaException(Reason.PROTOCOL, "the peer's " + what + " has " + bytes.length + " bytes, not " + length);
    }
  }
}
