package io.github.vertxrdma.impl.poll;

/** Prints why this process has no epoll. Arguments are system properties, as {@code name=value}. */
final class NativeEpollProcess {
  static final String MISSING = "missing: ";

  private NativeEpollProcess() {
  }

  public static void main(String... arguments) {
    for (String argument : arguments) {
      String[] property = argument.split("=", 2);
      System.setProperty(property[0], property[1]);
    }
    System.out.println(MISSING + NativeEpoll.missing().map(NativeEpoll.Missing::toString).orElse("nothing"));
  }
}
