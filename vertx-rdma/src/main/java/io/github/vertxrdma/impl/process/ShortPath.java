package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.directory.ProcessIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Path by which a process binds or connects to a socket. If that of the socket is too long for an address of unix(7), it leads through a
 * link to the folder, which the processes of a user share.
 */
public final class ShortPath {
  /** Length of sun_path without the final zero, unix(7); 103 on macOS. */
  private static final int LONGEST = System.getProperty("os.name").startsWith("Mac") ? 103 : 107;
  /** A sandbox may permit one. Only the owner of a link can remove it there. */
  private static final List<Path> FOLDERS = List.of(Path.of("/tmp"), Path.of("/dev/shm"));

  private static final String PREFIX = ".vertx-rdma-";
  /** Age from which a link may be removed: younger ones may just have been made by another process. */
  private static final long OLD_MILLIS = 3_600_000;
  /** Links with names of this process alone, by target. Guarded by the class. */
  private static final Map<Path, Path> OWN = new HashMap<>();

  private ShortPath() {
  }

  /** Returns whether {@link #of} does not block. */
  public static boolean fits(Path socket) {
    return socket.toString().getBytes(StandardCharsets.UTF_8).length <= LONGEST;
  }

  public static Path of(Path socket) throws IOException {
    if (fits(socket)) {
      return socket;
    }
    Path target = socket.toAbsolutePath().getParent();
    String name = PREFIX + ProcessIdentity.current().uid() + '-';
    IOException failure = null;
    for (Path folder : FOLDERS) {
      try {
        Path link = folder.resolve(name + UUID.nameUUIDFromBytes(target.toString().getBytes(StandardCharsets.UTF_8)));
        return (isLink(link, target) ? link : ownLink(folder.resolve(name + UUID.randomUUID()), target)).resolve(socket.getFileName());
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    throw failure;
  }

  /** Returns the link that this process made where another user has taken the common name, or makes it. */
  private static synchronized Path ownLink(Path link, Path target) throws IOException {
    Path made = OWN.get(target);
    if (made == null || !isLink(made, target)) {
      made = Files.createSymbolicLink(link, target);
      OWN.put(target, made);
    }
    return made;
  }

  /** Removes old links of this user to folders that are gone, or that only other processes see: those link them again. */
  private static void removeStale(Path folder) {
    try (DirectoryStream<Path> links = Files.newDirectoryStream(folder, PREFIX + ProcessIdentity.current().uid() + "-*")) {
      for (Path link : links) {
        if (Files.isSymbolicLink(link) && !Files.exists(link) && System.currentTimeMillis()
          - Files.getLastModifiedTime(link, LinkOption.NOFOLLOW_LINKS).toMillis() > OLD_MILLIS) {
          Files.deleteIfExists(link);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // The next process that makes a link tries again.
    }
  }

  /** Creates a link if there is none. @return false if another user has taken its name */
  private static boolean isLink(Path link, Path target) throws IOException {
    try {
      Files.createSymbolicLink(link, target);
      removeStale(link.getParent());
      return true;
    } catch (FileAlreadyExistsException e) {
      return Files.isSymbolicLink(link) && Files.readSymbolicLink(link).equals(target)
        && ((Number) Files.getAttribute(link, "unix:uid", LinkOption.NOFOLLOW_LINKS)).longValue() == ProcessIdentity.current().uid();
    }
  }
}
