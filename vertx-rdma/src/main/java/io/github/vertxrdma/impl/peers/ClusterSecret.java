package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.FileErrors;
import io.github.vertxrdma.base.GivenPath;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.impl.process.Setting;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;

/** Secret of a cluster. Of two secrets in a file, the node proves the first and accepts both, so that it can be replaced. Thread-safe. */
public final class ClusterSecret {
  /** System property, and environment variable {@code VERTX_RDMA_SECRET_FILE}: file of the cluster secret if the options name none. */
  public static final String FILE_PROPERTY = "vertx.rdma.secret.file";
  public static final String FILE_VARIABLE = "VERTX_RDMA_SECRET_FILE";
  public static final String VARIABLE = "VERTX_RDMA_SECRET";

  private static final Logger LOG = LoggerFactory.getLogger(ClusterSecret.class);

  private volatile String source;
  private final Path file;
  /** True for the secret of this user, which {@link UserSecret} reads. */
  private final boolean local;
  /** Keys of the accepted secrets. This node proves the first. */
  private volatile List<SecretKeys> keys;
  /** Inode, modification time and size of {@link #file} at the last read; the secrets if they are the user's. Guarded by this. */
  private List<?> stamp = List.of();
  private volatile boolean complete = true;

  private ClusterSecret(String source, Path file, boolean local) {
    this.source = source;
    this.file = file;
    this.local = local;
  }

  private ClusterSecret(SecretKeys only, String source) {
    this(source, null, false);
    this.keys = List.of(only);
  }

  /** Returns a cluster secret. Blocks if the bytes are a pass phrase, from which a key is derived slowly. */
  public static ClusterSecret of(byte[] secret) {
    return new ClusterSecret(new SecretKeys(secret, "the options"), "the options");
  }

  /** Loads the given file, or what {@link #FILE_PROPERTY} or {@link #VARIABLE} names, or this user's random secret. Blocks. */
  public static ClusterSecret load(String file) throws IOException {
    return load(file, System.getenv());
  }

  public static boolean isConfigured() {
    return Setting.of(FILE_PROPERTY) != null || !System.getenv().getOrDefault(VARIABLE, "").isEmpty();
  }

  static ClusterSecret load(String file, Map<String, String> environment) throws IOException {
    if (file != null) {
      return ofFile(GivenPath.of(file, "the option secretFile"), "file " + file);
    }
    String named = Setting.of(FILE_PROPERTY, environment);
    if (named != null) {
      String setting = FILE_PROPERTY + " or " + FILE_VARIABLE;
      return ofFile(GivenPath.of(named, setting), "file " + named + " (" + setting + ")");
    }
    String value = environment.get(VARIABLE);
    if (value != null && !value.isEmpty()) {
      return new ClusterSecret(new SecretKeys(value.getBytes(StandardCharsets.UTF_8), VARIABLE), VARIABLE);
    }
    ClusterSecret made = new ClusterSecret("this user's file", null, true);
    made.refresh();
    return made;
  }

  private static ClusterSecret ofFile(Path file, String source) throws IOException {
    ClusterSecret made = new ClusterSecret(source, file, false);
    made.refresh();
    if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
      if (mode.contains(PosixFilePermission.OTHERS_READ) || mode.contains(PosixFilePermission.OTHERS_WRITE)) {
        LOG.warn("The cluster secret in " + source + " can be read or written by every user of this host. Run chmod o= " + file);
      }
    }
    return made;
  }

  public boolean local() {
    return local;
  }

  /** Returns the files that {@link #refresh} reads. Blocks. */
  public List<Path> files() {
    try {
      return local ? UserSecret.files(RuntimeFolder.all()) : file == null ? List.of() : List.of(file);
    } catch (IOException e) {
      // A refresh fails, too, and is repeated.
      return List.of();
    }
  }

  /** Reads the secret again if its file changed, and restores a removed file of the user. Blocks. Returns whether the secret changed. */
  public synchronized boolean refresh() throws IOException {
    String before = keys == null ? "" : id();
    if (local) {
      List<Path> folders = RuntimeFolder.all();
      source = (folders.size() == 1 ? "this user's file " : "this user's files ")
        + UserSecret.files(folders).stream().map(Path::toString).collect(Collectors.joining(" and "));
      UserSecret.Accepted read = UserSecret.read(folders);
      List<ByteBuffer> now = read.secrets().stream().map(ByteBuffer::wrap).toList();
      if (!now.equals(stamp)) {
        keys = read.secrets().stream().map(secret -> new SecretKeys(secret, source)).toList();
        stamp = now;
      }
      complete = read.ofAll();
    } else if (file != null) {
      readFile();
    }
    return !before.equals(id());
  }

  /** Returns whether the last {@link #refresh} could use all files. Otherwise it should be repeated. */
  public boolean isComplete() {
    return complete;
  }

  private void readFile() throws IOException {
    try {
      BasicFileAttributes is = Files.readAttributes(file, BasicFileAttributes.class);
      List<Object> now = List.of(String.valueOf(is.fileKey()), is.lastModifiedTime(), is.size());
      if (!now.equals(stamp)) {
        keys = secrets(Files.readAllBytes(file)).map(secret -> new SecretKeys(secret, source)).toList();
        stamp = now;
      }
    } catch (IOException e) {
      throw new IOException("cannot read the cluster secret in " + source + ": " + FileErrors.words(e)
        + ". Correct the path, or give this user the right to read the file.", e);
    }
  }

  /** Returns both lines if the content is two lines of sufficient length, otherwise the content without its line end. */
  private static Stream<byte[]> secrets(byte[] content) {
    int end = content.length;
    while (end > 0 && (content[end - 1] == '\n' || content[end - 1] == '\r')) {
      end--;
    }
    byte[] secret = Arrays.copyOf(content, end);
    String text = SecretKeys.text(secret);
    String[] lines = text == null ? new String[0] : text.split("\r?\n", -1);
    return lines.length == 2 && Stream.of(lines).allMatch(line -> line.length() >= SecretKeys.LEAST_CHARACTERS)
      ? Stream.of(lines).map(line -> line.getBytes(StandardCharsets.UTF_8)) : Stream.of(secret);
  }

  /** Returns identifiers of the accepted secrets, separated by blanks, which do not reveal them. */
  public String id() {
    return keys.stream().map(SecretKeys::id).collect(Collectors.joining(" "));
  }

  /** Returns one object per accepted secret, the first for the secret that this node proves. */
  public List<ClusterSecret> accepted() {
    return keys.stream().map(each -> new ClusterSecret(each, source)).toList();
  }

  Mac mac(String purpose) {
    return keys.getFirst().mac(purpose);
  }

  public byte[] prove(String purpose, byte[]... parts) {
    return keys.getFirst().prove(purpose, parts);
  }

  /** Returns whether a proof was made with an accepted secret. Compares in constant time. */
  public boolean isProof(byte[] given, String purpose, byte[]... parts) {
    return keys.stream().anyMatch(each -> MessageDigest.isEqual(each.prove(purpose, parts), given));
  }

  public byte[] derive(String purpose, int length) {
    return keys.getFirst().derive(purpose, length);
  }

  @Override
  public String toString() {
    return "cluster secret from " + source;
  }
}
