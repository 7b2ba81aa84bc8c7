package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Secret shared by the nodes of a cluster. Never logged. Each purpose has a derived key (HKDF, RFC 5869). Immutable. */
public final class ClusterSecret {
  /** System property: file of the secret. */
  public static final String FILE_PROPERTY = "vertx.rdma.secret.file";
  /** Environment variable: file of the secret. */
  public static final String FILE_VARIABLE = "VERTX_RDMA_SECRET_FILE";
  /** Environment variable: the secret. */
  public static final String VARIABLE = "VERTX_RDMA_SECRET";

  private static final Logger LOG = LoggerFactory.getLogger(ClusterSecret.class);
  private static final int KEY_BYTES = 32;

  private final byte[] root;
  private final String source;
  private final boolean local;
  private final String id;
  /** MACs by purpose, to be cloned: deriving a key takes ten times longer than a proof. */
  private final Map<String, Mac> keyed = new ConcurrentHashMap<>();

  private ClusterSecret(byte[] secret, String source, boolean local) {
    this.root = RootKey.of(secret, source);
    this.source = source;
    this.local = local;
    this.id = HexFormat.of().formatHex(derive("id", 8));
  }

  /**
   * Returns the secret of 32 random bytes, or of a pass phrase, which blocks.
   *
   * @throws IllegalArgumentException if it is too short or too weak
   */
  public static ClusterSecret of(byte[] secret) {
    return new ClusterSecret(secret, "the options", false);
  }

  /**
   * Loads the secret from the first that exists: the given file, {@value #FILE_PROPERTY}, {@value #FILE_VARIABLE}, {@value #VARIABLE}, a
   * random file of this user and boot. Blocks.
   *
   * @throws IOException if the file cannot be read or created
   * @throws IllegalArgumentException if the secret is too short or too weak
   */
  public static ClusterSecret load(String file) throws IOException {
    return load(file, System.getenv());
  }

  /** Returns whether a secret is configured. Otherwise this user's random one is used. */
  public static boolean isConfigured() {
    return !System.getProperty(FILE_PROPERTY, "").isEmpty()
      || !System.getenv().getOrDefault(FILE_VARIABLE, "").isEmpty() || !System.getenv().getOrDefault(VARIABLE, "").isEmpty();
  }

  static ClusterSecret load(String file, Map<String, String> environment) throws IOException {
    if (file != null) {
      return read(Path.of(file), "file " + file);
    }
    String property = System.getProperty(FILE_PROPERTY, "");
    if (!property.isEmpty()) {
      return read(Path.of(property), "file " + property + " (-D" + FILE_PROPERTY + ")");
    }
    String named = environment.get(FILE_VARIABLE);
    if (named != null && !named.isEmpty()) {
      return read(Path.of(named), "file " + named + " (" + FILE_VARIABLE + ")");
    }
    String value = environment.get(VARIABLE);
    if (value != null && !value.isEmpty()) {
      return new ClusterSecret(value.getBytes(StandardCharsets.UTF_8), VARIABLE, false);
    }
    return user();
  }

  /** Returns whether the secret is this user's random one, which no other host has. */
  public boolean local() {
    return local;
  }

  /** Returns an identifier that does not reveal the secret. */
  public String id() {
    return id;
  }

  /** Returns an HMAC-SHA-256 of the parts, for {@link java.security.MessageDigest#isEqual}. */
  public byte[] prove(String purpose, byte[]... parts) {
    Mac mac = mac(purpose);
    for (byte[] part : parts) {
      mac.update(Cursor.writing(4 + part.length).block(4, part).toArray());
    }
    return mac.doFinal();
  }

  /** Derives a key of 1 … 32 bytes (RFC 5869). {@link javax.crypto.KDF} would load all security providers. */
  public byte[] derive(String purpose, int length) {
    byte[] info = ("vertx-rdma " + purpose).getBytes(StandardCharsets.US_ASCII);
    Mac expanding = hmac(hmac(new byte[KEY_BYTES]).doFinal(root));
    expanding.update(info);
    return Arrays.copyOf(expanding.doFinal(new byte[] {1}), Objects.checkIndex(length, KEY_BYTES + 1));
  }

  Mac mac(String purpose) {
    try {
      return (Mac) keyed.computeIfAbsent(purpose, this::newMac).clone();
    } catch (CloneNotSupportedException e) {
      return newMac(purpose);
    }
  }

  private Mac newMac(String purpose) {
    return hmac(derive(purpose, KEY_BYTES));
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

  @Override
  public String toString() {
    return "cluster secret from " + source;
  }

  private static ClusterSecret read(Path file, String source) throws IOException {
    byte[] content;
    try {
      content = Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IOException("the cluster secret in " + source + " cannot be read: " + e, e);
    }
    if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
      if (mode.contains(PosixFilePermission.OTHERS_READ) || mode.contains(PosixFilePermission.OTHERS_WRITE)) {
        LOG.warn("The cluster secret in " + source + " can be read or written by every user of this host: chmod o= " + file);
      }
    }
    int end = content.length;
    while (end > 0 && (content[end - 1] == '\n' || content[end - 1] == '\r')) {
      end--;
    }
    return new ClusterSecret(Arrays.copyOf(content, end), source, false);
  }

  private static ClusterSecret user() throws IOException {
    Path folder = RuntimeFolder.user();
    Path file = folder.resolve("secret-" + ProcessIdentity.current().bootId().replaceAll("[^A-Za-z0-9._-]", "_"));
    if (!Files.exists(file)) {
      byte[] random = new byte[32];
      new SecureRandom().nextBytes(random);
      RuntimeFolder.writeNew(file, HexFormat.of().formatHex(random).getBytes(StandardCharsets.US_ASCII));
    }
    RuntimeFolder.check(file);
    return new ClusterSecret(Files.readAllBytes(file), "this user's file " + file, true);
  }
}
