package io.github.vertxrdma.impl.process;

/** Names of nodes for people. Several nodes may have the same one; what tells them apart is their id. */
public final class NodeName {
  private static final int SHORT_ID = 8;
  /** Process id of the first one of a container, which is mostly its only one. */
  private static final long FIRST = 1;

  private NodeName() {
  }

  /** The name of a node of this process that was given none. @param host the host's name, that of the container in one */
  public static String own(String host) {
    return of(ProcessGroup.own(), ProcessHandle.current().pid(), host);
  }

  static String of(String program, long pid, String host) {
    String simple = program.substring(program.lastIndexOf('.') + 1);
    String suffix = "-" + pid;
    return pid == FIRST && !host.isEmpty() ? host : simple.endsWith(suffix) ? simple : simple + suffix;
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
