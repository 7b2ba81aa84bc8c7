package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Cursor;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Keys derived from one secret, one for each purpose (HKDF, RFC 5869). Thread-safe. */
final class SecretKeys {
  private final byte[] root;
  private final String id;
  /** MACs by purpose. {@link #mac} clones them, because deriving one takes ten times as long as a proof. */
  private final Map<String, Mac> keyed = new ConcurrentHashMap<>();

  SecretKeys(byte[] secret, String source) {
    this.root = RootKey.of(secret, source);
    this.id = HexFormat.of().formatHex(derive("id", 8));
  }

  String id() {
    return id;
  }

  byte[] prove(String purpose, byte[]... parts) {
    Mac mac = mac(purpose);
    for (byte[] part : parts) {
      mac.update(Cursor.writing(4 + part.length).block(4, part).toArray());
    }
    return mac.doFinal();
  }

  /** Derives a key of 1 … 32 bytes (RFC 5869). {@link javax.crypto.KDF} would load all security providers. */
  byte[] derive(String purpose, int length) {
    byte[] info = ("vertx-rdma " + purpose).getBytes(StandardCharsets.US_ASCII);
    Mac expanding = hmac(hmac(new byte[RootKey.KEY_BYTES]).doFinal(root));
    expanding.update(info);
    return Arrays.copyOf(expanding.doFinal(new byte[] {1}), Objects.checkIndex(length, RootKey.KEY_BYTES + 1));
  }

  Mac mac(String purpose) {
    try {
      return (Mac) keyed.computeIfAbsent(purpose, this::newMac).clone();
    } catch (CloneNotSupportedException e) {
      return newMac(purpose);
    }
  }

  private Mac newMac(String purpose) {
    return hmac(derive(purpose, RootKey.KEY_BYTES));
  }

  private static Mac hmac(byte[] key) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac;
    } catch (InvalidKeyException | NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks HmacSHA256", e);
    }
  }
}
