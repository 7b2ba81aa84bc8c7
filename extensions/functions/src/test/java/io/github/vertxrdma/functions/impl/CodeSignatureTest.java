package io.github.vertxrdma.functions.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.functions.CodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CodeSignatureTest {
  private static final byte[] JAR = new byte[1000];

  @TempDir
  Path folder;

  private static String encoded(KeyPair keys) {
    return Base64.getEncoder().encodeToString(keys.getPublic().getEncoded());
  }

  @ParameterizedTest
  @ValueSource(strings = {"Ed25519", "EC", "RSA"})
  void anAllowedKeyIsGoodAndNoOther(String algorithm) throws Exception {
    KeyPair keys = KeyPairGenerator.getInstance(algorithm).generateKeyPair();
    KeyPair others = KeyPairGenerator.getInstance("EC").generateKeyPair();
    byte[] signature = CodeSignature.sign(JAR, keys.getPrivate());
    assertTrue(CodeSignature.isGood(JAR, false, signature, new CodeOptions().addPublicKey(encoded(others)).addPublicKey(encoded(keys))));
    assertFalse(CodeSignature.isGood(JAR, false, signature, new CodeOptions().addPublicKey(encoded(others))));
    assertFalse(CodeSignature.isGood(new byte[999], false, signature, new CodeOptions().addPublicKey(encoded(keys))));
    assertFalse(CodeSignature.isGood(JAR, false, new byte[3], new CodeOptions().addPublicKey(encoded(keys))));
    assertFalse(CodeSignature.isGood(JAR, true, signature, new CodeOptions().addPublicKey(encoded(keys))));
    assertFalse(CodeSignature.isGood(JAR, false, signature, new CodeOptions()));
  }

  @Test
  void onlyTheSigningSecretVerifies() throws Exception {
    Path mine = Files.writeString(folder.resolve("mine"), "sixteen bytes and more");
    Path same = Files.writeString(folder.resolve("same"), "sixteen bytes and more\n");
    Path other = Files.writeString(folder.resolve("other"), "sixteen bytes and less");
    byte[] mac = CodeSignature.mac(JAR, CodeSignature.secret(mine));
    assertTrue(CodeSignature.isGood(JAR, true, mac, new CodeOptions().setSecretFile(same.toString())));
    assertFalse(CodeSignature.isGood(JAR, true, mac, new CodeOptions().setSecretFile(other.toString())));
    assertFalse(CodeSignature.isGood(JAR, true, mac, new CodeOptions()));
  }

  @Test
  void invalidSecretOrKeyFails() throws Exception {
    Path small = Files.writeString(folder.resolve("small"), "fifteen bytes !\n");
    assertTrue(assertThrows(IOException.class, () -> CodeSignature.secret(small)).getMessage().contains("small: a secret of 15 bytes"));
    Path none = folder.resolve("none");
    String failure = assertThrows(IOException.class, () -> CodeSignature.secret(none)).getMessage();
    assertTrue(failure.startsWith("cannot read the secret of code in " + none + ": there is no such file or folder. Correct"), failure);
    failure = assertThrows(IllegalArgumentException.class,
      () -> CodeSignature.isGood(JAR, true, new byte[32], new CodeOptions().setSecretFile("a\0b"))).getMessage();
    assertTrue(failure.contains(" of CodeOptions.setSecretFile: "), failure);
    assertThrows(IOException.class, () -> CodeSignature.isGood(JAR, false, new byte[64], new CodeOptions().addPublicKey("?")));
    assertThrows(IOException.class, () -> CodeSignature.isGood(JAR, false, new byte[64], new CodeOptions().addPublicKey("AAAA")));
    assertThrows(GeneralSecurityException.class, () -> CodeSignature.sign(JAR, KeyPairGenerator.getInstance("X25519").generateKeyPair()
      .getPrivate()));
    assertEquals(32, CodeSignature.mac(JAR, new byte[16]).length);
  }
}
