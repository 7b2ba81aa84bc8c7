package io.github.vertxrdma.impl.peers;

import static org.junit.jupiter.api.Assertions.*;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.impl.process.HeldFile;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.LogLines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ClusterSecretTest {
  private static final String VALUE = "a secret of some length";
  @TempDir
  Path temp;

  @AfterEach
  void restore() {
    System.clearProperty(RuntimeFolder.PROPERTY);
  }

  @Test
  void optionBeforeFileBeforeVariable() throws Exception {
    Path option = Files.writeString(temp.resolve("option"), "the option comes first\n");
    Path file = Files.writeString(temp.resolve("file"), "then comes the file\r\n");
    Map<String, String> environment = Map.of(ClusterSecret.FILE_VARIABLE, file.toString(), ClusterSecret.VARIABLE, VALUE);
    assertEquals(ClusterSecret.of("the option comes first".getBytes()).id(), ClusterSecret.load(option.toString(), environment).id());
    assertEquals(ClusterSecret.of("then comes the file".getBytes()).id(), ClusterSecret.load(null, environment).id());
    ClusterSecret variable = ClusterSecret.load(null, Map.of(ClusterSecret.VARIABLE, VALUE));
    assertEquals(ClusterSecret.of(VALUE.getBytes()).id(), variable.id());
    assertFalse(variable.local());
    assertFalse(variable.toString().contains("secret of some"), variable.toString());
  }

  @Test
  void theUsersOwnIsMadeOnceAndKeptPrivate() throws Exception {
    System.setProperty(RuntimeFolder.PROPERTY, temp.resolve("runtime").toString());
    Set<String> ids = ConcurrentHashMap.newKeySet();
    IntStream.range(0, 16).parallel().forEach(i -> {
      try {
        ids.add(ClusterSecret.load(null, Map.of()).id());
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    });
    assertEquals(1, ids.size());
    assertTrue(ClusterSecret.load(null, Map.of()).local());
    Path file = temp.resolve("runtime").resolve("secret");
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    String message = assertThrows(IOException.class, () -> ClusterSecret.load(null, Map.of())).getMessage();
    assertTrue(message.contains("chmod"), message);
  }

  /** Uses the secret of a runtime folder until it is killed, and restores it for each line of input. Argument: the folder. */
  static final class User {
    public static void main(String[] arguments) throws Exception {
      System.setProperty(RuntimeFolder.PROPERTY, arguments[0]);
      ClusterSecret secret = ClusterSecret.load(null, Map.of());
      System.out.println("id " + secret.id());
      while (System.in.read() == '\n') {
        secret.refresh();
        System.out.println("checked");
      }
    }
  }

  @Test
  void secretThatOthersRemovedIsRestoredByProcessesThatUseIt() throws Exception {
    Path runtime = temp.resolve("runtime");
    try (ChildJvm one = ChildJvm.start(User.class, runtime.toString()); ChildJvm two = ChildJvm.start(User.class, runtime.toString())) {
      String id = one.await("id");
      assertEquals(id, two.await("id"));
      Files.delete(runtime.resolve("secret"));
      one.send("");
      one.await("checked");
      two.send("");
      two.await("checked");
      try (ChildJvm later = ChildJvm.start(User.class, runtime.toString())) {
        assertEquals(id, later.await("id"));
      }
      one.kill();
      one.waitFor();
      try (ChildJvm later = ChildJvm.start(User.class, runtime.toString())) {
        assertEquals(id, later.await("id"), "the second process has locked the restored file");
      }
    }
  }

  @Test
  void secretIsRenewedWhenNoProcessUsesIt() throws Exception {
    Path runtime = RuntimeFolder.ensure(temp.resolve("runtime"));
    assumeTrue(HeldFile.seesLocks(runtime.resolve("secret")), "SKIPPED: the temporary folder is on a file system of several kernels");
    try (ChildJvm one = ChildJvm.start(User.class, runtime.toString())) {
      String id = one.await("id");
      one.kill();
      one.waitFor();
      try (ChildJvm later = ChildJvm.start(User.class, runtime.toString())) {
        assertNotEquals(id, later.await("id"));
      }
    }
  }

  @Test
  void secretThatAnotherProcessMadeMeanwhileIsProvedAndBothAreAccepted() throws Exception {
    Path runtime = temp.resolve("runtime");
    System.setProperty(RuntimeFolder.PROPERTY, runtime.toString());
    ClusterSecret secret = ClusterSecret.load(null, Map.of());
    String before = secret.id();
    byte[] proof = secret.prove("test");
    Files.delete(runtime.resolve("secret"));
    try (ChildJvm other = ChildJvm.start(User.class, runtime.toString()); LogLines log = new LogLines(UserSecret.class)) {
      String made = other.await("id");
      assertNotEquals(before, made);
      assertTrue(secret.refresh());
      assertFalse(secret.refresh());
      assertEquals(made + ' ' + before, secret.id());
      assertTrue(secret.isProof(proof, "test"));
      assertEquals(1, log.lines().size(), log.lines().toString());
      assertTrue(log.lines().getFirst().contains("was replaced by another process"), log.lines().toString());
    }
  }

  @Test
  void secretIsReplacedByFilesWithTwoLines() throws Exception {
    String next = "the secret that comes next";
    Path file = Files.writeString(temp.resolve("file"), VALUE + '\n');
    ClusterSecret old = ClusterSecret.of(VALUE.getBytes());
    ClusterSecret secret = ClusterSecret.load(file.toString());
    assertFalse(secret.refresh());
    // All nodes have to know the new secret before a node proves it.
    Files.writeString(file, VALUE + '\n' + next + '\n');
    assertTrue(secret.refresh());
    assertTrue(old.isProof(secret.prove("a"), "a"));
    assertTrue(secret.isProof(ClusterSecret.of(next.getBytes()).prove("a"), "a"));
    Files.writeString(file, next + "\r\n" + VALUE + "\r\n\r\n");
    assertTrue(secret.refresh());
    assertFalse(old.isProof(secret.prove("a"), "a"));
    assertTrue(secret.isProof(old.prove("a"), "a"));
    Files.writeString(file, next);
    assertTrue(secret.refresh());
    assertFalse(secret.isProof(old.prove("a"), "a"));
    assertEquals(ClusterSecret.of(next.getBytes()).id(), secret.id());
    Files.writeString(file, "short");
    assertThrows(IllegalArgumentException.class, secret::refresh);
    Files.delete(file);
    assertThrows(IOException.class, secret::refresh);
    assertEquals(ClusterSecret.of(next.getBytes()).id(), secret.id());
  }

  /** A proof covers only its own parts, on any thread, although each purpose's key is cached. */
  @Test
  void proofsAreOfTheirOwnPartsAndPurposeAlone() throws Exception {
    ClusterSecret kept = ClusterSecret.of(VALUE.getBytes());
    List<byte[]> proofs = IntStream.range(0, 2_000).parallel().mapToObj(i -> kept.prove("purpose "
      + i % 3, part(i), part(i + 1))).toList();
    for (int i = 0; i < proofs.size(); i++) {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(kept.derive("purpose " + i % 3, 32), "HmacSHA256"));
      mac.update(ByteBuffer.allocate(4).putInt(part(i).length).array());
      mac.update(part(i));
      mac.update(ByteBuffer.allocate(4).putInt(part(i + 1).length).array());
      assertArrayEquals(mac.doFinal(part(i + 1)), proofs.get(i), "proof " + i);
    }
  }

  private static byte[] part(int i) {
    byte[] part = new byte[i % 200];
    new Random(i).nextBytes(part);
    return part;
  }

  @Test
  void badOnesAreNamed() throws Exception {
    String missing = temp.resolve("missing").toString();
    String message = assertThrows(IOException.class, () -> ClusterSecret.load(missing)).getMessage();
    assertTrue(message.contains(missing) && message.endsWith(": there is no such file or folder. Correct the path, or give this user the"
      + " right to read the file."), message);
    Path empty = Files.createFile(temp.resolve("empty"));
    message = assertThrows(IllegalArgumentException.class, () -> ClusterSecret.load(empty.toString())).getMessage();
    assertTrue(message.contains("at least 16"), message);
    for (String option : new String[] {"a\0b", null}) {
      message = assertThrows(IllegalArgumentException.class,
        () -> ClusterSecret.load(option, Map.of(ClusterSecret.FILE_VARIABLE, "a\0b"))).getMessage();
      assertTrue(message.contains(option == null ? ClusterSecret.FILE_VARIABLE : " of the option secretFile: "), message);
    }
  }

  @Test
  void weakSecretIsRefused() {
    byte[] random = new byte[32];
    new Random(1).nextBytes(random);
    for (byte[] weak : List.of("passwordpassword".getBytes(), "changemechangeme".getBytes(), new byte[100], "a".repeat(200).getBytes(),
      "too short".getBytes(), Arrays.copyOf(random, 31))) {
      String message = assertThrows(IllegalArgumentException.class, () -> ClusterSecret.of(weak)).getMessage();
      assertTrue(message.contains("head -c 32 /dev/urandom"), message);
    }
  }

  /**
   * Sixteen characters of text are a passphrase, and so are sixteen random bytes in hexadecimal or Base64. As raw bytes they are too few.
   */
  @Test
  void sixteenBytesAreWordsOrNothing() {
    byte[] random = new byte[16];
    new Random(1).nextBytes(random);
    for (String words : List.of("f4st;Kw9-xQ2+mZ!", HexFormat.of().formatHex(random), Base64.getEncoder().encodeToString(random))) {
      byte[] key = SecretKeys.root(words.getBytes(), "a test");
      assertEquals(SecretKeys.KEY_BYTES, key.length);
      assertFalse(Arrays.equals(words.getBytes(), key), "derived");
    }
    String message = assertThrows(IllegalArgumentException.class, () -> ClusterSecret.of(random)).getMessage();
    assertTrue(message.contains("is not text, and its 16 bytes are not a key of 32 bytes"), message);
    message = assertThrows(IllegalArgumentException.class, () -> ClusterSecret.of("f4st;Kw9-xQ2+mZ".getBytes())).getMessage();
    assertTrue(message.contains("has 15 characters, but needs at least 16"), message);
  }

  /** Keys of 32 bytes are used unchanged; passphrases are derived. A key that is taken for a passphrase is as good. */
  @Test
  void keysAreTakenAsTheyAreAndWordsAreDerived() throws Exception {
    byte[] random = new byte[32];
    new Random(1).nextBytes(random);
    String hex = HexFormat.of().formatHex(random);
    String base64 = Base64.getEncoder().encodeToString(random);
    for (byte[] key : List.of(random, hex.getBytes(), base64.getBytes())) {
      assertArrayEquals(key, SecretKeys.root(key, "a test"));
    }
    byte[] words = SecretKeys.root(VALUE.getBytes(), "a test");
    assertEquals(SecretKeys.KEY_BYTES, words.length);
    PBEKeySpec spec = new PBEKeySpec(VALUE.toCharArray(), "vertx-rdma cluster secret 1".getBytes(), SecretKeys.ROUNDS, 256);
    assertArrayEquals(SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded(), words);
    assertArrayEquals(SecretKeys.root("and some other words too".getBytes(), "a test"),
      SecretKeys.root("and some other words too".getBytes(), "a test"));
  }

  @Test
  void keysAreThoseOfTheStandard() throws Exception {
    ClusterSecret secret = ClusterSecret.of(VALUE.getBytes());
    HKDFParameterSpec.Builder root = HKDFParameterSpec.ofExtract().addIKM(SecretKeys.root(VALUE.getBytes(), "a test"));
    for (int length : new int[] {1, 8, 31, 32}) {
      assertArrayEquals(KDF.getInstance("HKDF-SHA256").deriveData(root.thenExpand("vertx-rdma a".getBytes(), length)),
        secret.derive("a", length));
    }
    assertThrows(IndexOutOfBoundsException.class, () -> secret.derive("a", 33));
  }
}
