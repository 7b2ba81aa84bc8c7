package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.SealedKey;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts region keys for the directory with AES-256-GCM and a key derived from the cluster secret. A random nonce precedes the
 * ciphertext. The associated data binds a key to its directory entry. Thread-safe.
 */
public final class KeySeal {
  private static final int NONCE_LENGTH = 12;
  private static final int TAG_BITS = 128;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final ClusterSecret secret;

  public KeySeal(ClusterSecret secret) {
    this.secret = secret;
  }

  public SealedKey seal(RegionEntry region, String fabric, RegionToken plain) {
    byte[] nonce = new byte[NONCE_LENGTH];
    RANDOM.nextBytes(nonce);
    try {
      byte[] sealed = cipher(Cipher.ENCRYPT_MODE, secret, nonce, region, fabric).doFinal(plain.encode());
      return new SealedKey(fabric, Cursor.writing(NONCE_LENGTH + sealed.length).bytes(nonce).bytes(sealed).toArray());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK lacks AES/GCM", e);
    }
  }

  /** @throws RdmaException {@code NOT_AUTHENTIC} if secret, entry or bytes differ */
  public RegionToken unseal(RegionEntry region, SealedKey sealed) {
    AEADBadTagException damaged = new AEADBadTagException("too short");
    for (ClusterSecret each : sealed.bytes().length < NONCE_LENGTH ? List.<ClusterSecret>of() : secret.accepted()) {
      try {
        byte[] bytes = sealed.bytes();
        return RegionToken.decode(cipher(Cipher.DECRYPT_MODE, each, Arrays.copyOf(bytes, NONCE_LENGTH), region, sealed.fabric())
          .doFinal(bytes, NONCE_LENGTH, bytes.length - NONCE_LENGTH));
      } catch (AEADBadTagException e) {
        damaged = e;
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("this JDK lacks AES/GCM", e);
      }
    }
    throw new RdmaException(RdmaException.Reason.NOT_AUTHENTIC, "the key of region '" + region.name() + "' on " + sealed.fabric()
      + " was not sealed by node " + region.nodeId() + " under this cluster's secret. Give all nodes one secret "
      + "(" + ClusterSecret.FILE_VARIABLE + "); if they have it, the directory was forged", damaged);
  }

  private static Cipher cipher(int mode, ClusterSecret of, byte[] nonce, RegionEntry region, String fabric)
    throws GeneralSecurityException {
    SecretKeySpec key = new SecretKeySpec(of.derive("region keys 1", 32), "AES");
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(Cursor.writing(128).text(2, region.name()).text(2, region.nodeId()).i64(region.epoch()).i64(region.regionId())
      .i32(region.generation()).text(2, fabric).toArray());
    return cipher;
  }
}
