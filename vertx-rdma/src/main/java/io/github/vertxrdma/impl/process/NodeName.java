package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.base.PeerText;

/** Human-readable names of nodes. They need not be unique. */
public final class NodeName {
  private static final int SHORT_ID_LENGTH = 8;
  public static final int MAX_LENGTH = 255;
  /** Process id of the first process of a container, whose node is named after the host. */
  private static final long FIRST_PID = 1;

  private NodeName() {
  }

  public static String own(String host) {
    return of(ProcessGroup.own(), ProcessHandle.current().pid(), host);
  }

  static String of(String program, long pid, String host) {
    String simple = program.substring(program.lastIndexOf('.') + 1);
    String suffix = "-" + pid;
    return pid == FIRST_PID && !host.isEmpty() ? host : simple.endsWith(suffix) ? simple : simple + suffix;
  }

  public static boolean isValid(String name) {
    return !name.isEmpty() && name.length() <= MAX_LENGTH && PeerText.isPrintable(name);
  }

  public static String checkId(String id) {
    if (!isValid(id)) {
      throw new IllegalArgumentException("invalid node id of " + id.length() + " characters: use 1 to " + MAX_LENGTH
        + " characters and no control characters");
    }
    return id;
  }

  /** Returns the name and 8 characters of the id, or the id alone without a name. */
  public static String words(String name, String id) {
    return name.isEmpty() ? id : name + " (" + id.substring(0, Math.min(SHORT_ID_LENGTH, id.length())) + ')';
  }
}
