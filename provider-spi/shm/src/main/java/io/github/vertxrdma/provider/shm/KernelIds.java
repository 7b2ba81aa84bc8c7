package io.github.vertxrdma.provider.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Numbers of users and groups that the kernel reports. In a user namespace that does not map all numbers, the overflow number stands for
 * every other one, so it identifies none of them; user_namespaces(7).
 */
final class KernelIds {
  private static final long ALL = 0xffffffffL;
  private static final long OVERFLOW = 65534;
  private static final long NONE = -1;
  private static final long UNKNOWN_USER = unknown("uid");
  private static final long UNKNOWN_GROUP = unknown("gid");

  private KernelIds() {
  }

  private static long unknown(String kind) {
    try {
      long mapped = Files.readAllLines(Path.of("/proc/self/" + kind + "_map")).stream()
        .mapToLong(line -> Long.parseLong(line.strip().split("\\s+")[2])).sum();
      // Not readString, whose first read has one byte: the kernel returns nothing after it.
      return mapped >= ALL ? NONE : Long.parseLong(Files.readAllLines(Path.of("/proc/sys/kernel/overflow" + kind)).getFirst().strip());
    } catch (IOException | RuntimeException e) {
      return OVERFLOW;
    }
  }

  static boolean isKnownUser(long user) {
    return user != NONE && user != UNKNOWN_USER;
  }

  static boolean isKnownGroup(long group) {
    return group != NONE && group != UNKNOWN_GROUP;
  }

  /** Returns the source of a user's requests, for limits. All unknown users are one source. */
  static Object source(long user) {
    return isKnownUser(user) ? "user " + user : "unknown users";
  }
}
