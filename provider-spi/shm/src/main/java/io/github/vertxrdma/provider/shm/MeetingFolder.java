package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/**
 * Folder of the listeners' sockets: the folder {@code shm} in the runtime folder of the user, of mode 0700. The setting, system property
 * or environment variable for the runtime folder is the one that the layers above have: {@code runtime}, {@code vertx.rdma.runtime},
 * {@code VERTX_RDMA_RUNTIME}; else it is {@code vertx-rdma-UID} in the temporary folder.
 *
 * @param path the folder
 */
record MeetingFolder(Path path) {
  /** sizeof(sun_path) of unix(7), with its final 0. */
  private static final int MAX_PATH = 107;
  /** A name of a socket with everything that a listener chooses by itself. */
  private static final int NAME_ROOM = 30;

  static MeetingFolder find(DiscoveryOptions options) {
    String given = options.setting("runtime", System.getenv("VERTX_RDMA_RUNTIME"));
    Path runtime = given != null ? Path.of(given)
      : Path.of(System.getProperty("java.io.tmpdir"), "vertx-rdma-" + Libc.userId());
    Path folder = runtime.toAbsolutePath().resolve("shm");
    if (folder.toString().length() > MAX_PATH - NAME_ROOM) {
      throw new ProviderException(Reason.INVALID, "shm: the path of the folder " + folder + " is too long for sockets, which have "
        + MAX_PATH + " characters: name a shorter runtime folder with VERTX_RDMA_RUNTIME");
    }
    MeetingFolder found = new MeetingFolder(folder);
    found.restore();
    return found;
  }

  /** Makes the folder if it is not there, or not any more. */
  void restore() {
    make(path.getParent());
    make(path);
  }

  private static void make(Path folder) {
    try {
      if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
        Files.createDirectories(folder.getParent());
        try {
          Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
          // Another process was faster; it is checked below.
        }
      }
      Map<String, Object> is = Files.readAttributes(folder, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
      int mode = (Integer) is.get("mode");
      if ((mode & 0170000) != 0040000 || ((Number) is.get("uid")).longValue() != Libc.userId() || (mode & 077) != 0) {
        throw new ProviderException(Reason.PERMISSION, "shm: " + folder + " must be a folder of this user with no rights for others "
          + "(chmod go= " + folder + "), or name another runtime folder with VERTX_RDMA_RUNTIME");
      }
    } catch (IOException e) {
      throw new ProviderException(Reason.PERMISSION, "shm: the folder " + folder + " cannot be used: " + e
        + "; name another runtime folder with VERTX_RDMA_RUNTIME", e);
    }
  }

  /** The socket of a listener of that name. */
  String socket(EndpointAddress address) {
    String name = address.toString();
    if (!address.format().equals(EndpointAddress.STRING) || name.isEmpty() || name.startsWith(".") || name.indexOf('/') >= 0
      || name.indexOf('\0') >= 0) {
      throw new ProviderException(Reason.INVALID, "shm: '" + address + "' is no name of a listener: it has no '/' and begins with no '.'");
    }
    String socket = path.resolve(name).toString();
    if (socket.getBytes(StandardCharsets.UTF_8).length > MAX_PATH) {
      throw new ProviderException(Reason.INVALID, "shm: the name '" + name + "' is too long: with its folder it has " + socket.length()
        + " characters, at most " + MAX_PATH + " fit");
    }
    return socket;
  }
}
