package io.github.vertxrdma.impl.process;

/** Names of nodes for people, not unique. */
public final class NodeName {
  private static final int SHORT_ID = 8;
  /** Characters of an id or a name. */
  private static final int MOST = 255;
  /** Process id of the first one of a container, which is mostly its only one. */
  private static final long FIRST = 1;

  private NodeName() {
  }

  /** Returns the default name of a node of this process. @param host name of the host or container */
  public static String own(String host) {
    return of(ProcessGroup.own(), ProcessHandle.current().pid(), host);
  }

  static String of(String program, long pid, String host) {
    String simple = program.substring(program.lastIndexOf('.') + 1);
    String suffix = "-" + pid;
    return pid == FIRST && !host.isEmpty() ? host : simple.endsWith(suffix) ? simple : simple + suffix;
  }

  /** Returns whether an id or a name is one as users give them: 1 to 255 characters, none of them a control character. */
  public static boolean isValid(String name) {
    return !name.isEmpty() && name.length() <= MOST && name.chars().noneMatch(Character::isISOControl);
  }

  /** Returns the node id that a peer sent. @throws IllegalArgumentException if it cannot be one */
  public static String checkId(String id) {
    if (!isValid(id)) {
      throw new IllegalArgumentException(
        "a node id of " + id.length() + " characters where 1 to " + MOST + " are due, none of them a control character");
    }
    return id;
  }

  /**
   * Words by which messages call a node: its name and the first letters of its id, or its id alone.
   *
   * @param name empty if it is not known
   */
  public static String words(String name, String id) {
    return name.isEmpty() ? id : name + " (" + id.substring(0, Math.min(SHORT_ID, id.length())) + ')';
  }
}
