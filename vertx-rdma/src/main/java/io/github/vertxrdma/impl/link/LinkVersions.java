package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.VersionRange;

/** Versions of the protocol of links. The connector names its range, and the acceptor names the chosen version in its accept. */
public final class LinkVersions {
  /** First byte of requests and accepts, which excludes other programs. */
  static final int MAGIC = 0x56;
  public static final VersionRange SPOKEN = new VersionRange(4, 5);

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
      throw new RdmaException(Reason.PROTOCOL, "the peer's " + what + " is not one of vertx-rdma (" + bytes.length + " bytes)"
        + "; another program answers at that address");
    }
    Cursor in = Cursor.reading(what, bytes);
    in.u8();
    return in;
  }

  static void checkLength(String what, byte[] bytes, int length) {
    if (bytes.length < length) {
      throw new RdmaException(Reason.PROTOCOL, "the peer's " + what + " has " + bytes.length + " bytes, not " + length);
    }
  }
}
