package io.github.vertxrdma.functions;

import io.github.vertxrdma.functions.impl.CodeSignature;
import io.vertx.core.buffer.Buffer;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;

/** A jar and its signature. {@code META-INF/services} of the jar names {@link FunctionProvider}s. */
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
   * Signs with HMAC-SHA256 and a key derived from a secret.
   *
   * @param secret content of the servers' {@link CodeOptions#getSecretFile}; at least 16 bytes without trailing white space
   * @throws IllegalArgumentException if the secret is shorter
   */
  public static SignedCode withSecret(Buffer jar, Buffer secret) {
    return new SignedCode(jar, true, CodeSignature.mac(jar.getBytes(), CodeSignature.secret(secret.getBytes())));
  }

  /**
   * Signs with a private key: Ed25519, EC or RSA.
   *
   * @throws GeneralSecurityException for keys of other types
   */
  public static SignedCode withKey(Buffer jar, PrivateKey key) throws GeneralSecurityException {
    return new SignedCode(jar, false, CodeSignature.sign(jar.getBytes(), key));
  }

  /**
   * Creates signed code from an existing signature.
   *
   * @param secret true for a signature with a secret, false with a key
   */
  public static SignedCode of(Buffer jar, boolean secret, Buffer signature) {
    return new SignedCode(jar, secret, signature.getBytes());
  }

  public Buffer jar() {
    return jar.copy();
  }

  public boolean bySecret() {
    return secret;
  }

  public Buffer signature() {
    return signature.copy();
  }
}
