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

/** Path for a Unix domain socket. A path that is too long for unix(7) is replaced by one through a symbolic link to its folder. */
public final class ShortPath {
  /** Length of sun_path without the final zero, unix(7); 103 on macOS. */
  private static final int LONGEST = System.getProperty("os.name").startsWith("Mac") ? 103 : 107;
  /** Folders for links. A sandbox may permit only one of them. Their sticky bit lets only the owner remove a link. */
  private static final List<Path> FOLDERS = List.of(Path.of("/tmp"), Path.of("/dev/shm"));
  private static final String PREFIX = ".vertx-rdma-";
  /** Age from which a link may be removed. Another process may be about to use a younger link. */
  private static final long OLD_MILLIS = 3_600_000;
  private static final Map<Path, Path> OWN = new HashMap<>();

  private ShortPath() {
  }

  /** Returns whether the path is short enough, so that {@link #of} does not block. */
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

  /** Returns a link that only this process uses, if another user has taken the shared name. The first call creates the link. */
  private static synchronized Path ownLink(Path link, Path target) throws IOException {
    Path made = OWN.get(target);
    if (made == null || !isLink(made, target)) {
      made = Files.createSymbolicLink(link, target);
      OWN.put(target, made);
    }
    return made;
  }

  /** Removes old links of this user to missing folders. A process in another mount namespace, which sees the folder, restores its link. */
  private static void removeStale(Path folder) {
    try (DirectoryStream<Path> links = Files.newDirectoryStream(folder, PREFIX + ProcessIdentity.current().uid() + "-*")) {
      for (Path link : links) {
        if (Files.isSymbolicLink(link) && !Files.exists(link) && System.currentTimeMillis()
          - Files.getLastModifiedTime(link, LinkOption.NOFOLLOW_LINKS).toMillis() > OLD_MILLIS) {
          Files.deleteIfExists(link);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // The next process tries again.
    }
  }

  /** Creates the link if it does not exist. Returns false if the name is taken by something else, such as another user's link. */
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
