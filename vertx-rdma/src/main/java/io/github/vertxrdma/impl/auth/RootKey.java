package io.github.vertxrdma.impl.auth;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.regex.Pattern;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * The key that all others are derived from, of a secret as users give it. A key (32 random bytes or more, as they are, in hexadecimal or in
 * Base64) is taken as it is. Words go through PBKDF2, so that each guess at them costs as much as a start does; words that are guessed all
 * the same are refused.
 */
final class RootKey {
  /** Bytes of a key. */
  static final int KEY_BYTES = 32;
  /** Characters of words. */
  static final int LEAST_CHARACTERS = 16;
  /** Entropy that words must have at least, by how often each of their bytes occurs; it finds the hopeless ones alone. */
  static final int LEAST_BITS = 60;
  /** Rounds of PBKDF2: some tenths of a second, once in a process, off the event loop. */
  static final int ROUNDS = 100_000;

  private static final byte[] SALT = "vertx-rdma cluster secret 1".getBytes(StandardCharsets.US_ASCII);
  private static final Pattern HEXADECIMAL = Pattern.compile("[0-9a-fA-F]{64,}");
  /** With digits and letters of both kinds, as random bytes have: words written in one have not, and PBKDF2 harms no key that has not. */
  private static final Pattern BASE64 = Pattern.compile("(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/_-]{43,}={0,2}");
  private static final String REMEDY = "; best use a random key: head -c 32 /dev/urandom | base64";

  /** The last words of this process and their key: several nodes have the same. */
  private static volatile Derived last;

  private record Derived(byte[] words, byte[] key) {
  }

  private RootKey() {
  }

  /**
   * Takes a key, or derives one of words; that blocks for a while.
   *
   * @param source where the secret is from, for messages
   * @throws IllegalArgumentException if it is too short, or guessed too easily
   */
  static byte[] of(byte[] secret, String source) {
    String text = text(secret);
    if (text == null) {
      if (secret.length < KEY_BYTES || bits(secret) < LEAST_BITS) {
        throw weak(source, "is not text, and its " + secret.length + " bytes are no key of " + KEY_BYTES + " random bytes");
      }
      return secret.clone();
    }
    if (text.length() < LEAST_CHARACTERS) {
      throw weak(source, "has " + text.length() + " characters; use at least " + LEAST_CHARACTERS);
    }
    if (bits(secret) < LEAST_BITS) {
      throw weak(source, "is guessed too easily: its " + text.length() + " characters repeat each other; use more and different ones");
    }
    return HEXADECIMAL.matcher(text).matches() || BASE64.matcher(text).matches() ? secret.clone() : derived(secret, text);
  }

  private static IllegalArgumentException weak(String source, String why) {
    return new IllegalArgumentException("the cluster secret from " + source + ' ' + why + REMEDY);
  }

  /** Null for bytes that nobody has typed. */
  private static String text(byte[] secret) {
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

  private static byte[] derived(byte[] secret, String words) {
    Derived known = last;
    if (known == null || !Arrays.equals(known.words, secret)) {
      try {
        PBEKeySpec spec = new PBEKeySpec(words.toCharArray(), SALT, ROUNDS, 8 * KEY_BYTES);
        known = new Derived(secret.clone(), SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded());
        spec.clearPassword();
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("this JDK lacks PBKDF2WithHmacSHA256", e);
      }
      last = known;
    }
    return known.key.clone();
  }
}
