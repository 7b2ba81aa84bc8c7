package io.github.vertxrdma.impl.process;

/** Names of nodes for people, not unique. */
public final class NodeName {
  private static final int SHORT_ID = 8;
  /** Maximum length of an id or a name, in characters. */
  private static final int MOST = 255;
  /** First process of a container, mostly its only one. */
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

  /** Returns whether an id or a name of a user is valid: 1 to 255 characters, no control characters. */
  public static boolean isValid(String name) {
    return !name.isEmpty() && name.length() <= MOST && name.chars().noneMatch(Character::isISOControl);
  }

  /** Returns the node id of a peer. @throws IllegalArgumentException if it is invalid */
  public static String checkId(String id) {
    if (!isValid(id)) {
      throw new IllegalArgumentException(
        "a node id of " + id.length() + " characters where 1 to " + MOST + " are due, none of them a control character");
    }
    return id;
  }

  /** Returns a node as messages name it: name and start of its id, or its id. @param name may be empty */
  public static String words(String name, String id) {
    return name.isEmpty() ? id : name + " (" + id.substring(0, Math.min(SHORT_ID, id.length())) + ')';
  }
}
