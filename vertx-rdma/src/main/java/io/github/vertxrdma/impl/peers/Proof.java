package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.impl.link.ConnectAccept;
import io.github.vertxrdma.impl.link.ConnectRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;

/** Proof of the cluster secret: an HMAC-SHA-256 over everything both ends know, and the role, which prevents reflection. */
final class Proof {
  enum Role { CONNECTOR, ACCEPTOR }

  private static final String PURPOSE = "handshake 1";

  private Proof() {
  }

  /**
   * @param binding the acceptor's address if both know it, otherwise empty
   * @param channel what the fabric reports about both ends, empty if nothing
   */
  static byte[] of(ClusterSecret secret, Role role, ConnectRequest request, ConnectAccept accept, byte[] binding, byte[] channel) {
    Mac mac = secret.mac(PURPOSE);
    mac.update(role.name().getBytes(StandardCharsets.US_ASCII));
    mac.update((byte) 0);
    mac.update(request.encode());
    mac.update(accept.encode(), 0, ConnectAccept.LENGTH - ConnectAccept.PROOF_LENGTH);
    mac.update(Cursor.writing(4 + binding.length).block(4, binding).toArray());
    mac.update(channel);
    byte[] proof = mac.doFinal();
    return role == Role.ACCEPTOR ? Arrays.copyOf(proof, ConnectAccept.PROOF_LENGTH) : proof;
  }

  /** Compares in constant time. */
  static boolean matches(byte[] expected, byte[] proof) {
    return MessageDigest.isEqual(expected, proof);
  }
}
