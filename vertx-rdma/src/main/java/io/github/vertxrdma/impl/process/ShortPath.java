package io.github.vertxrdma.impl.process;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * Path by which a process binds or connects to a socket. A path that is too long for an address of unix(7) leads through a link to the
 * folder, which exists until this is closed.
 *
 * @param link null if the path of the socket is short enough
 */
public record ShortPath(Path path, Path link) implements AutoCloseable {
  /** Length of sun_path without the final zero, unix(7); 103 on macOS. */
  private static final int LONGEST = System.getProperty("os.name").startsWith("Mac") ? 103 : 107;
  /** Folders of links, of which a sandbox may permit one. Only the owner of a link can remove it there, because of the sticky bit. */
  private static final List<Path> FOLDERS = List.of(Path.of("/tmp"), Path.of("/dev/shm"));

  /** Returns whether {@link #of} creates no link, and therefore does not block. */
  public static boolean fits(Path socket) {
    return socket.toString().getBytes(StandardCharsets.UTF_8).length <= LONGEST;
  }

  public static ShortPath of(Path socket) throws IOException {
    if (fits(socket)) {
      return new ShortPath(socket, null);
    }
    IOException failure = null;
    for (Path folder : FOLDERS) {
      try {
        Path link = Files.createSymbolicLink(folder.resolve(".vertx-rdma-" + UUID.randomUUID()), socket.toAbsolutePath().getParent());
        return new ShortPath(link.resolve(socket.getFileName()), link);
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    throw failure;
  }

  UnixDomainSocketAddress address() {
    return UnixDomainSocketAddress.of(path);
  }

  @Override
  public void close() throws IOException {
    if (link != null) {
      Files.deleteIfExists(link);
    }
  }
}
