package io.github.vertxrdma.functions;

import io.github.vertxrdma.functions.impl.CodeSignature;
import io.vertx.core.buffer.Buffer;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;

/**
 * A jar with functions, and the signature that vouches for it. Its {@link FunctionProvider}s, named in its {@code META-INF/services},
 * register the functions of the workers that it is sent to. Immutable.
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
   * Signs with the cluster secret (HMAC-SHA256 under a key that is derived from it).
   *
   * @param secret content of the file that {@link CodeOptions#getSecretFile} of the servers names, such as the cluster's own; at least 16
   *   bytes, without the white space at its end
   * @throws IllegalArgumentException if it is shorter
   */
  public static SignedCode withSecret(Buffer jar, Buffer secret) {
    return new SignedCode(jar, true, CodeSignature.mac(jar.getBytes(), CodeSignature.secret(secret.getBytes())));
  }

  /** Signs with a private key: Ed25519, EC or RSA. @throws GeneralSecurityException if it is none of these */
  public static SignedCode withKey(Buffer jar, PrivateKey key) throws GeneralSecurityException {
    return new SignedCode(jar, false, CodeSignature.sign(jar.getBytes(), key));
  }

  /** With a signature that was made elsewhere. @param secret whether by the secret, or by a key */
  public static SignedCode of(Buffer jar, boolean secret, Buffer signature) {
    return new SignedCode(jar, secret, signature.getBytes());
  }

  /** The jar; a copy. */
  public Buffer jar() {
    return jar.copy();
  }

  /** Whether it was signed with the cluster secret, or with a key. */
  public boolean bySecret() {
    return secret;
  }

  /** The signature; a copy. */
  public Buffer signature() {
    return signature.copy();
  }
}
