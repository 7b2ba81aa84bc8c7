package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.base.HostLookup;
import io.github.vertxrdma.directory.ProcessIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;

public final class ThisProcess {
  private static final long NAME_MILLIS = 1_000;
  private static final String UNKNOWN = "localhost";
  public static final ProcessIdentity IDENTITY = read();

  private ThisProcess() {
  }

  private static ProcessIdentity read() {
    String host = hostName();
    // Positive, because file names contain the number and use '-' as separator.
    long random = new SecureRandom().nextLong() >>> 1 | 1;
    long pid = ProcessHandle.current().pid();
    if (!Files.exists(Path.of("/proc/self"))) {
      return new ProcessIdentity(1, 1, uid(), pid, random, host);
    }
    return new ProcessIdentity(namespace("net"), namespace("pid"), uid(), pid, random, host);
  }

  private static String hostName() {
    try {
      String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
      if (!name.isEmpty()) {
        return name;
      }
    } catch (IOException | RuntimeException e) {
      // Without this file, uses the name of the local address.
    }
    try {
      return new HostLookup(own -> InetAddress.getLocalHost()).find("", NAME_MILLIS).getHostName();
    } catch (UnknownHostException e) {
      return UNKNOWN;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return UNKNOWN;
    }
  }

  /** Returns the number of a namespace, such as 4026531840 of {@code net:[4026531840]}; 0 if unknown. */
  private static long namespace(String kind) {
    try {
      String link = Files.readSymbolicLink(Path.of("/proc/self/ns", kind)).toString();
      return Long.parseLong(link.substring(link.indexOf('[') + 1, link.length() - 1));
    } catch (IOException | RuntimeException e) {
      return 0;
    }
  }

  private static long uid() {
    Path self = Path.of("/proc/self");
    try {
      return Files.exists(self) ? owner(self) : ownerOfNewFile();
    } catch (IOException | RuntimeException e) {
      return System.getProperty("user.name", "").hashCode() & 0xffffffffL;
    }
  }

  /** Determines the user id without /proc from a new file. The owner of the home folder may be another user. */
  private static long ownerOfNewFile() throws IOException {
    Path made = Files.createTempFile("vertx-rdma-", "");
    try {
      return owner(made);
    } finally {
      Files.delete(made);
    }
  }

  private static long owner(Path path) throws IOException {
    return ((Number) Files.getAttribute(path, "unix:uid")).longValue();
  }
}
