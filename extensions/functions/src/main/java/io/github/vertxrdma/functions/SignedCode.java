package io.github.vertxrdma.functions;

import io.github.vertxrdma.functions.impl.CodeSignature;
import io.vertx.core.buffer.Buffer;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;

/**
 * A jar with functions, and its signature. Its {@link FunctionProvider}s, named in its {@code META-INF/services}, register the functions of
 * the workers to which it is sent. Immutable.
 */
public final class SignedCode {
  private final Buffer jar;
  private final boolean secret;
  private final Buffer signature;

  private SignedCode(Buffer jar, boolean secret, byte[] signature) {
    this.jar = jar.copy();
    this.secret = secret;
    this.signature = Buffer.buffer(signature);
  }

  /**
   * Signs with the cluster secret (HMAC-SHA256 under a key derived from it).
   *
   * @param secret content of the file of {@link CodeOptions#getSecretFile} of the servers, such as the cluster secret; at least 16 bytes,
   * without the white space at its end
   * @throws IllegalArgumentException if it is shorter
   */
  public static SignedCode withSecret(Buffer jar, Buffer secret) {
    return new SignedCode(jar, true, CodeSignature.mac(jar.getBytes(), CodeSignature.secret(secret.getBytes())));
  }

  /**
   * Signs with a private key: Ed25519, EC or RSA.
   *
   * @throws GeneralSecurityException if it is of another type
   */
  public static SignedCode withKey(Buffer jar, PrivateKey key) throws GeneralSecurityException {
    return new SignedCode(jar, false, CodeSignature.sign(jar.getBytes(), key));
  }

  /**
   * Creates signed code from an existing signature.
   *
   * @param secret true if the secret signed it, false if a key did
   */
  public static SignedCode of(Buffer jar, boolean secret, Buffer signature) {
    return new SignedCode(jar, secret, signature.getBytes());
  }

  /** Returns a copy of the jar. */
  public Buffer jar() {
    return jar.copy();
  }

  /** Returns true if it was signed with the cluster secret, false if with a key. */
  public boolean bySecret() {
    return secret;
  }

  /** Returns a copy of the signature. */
  public Buffer signature() {
    return signature.copy();
  }
}
