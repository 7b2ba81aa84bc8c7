package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.process.HeldFile;
import io.github.vertxrdma.impl.process.LivenessSocket;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Folder of one group of the same-host directory, with a Unix socket {@code ID.peer} of each node. There is one in each runtime folder, and
 * the sockets of a node have the same name in all. Methods may block.
 *
 * @param path the first of the folders that could be created, for messages
 * @param roots returns the parents of the folders, which belong to this user
 */
record NodeFolder(Path path, Roots roots, String own) {
  private static final String SUFFIX = ".peer";
  private static final Pattern NAME = Pattern.compile("[0-9a-f]{16}\\.peer");
  /** Age after which a socket that another host may use is deleted. Living nodes touch their sockets. */
  private static final long ABANDONED_MILLIS = 3_600_000;

  @FunctionalInterface
  interface Roots {
    List<Path> get() throws IOException;
  }

  NodeFolder(Path path, Roots roots) {
    this(path, roots, HexFormat.of().toHexDigits(AbstractDirectory.newEpoch()) + SUFFIX);
  }

  /** Creates the folder of a group in one of its parents. Others that cannot be written are tried again later. */
  static NodeFolder make(Roots roots, String group) throws IOException {
    IOException failure = null;
    for (Path root : roots.get()) {
      try {
        return new NodeFolder(RuntimeFolder.ensure(RuntimeFolder.ensure(root).resolve(group)), roots);
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    throw failure;
  }

  String name() {
    return PeerText.of(path.getFileName().toString());
  }

  List<Path> folders() throws IOException {
    return roots.get().stream().map(root -> root.resolve(path.getFileName())).toList();
  }

  private List<Path> sockets(String name) throws IOException {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("this file is not the socket of a node");
    }
    return folders().stream().map(folder -> folder.resolve(name)).toList();
  }

  /** Returns the sockets of a node that exist, or the first one. */
  List<Path> present(String name) throws IOException {
    List<Path> sockets = sockets(name);
    List<Path> present = sockets.stream().filter(Files::exists).toList();
    return present.isEmpty() ? sockets.subList(0, 1) : present;
  }

  List<Path> kept() {
    try {
      return Stream.concat(folders().stream(), sockets(own).stream()).toList();
    } catch (IOException e) {
      return List.of(path);
    }
  }

  /** Returns this node's socket in a folder, which is created, if the socket is missing. Touches a socket that another host may use. */
  Optional<Path> missing(Path folder) throws IOException {
    Path socket = folder.resolve(own);
    if (!Files.exists(socket)) {
      RuntimeFolder.ensure(folder.getParent());
      RuntimeFolder.ensure(folder);
      return Optional.of(socket);
    }
    if (!HeldFile.seesLocks(socket)) {
      Files.setLastModifiedTime(socket, FileTime.fromMillis(System.currentTimeMillis()));
    }
    return Optional.empty();
  }

  /** Returns the socket names of other nodes. Deletes those of dead nodes if there are more than {@code most}. */
  List<String> others(int most) throws IOException {
    List<String> others = names();
    others.remove(own);
    for (String name : others.size() > most ? List.copyOf(others) : List.<String>of()) {
      if (removeDead(name)) {
        others.remove(name);
      }
    }
    return others;
  }

  boolean lives(String name) throws IOException {
    return sockets(name).stream().anyMatch(socket -> LivenessSocket.answers(socket, true));
  }

  /** Deletes the sockets of a dead node where that is possible. @return false if the node lives, or may live */
  boolean removeDead(String name) throws IOException {
    if (lives(name)) {
      return false;
    }
    for (Path socket : sockets(name)) {
      if (!HeldFile.seesLocks(socket) && !isAbandoned(socket)) {
        return false;
      }
      try {
        Files.deleteIfExists(socket);
      } catch (IOException e) {
        // Remains in a folder that cannot be written.
      }
    }
    return true;
  }

  private static boolean isAbandoned(Path socket) throws IOException {
    try {
      return System.currentTimeMillis() - Files.getLastModifiedTime(socket).toMillis() > ABANDONED_MILLIS;
    } catch (NoSuchFileException e) {
      return true;
    }
  }

  /** Returns the groups that have living nodes, with their socket names. */
  static Map<NodeFolder, List<String>> living(Roots roots) throws IOException {
    Map<NodeFolder, List<String>> living = new HashMap<>();
    for (String each : names(roots.get(), Files::isDirectory)) {
      NodeFolder group = new NodeFolder(roots.get().getFirst().resolve(each), roots);
      List<String> names = new ArrayList<>();
      for (String name : group.names()) {
        if (group.lives(name)) {
          names.add(name);
        }
      }
      if (!names.isEmpty()) {
        living.put(group, names);
      }
    }
    return living;
  }

  private List<String> names() throws IOException {
    return names(folders(), each -> NAME.matcher(each.getFileName().toString()).matches());
  }

  private static List<String> names(List<Path> folders, DirectoryStream.Filter<Path> filter) throws IOException {
    Set<String> names = new LinkedHashSet<>();
    for (Path folder : folders) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, filter)) {
        files.forEach(each -> names.add(each.getFileName().toString()));
      } catch (NoSuchFileException e) {
        // No node has made the folder yet, or a clean-up has removed it.
      }
    }
    return new ArrayList<>(names);
  }

  void release() throws IOException {
    for (Path socket : sockets(own)) {
      Files.deleteIfExists(socket);
    }
  }
}
