package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Cursor;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** Keys that HKDF (RFC 5869) derives from a random key, or from a pass phrase after PBKDF2, which slows guessing. Thread-safe. */
final class SecretKeys {
  static final int KEY_BYTES = 32;
  static final int LEAST_CHARACTERS = 16;
  /** Minimum bits of entropy, estimated by byte frequencies. */
  static final int LEAST_BITS = 60;
  /** PBKDF2 iterations, which take some tenths of a second. */
  static final int ROUNDS = 100_000;
  private static final byte[] SALT = "vertx-rdma cluster secret 1".getBytes(StandardCharsets.US_ASCII);
  private static final Pattern HEXADECIMAL = Pattern.compile("[0-9a-fA-F]{64,}");
  /** Requires a digit and both cases, so that a word is not taken for Base64. */
  private static final Pattern BASE64 = Pattern.compile("(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/_-]{43,}={0,2}");

  private static volatile Derived last;

  private final byte[] root;
  private final String id;
  /** MACs by purpose. {@link #mac} clones them, because deriving one takes ten times as long as a proof. */
  private final Map<String, Mac> keyed = new ConcurrentHashMap<>();

  private record Derived(byte[] secret, byte[] key) {
  }

  /** Blocks for a pass phrase. Errors name the {@code source}. @throws IllegalArgumentException if the secret is too weak */
  SecretKeys(byte[] secret, String source) {
    this.root = root(secret, source);
    this.id = HexFormat.of().formatHex(derive("id", 8));
  }

  static byte[] root(byte[] secret, String source) {
    String text = text(secret);
    if (text == null) {
      if (secret.length < KEY_BYTES || bits(secret) < LEAST_BITS) {
        throw weak(source, "is not text, and its " + secret.length + " bytes are not a key of " + KEY_BYTES + " bytes");
      }
      return secret.clone();
    }
    if (text.length() < LEAST_CHARACTERS) {
      throw weak(source, "has " + text.length() + " characters, but needs at least " + LEAST_CHARACTERS);
    }
    if (bits(secret) < LEAST_BITS) {
      throw weak(source, "is too easy to guess: its " + text.length() + " characters repeat each other");
    }
    return HEXADECIMAL.matcher(text).matches() || BASE64.matcher(text).matches() ? secret.clone() : derived(secret, text);
  }

  private static IllegalArgumentException weak(String source, String why) {
    return new IllegalArgumentException("the cluster secret from " + source + ' ' + why
      + ". Create a random key: head -c 32 /dev/urandom | base64");
  }

  /** Returns the secret as text; null if it is not UTF-8 or has control characters. */
  static String text(byte[] secret) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(secret)).toString();
      return text.chars().anyMatch(c -> Character.isISOControl(c) && c != '\t' && c != '\n' && c != '\r') ? null : text;
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static double bits(byte[] secret) {
    int[] counts = new int[256];
    for (byte each : secret) {
      counts[each & 0xff]++;
    }
    double nats = 0;
    for (int count : counts) {
      nats += count == 0 ? 0 : count * Math.log((double) secret.length / count);
    }
    return nats / Math.log(2);
  }

  private static byte[] derived(byte[] secret, String text) {
    Derived cached = last;
    if (cached == null || !Arrays.equals(cached.secret, secret)) {
      try {
        PBEKeySpec spec = new PBEKeySpec(text.toCharArray(), SALT, ROUNDS, 8 * KEY_BYTES);
        cached = new Derived(secret.clone(), SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded());
        spec.clearPassword();
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("this JDK lacks PBKDF2WithHmacSHA256", e);
      }
      last = cached;
    }
    return cached.key.clone();
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

  /** Derives a key of 1 to 32 bytes. {@link javax.crypto.KDF} would load all security providers. */
  byte[] derive(String purpose, int length) {
    Mac expanding = hmac(hmac(new byte[KEY_BYTES]).doFinal(root));
    expanding.update(("vertx-rdma " + purpose).getBytes(StandardCharsets.US_ASCII));
    return Arrays.copyOf(expanding.doFinal(new byte[] {1}), Objects.checkIndex(length, KEY_BYTES + 1));
  }

  Mac mac(String purpose) {
    try {
      return (Mac) keyed.computeIfAbsent(purpose, each -> hmac(derive(each, KEY_BYTES))).clone();
    } catch (CloneNotSupportedException e) {
      return hmac(derive(purpose, KEY_BYTES));
    }
  }

  private static Mac hmac(byte[] key) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK lacks HmacSHA256", e);
    }
  }
}
