package io.github.vertxrdma.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The members of a cluster that are named before they have started. */
final class Members {
  private static final long PATIENCE_SECONDS = 30;
  private static final int CONNECT_MILLIS = 500;

  private Members() {
  }

  /**
   * The members by address: a container that has not started has no name yet. Nodes that start at the same moment would each begin a
   * cluster of their own; so all but the first wait until one before them in the list is there.
   *
   * @param members as host:port
   * @param self this one, by address
   */
  static List<String> find(List<String> members, String self) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    List<String> found = new ArrayList<>();
    for (String member : members) {
      int colon = member.lastIndexOf(':');
      address(member.substring(0, colon), end).ifPresentOrElse(ip -> found.add(ip + member.substring(colon)),
        () -> System.out.println("there is no host '" + member.substring(0, colon) + "' yet; it may join later"));
    }
    List<String> before = found.subList(0, Math.max(0, found.indexOf(self)));
    while (!before.isEmpty() && before.stream().noneMatch(Members::listens) && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
    }
    return found;
  }

  /** @param end until when to wait for the name, as {@link System#nanoTime()} has it */
  static Optional<String> address(String host, long end) {
    while (true) {
      try {
        return Optional.of(InetAddress.getByName(host).getHostAddress());
      } catch (UnknownHostException e) {
        if (System.nanoTime() - end > 0) {
          return Optional.empty();
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
    }
  }

  private static boolean listens(String member) {
    int colon = member.lastIndexOf(':');
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(member.substring(0, colon), Integer.parseInt(member.substring(colon + 1))), CONNECT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
