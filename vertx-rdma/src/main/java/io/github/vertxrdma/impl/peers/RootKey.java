package io.github.vertxrdma.impl.peers;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.regex.Pattern;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Root of all derived keys: a random key (raw, hexadecimal or Base64), or a pass phrase after PBKDF2, which slows guessing. */
final class RootKey {
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
  private static final String REMEDY = ". Create a random key: head -c 32 /dev/urandom | base64";

  private static volatile Derived last;

  private record Derived(byte[] secret, byte[] key) {
  }

  private RootKey() {
  }

  /**
   * Returns the root key. Blocks for a pass phrase.
   *
   * @throws IllegalArgumentException if the secret is too short or too weak
   */
  static byte[] of(byte[] secret, String source) {
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
    return new IllegalArgumentException("the cluster secret from " + source + ' ' + why + REMEDY);
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
}
