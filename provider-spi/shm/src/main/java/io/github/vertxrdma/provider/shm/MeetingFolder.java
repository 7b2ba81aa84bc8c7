package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.base.FileErrors;
import io.github.vertxrdma.base.GivenPath;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Folder with the sockets of listeners. Processes that see the same folder (the same device and inode) can share memory, also across
 * containers.
 *
 * <p>The default is {@code shm} in the user's runtime folder, with mode 0700. The setting {@value #GROUP} names a group whose members share
 * memory. Then the folder has mode 3770. Its path is the setting {@value #FOLDER}, otherwise {@code vertx-rdma-shm-GROUP} in the temporary
 * folder. The sticky bit keeps members from replacing files of others.
 *
 * @param group name or number of the group; null for this user alone
 */
record MeetingFolder(Path path, String group, long user) {
  static final String GROUP = "shm.group";
  static final String FOLDER = "shm.folder";

  /** Maximum bytes of a socket path: sizeof(sun_path) of unix(7), without the final 0. */
  private static final int MAX_PATH = 107;
  /** Maximum bytes of a socket name that a listener chooses itself. */
  private static final int NAME_ROOM = 30;
  private static final byte[] NOTHING = {};
  private static final int GROUP_MODE = 03770;
  private static final int ALL_BITS = 07777;

  /** Returns the folders that this process can use, the first of them or its own. @throws ProviderException if there is none */
  static List<MeetingFolder> find(DiscoveryOptions options, long user) {
    String group = options.setting(GROUP, null);
    List<Path> paths;
    try {
      paths = group != null ? List.of(ofGroup(options, group))
        : options.runtimeFolders(user).stream().map(runtime -> runtime.toAbsolutePath().resolve("shm")).toList();
    } catch (IllegalArgumentException e) {
      throw new ProviderException(Reason.INVALID, e.getMessage(), e);
    }
    if (group == null && !KernelIds.isKnownUser(user)) {
      throw new ProviderException(Reason.PERMISSION, "shm: cannot recognize this user's processes: this user namespace has the number "
        + user + " for all users that it does not map. Run as a user that it maps, or name a group with -Dvertx.rdma." + GROUP);
    }
    List<MeetingFolder> usable = new ArrayList<>();
    ProviderException failure = null;
    for (Path path : paths) {
      try {
        MeetingFolder found = usable(path, group, user);
        if (usable.isEmpty() || !found.identity().equals(usable.getFirst().identity())) {
          usable.add(found);
        }
      } catch (ProviderException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (usable.isEmpty()) {
      throw failure;
    }
    return usable;
  }

  private static MeetingFolder usable(Path path, String group, long user) {
    MeetingFolder found = new MeetingFolder(path, group, user);
    if (bytes(found.path.toString()) > MAX_PATH - NAME_ROOM) {
      throw new ProviderException(Reason.INVALID, "shm: the path of the folder " + found.path + " is too long: with a name, a path "
        + "of a socket may have at most " + MAX_PATH + " bytes. To correct it, " + found.remedy());
    }
    found.restore();
    return found;
  }

  private static Path ofGroup(DiscoveryOptions options, String group) {
    String given = options.setting(FOLDER, null);
    return given != null ? GivenPath.of(given, "the setting " + FOLDER).toAbsolutePath()
      : temporary("vertx-rdma-shm-" + group.replace('/', '_'));
  }

  private static Path temporary(String name) {
    return GivenPath.of(System.getProperty("java.io.tmpdir"), "-Djava.io.tmpdir").resolve(name).toAbsolutePath();
  }

  void restore() {
    if (group == null) {
      make(path.getParent());
    }
    make(path);
  }

  private void make(Path folder) {
    try {
      if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
        Files.createDirectories(folder.getParent());
        create(folder);
      }
      check(folder);
    } catch (IOException e) {
      throw new ProviderException(Reason.PERMISSION, "shm: the folder " + folder + " cannot be used: " + FileErrors.words(e) + "; "
        + remedy(), e);
    }
  }

  private void create(Path folder) throws IOException {
    try {
      if (group == null) {
        Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        if (!Files.isWritable(folder)) {
          // The umask may have removed the user's own rights.
          try (PathDescriptor made = PathDescriptor.open(folder, PathDescriptor.FOLDER, user)) {
            made.mode(0700);
          }
        }
      } else {
        createForGroup(folder);
      }
    } catch (FileSystemException e) {
      if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
        throw e;
      }
    }
  }

  /** Creates the folder under another name, sets its group and mode, then renames it. */
  private void createForGroup(Path folder) throws IOException {
    Path made = Files.createTempDirectory(folder.getParent(), ".vertx-rdma-");
    try {
      try (PathDescriptor self = PathDescriptor.open(made, PathDescriptor.FOLDER, user)) {
        self.group(principal());
        self.mode(GROUP_MODE);
      }
      Files.move(made, folder, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(made);
    }
  }

  private GroupPrincipal principal() throws IOException {
    try {
      return FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByGroupName(group);
    } catch (UserPrincipalNotFoundException e) {
      throw new IOException("there is no group '" + group + "' on this system", e);
    }
  }

  private void check(Path folder) throws IOException {
    Map<String, Object> is = Files.readAttributes(folder, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
    int mode = (Integer) is.get("mode");
    if ((mode & PathDescriptor.TYPE) != PathDescriptor.FOLDER) {
      throw new ProviderException(Reason.PERMISSION, "shm: cannot use " + folder + ": it is "
        + (Files.isSymbolicLink(folder) ? "a symbolic link" : "not a folder") + ". Remove it, or " + remedy());
    }
    if (group != null) {
      GroupPrincipal owner = Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS).group();
      if ((mode & ALL_BITS) != GROUP_MODE || !owner.equals(principal())) {
        throw new ProviderException(Reason.PERMISSION, "shm: " + folder + " must be a folder of the group " + group + " with mode 3770"
          + " (chgrp " + group + ' ' + folder + "; chmod 3770 " + folder + "), or " + remedy());
      }
    } else if (((Number) is.get("uid")).longValue() != user || (mode & 077) != 0) {
      throw new ProviderException(Reason.PERMISSION, "shm: " + folder + " must be a folder of this user that gives no rights to "
        + "others (chmod go= " + folder + "), or " + remedy());
    }
  }

  private String remedy() {
    return group == null ? "name another runtime folder with VERTX_RDMA_RUNTIME" : "name another folder with -Dvertx.rdma." + FOLDER;
  }

  /** Returns an id of the folder on this host. It does not depend on the path. */
  String identity() {
    try {
      return identify();
    } catch (IOException e) {
      // A clean-up may have removed the folder.
      try {
        restore();
        return identify();
      } catch (IOException | ProviderException again) {
        return "folder none";
      }
    }
  }

  private String identify() throws IOException {
    Map<String, Object> is = Files.readAttributes(path, "unix:dev,ino", LinkOption.NOFOLLOW_LINKS);
    return "folder " + Long.toHexString((Long) is.get("dev")) + ':' + Long.toHexString((Long) is.get("ino"));
  }

  /** Permits the folder's group to read and write a file of this process. */
  void open(Path file, int type) throws IOException {
    if (group != null) {
      try (PathDescriptor made = PathDescriptor.open(file, type, user)) {
        made.mode(0660);
      }
    }
  }

  /** Opens the folder's lock file. An existing file is opened without O_CREAT, which protected_regular of proc(5) can forbid. */
  FileChannel lock() throws IOException {
    Path file = path.resolve(".lock");
    try {
      FileChannel made = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      try {
        open(file, PathDescriptor.REGULAR);
      } catch (IOException | RuntimeException e) {
        made.close();
        throw e;
      }
      return made;
    } catch (FileAlreadyExistsException e) {
      try (PathDescriptor found = PathDescriptor.open(file, PathDescriptor.REGULAR, PathDescriptor.ANY)) {
        return found.channel(StandardOpenOption.WRITE);
      }
    }
  }

  Hold hold() {
    return new Hold(group == null ? List.of(path.getParent(), path) : List.of(path));
  }

  boolean admits(long peer, Supplier<Set<Long>> groups) {
    return peer == user && KernelIds.isKnownUser(peer) || group != null && groups.get().contains(groupId());
  }

  boolean isOfGroup() {
    return group != null;
  }

  /** Returns the numbers of both users, 4 bytes each; empty without a group. */
  byte[] binding(long connector, long acceptor) {
    return group == null ? NOTHING : ByteBuffer.allocate(8).putInt((int) connector).putInt((int) acceptor).array();
  }

  private long groupId() {
    try {
      long id = number(path, "unix:gid");
      return KernelIds.isKnownGroup(id) ? id : -1;
    } catch (IOException e) {
      return -1;
    }
  }

  /** Returns the user that owns the socket of a listener, or -1. */
  long owner(EndpointAddress listener) {
    try {
      return number(Path.of(socket(listener)), "unix:uid");
    } catch (IOException e) {
      return -1;
    }
  }

  private static long number(Path file, String attribute) throws IOException {
    return ((Number) Files.getAttribute(file, attribute, LinkOption.NOFOLLOW_LINKS)).longValue();
  }

  String socket(EndpointAddress address) {
    String name = address.toString();
    if (!address.format().equals(EndpointAddress.STRING) || name.isEmpty() || name.startsWith(".") || name.indexOf('/') >= 0
      || name.indexOf('\0') >= 0) {
      throw new ProviderException(Reason.INVALID, "shm: '" + address + "' is not a valid name of a listener: it must not contain "
        + "'/' or begin with '.'");
    }
    String socket = path.resolve(name).toString();
    if (bytes(socket) > MAX_PATH) {
      throw new ProviderException(Reason.INVALID, "shm: the name '" + name + "' is too long: with its folder it has "
        + bytes(socket) + " bytes, and at most " + MAX_PATH + " are allowed. Name a folder with a shorter path with "
        + "VERTX_RDMA_RUNTIME");
    }
    return socket;
  }

  private static int bytes(String path) {
    return path.getBytes(StandardCharsets.UTF_8).length;
  }

  /** Shared locks on folders, flock(2), because systemd-tmpfiles does not clean locked folders. Thread-safe. */
  static final class Hold implements AutoCloseable {
    private final List<Path> folders;
    private int[] descriptors = {};
    private boolean closed;

    private Hold(List<Path> folders) {
      this.folders = folders;
      renew();
    }

    synchronized void renew() {
      if (closed) {
        return;
      }
      release();
      descriptors = folders.stream().mapToInt(folder -> SystemCalls.openToRead(folder.toString())).filter(fd -> fd >= 0).toArray();
      for (int fd : descriptors) {
        SystemCalls.lock(fd, SystemCalls.LOCK_SHARED);
      }
    }

    private void release() {
      for (int fd : descriptors) {
        FileDescriptor.close(fd);
      }
      descriptors = new int[0];
    }

    @Override
    public synchronized void close() {
      closed = true;
      release();
    }
  }
}
