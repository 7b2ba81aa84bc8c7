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
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Folder of one group of the same-host directory, with a Unix socket {@code ID.peer} of each node. Methods may block. */
record NodeFolder(Path path, String own) {
  private static final String SUFFIX = ".peer";
  private static final Pattern NAME = Pattern.compile("[0-9a-f]{16}\\.peer");
  /** Age after which a socket that another host may use is deleted. Living nodes touch their sockets. */
  private static final long ABANDONED_MILLIS = 3_600_000;

  NodeFolder(Path path) {
    this(path, HexFormat.of().toHexDigits(AbstractDirectory.newEpoch()) + SUFFIX);
  }

  String name() {
    return PeerText.of(path.getFileName().toString());
  }

  Path socket(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("this file is not the socket of a node");
    }
    return path.resolve(name);
  }

  List<Path> kept() {
    return List.of(path, socket(own));
  }

  /** Restores the folder if this node's socket is gone. Returns false in that case. Touches a socket that another host may use. */
  boolean keep() throws IOException {
    Path socket = socket(own);
    if (!Files.exists(socket)) {
      RuntimeFolder.ensure(path.getParent());
      RuntimeFolder.ensure(path);
      return false;
    }
    if (!HeldFile.seesLocks(socket)) {
      Files.setLastModifiedTime(socket, FileTime.fromMillis(System.currentTimeMillis()));
    }
    return true;
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

  boolean lives(String name) {
    return LivenessSocket.lives(socket(name));
  }

  /** Deletes the socket of a dead node. @return false if the node lives, or may live */
  boolean removeDead(String name) throws IOException {
    Path socket = socket(name);
    if (lives(name) || !HeldFile.seesLocks(socket) && !isAbandoned(socket)) {
      return false;
    }
    Files.deleteIfExists(socket);
    return true;
  }

  private static boolean isAbandoned(Path socket) throws IOException {
    try {
      return System.currentTimeMillis() - Files.getLastModifiedTime(socket).toMillis() > ABANDONED_MILLIS;
    } catch (NoSuchFileException e) {
      return true;
    }
  }

  /** Returns the groups in a folder that have living nodes, with their socket names. */
  static Map<NodeFolder, List<String>> living(Path root) throws IOException {
    Map<NodeFolder, List<String>> living = new HashMap<>();
    try (DirectoryStream<Path> groups = Files.newDirectoryStream(root, Files::isDirectory)) {
      for (Path each : groups) {
        NodeFolder group = new NodeFolder(each);
        List<String> names = group.names().stream().filter(group::lives).toList();
        if (!names.isEmpty()) {
          living.put(group, names);
        }
      }
    }
    return living;
  }

  private List<String> names() throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path, each -> NAME.matcher(each.getFileName().toString()).matches())) {
      files.forEach(each -> names.add(each.getFileName().toString()));
    }
    return names;
  }

  boolean release() throws IOException {
    return Files.deleteIfExists(socket(own));
  }
}
