package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.VersionRange;

/** Versions of the link protocol. The connector sends its range, and the acceptor replies with the chosen version. */
public final class LinkVersions {
  /** First byte of requests and accepts, to recognize other programs. */
  static final int MAGIC = 0x56;
  public static final VersionRange SPOKEN = new VersionRange(4, 6);
  /** Lowest version in which an acceptor reads a proof of the connector's node id. */
  public static final int PROVES_ID = 6;

  private LinkVersions() {
  }

  public static int choose(VersionRange peer) {
    int chosen = SPOKEN.common(peer);
    if (chosen == 0) {
      throw new RdmaException(Reason.PROTOCOL, SPOKEN.refusal("the peer", "the protocol of links", peer));
    }
    return chosen;
  }

  static Cursor begin(String what, byte[] bytes) {
    if (bytes.length < 3 || bytes[0] != MAGIC) {
      throw new RdmaException(Reason.PROTOCOL, "the peer's " + what + " (" + bytes.length + " bytes) is not that of vertx-rdma; "
        + "another program answers at that address");
    }
    Cursor in = Cursor.reading(what, bytes);
    in.u8();
    return in;
  }

  static void checkLength(String what, byte[] bytes, int length) {
    if (bytes.length < length) {
      throw new RdmaException(Reason.PROTOCOL, "the peer's " + what + " has " + bytes.length + " bytes instead of " + length);
    }
  }
}
