package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.base.FileErrors;
import io.github.vertxrdma.base.GivenPath;
import io.github.vertxrdma.functions.CodeOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signatures of jars. They also cover a fixed prefix, so that signatures for other purposes are invalid. */
public final class CodeSignature {
  private static final byte[] PURPOSE = "vertx-rdma function code 1\n".getBytes(StandardCharsets.US_ASCII);
  private static final int LEAST_SECRET = 16;

  private CodeSignature() {
  }

  public static byte[] secret(Path file) throws IOException {
    try {
      return secret(Files.readAllBytes(file));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new IOException("cannot read the secret of code in " + file + ": " + FileErrors.words(e)
        + ". Correct the path in CodeOptions.setSecretFile, or give this user the right to read the file.", e);
    }
  }

  public static byte[] secret(byte[] bytes) {
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] <= ' ' && bytes[end - 1] >= 0) {
      end--;
    }
    if (end < LEAST_SECRET) {
      throw new IllegalArgumentException("a secret of " + end + " bytes is too short to sign code; use at least " + LEAST_SECRET);
    }
    return Arrays.copyOf(bytes, end);
  }

  /** Computes the HMAC-SHA256 with a key derived from the secret. */
  public static byte[] mac(byte[] jar, byte[] secret) {
    return hmac(hmac(secret, PURPOSE), PURPOSE, jar);
  }

  private static byte[] hmac(byte[] key, byte[]... parts) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HmacSHA256", e);
    }
  }

  public static byte[] sign(byte[] jar, PrivateKey key) throws GeneralSecurityException {
    Signature signature = of(key);
    signature.initSign(key);
    signature.update(PURPOSE);
    signature.update(jar);
    return signature.sign();
  }

  private static Signature of(Key key) throws NoSuchAlgorithmException {
    return Signature.getInstance(switch (key.getAlgorithm()) {
      case "EdDSA", "Ed25519" -> "Ed25519";
      case "EC" -> "SHA256withECDSA";
      case "RSA" -> "SHA256withRSA";
      default -> throw new NoSuchAlgorithmException("a key of " + key.getAlgorithm() + " cannot sign code; use Ed25519, EC or RSA");
    });
  }

  static boolean isGood(byte[] jar, boolean bySecret, byte[] signature, CodeOptions options) throws IOException {
    if (bySecret) {
      return options.getSecretFile() != null
        && MessageDigest.isEqual(mac(jar, secret(GivenPath.of(options.getSecretFile(), "CodeOptions.setSecretFile"))), signature);
    }
    for (String encoded : options.getPublicKeys()) {
      try {
        PublicKey key = publicKey(encoded);
        Signature check = of(key);
        check.initVerify(key);
        check.update(PURPOSE);
        check.update(jar);
        if (check.verify(signature)) {
          return true;
        }
      } catch (GeneralSecurityException e) {
        // A signature by another type of key.
      }
    }
    return false;
  }

  private static PublicKey publicKey(String encoded) throws IOException, GeneralSecurityException {
    X509EncodedKeySpec spec;
    try {
      spec = new X509EncodedKeySpec(Base64.getDecoder().decode(encoded));
    } catch (IllegalArgumentException e) {
      throw new IOException("a public key of CodeOptions is not in Base64", e);
    }
    for (String algorithm : List.of("Ed25519", "EC", "RSA")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePublic(spec);
      } catch (InvalidKeySpecException e) {
        // Tries the next type of key.
      }
    }
    throw new IOException("a public key of CodeOptions cannot be read: use an Ed25519, EC or RSA key in X.509 form");
  }
}
