package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of shared-memory endpoints. The provider's own repeat within a process in old versions, and it finds the dead one by them. Ours
 * do not, and say whose they are, so that what a killed process left in /dev/shm can be told from what another still uses:
 * {@code PIDvNAMESPACEvNUMBER}. They are short, since they travel in the first message of a connection.
 */
final class SharedMemoryNames {
  private static final Path FOLDER = Path.of("/dev/shm");
  private static final String SCHEME = "fi_shm://";
  private static final String NAMESPACE = namespace();
  private static final long PID = ProcessHandle.current().pid();
  private static final Pattern NAME = Pattern.compile("([0-9]+)v([0-9a-z]+)v([0-9a-z]{1,12}):.*");
  private static final AtomicInteger NEXT = new AtomicInteger();

  private SharedMemoryNames() {
  }

  /** One that this process has not had; the provider adds to it. */
  static EndpointAddress next() {
    return EndpointAddress.of(SCHEME + PID + "v" + NAMESPACE + "v" + Integer.toString(NEXT.getAndIncrement(), Character.MAX_RADIX));
  }

  /** A name without its scheme. The library adds a number to one that it gets with it, so that nobody finds it by the name that was chosen. */
  static EndpointAddress plain(EndpointAddress address) {
    String name = address.toString();
    return name.startsWith(SCHEME) ? EndpointAddress.of(name.substring(SCHEME.length())) : address;
  }

  /** Tells whether that is a name which this process has given to an endpoint of its own. */
  static boolean gave(EndpointAddress address) {
    Matcher matcher = matcher(address);
    return matcher.matches() && matcher.group(1).equals(String.valueOf(PID)) && matcher.group(2).equals(NAMESPACE)
      && Long.parseLong(matcher.group(3), Character.MAX_RADIX) < NEXT.get();
  }

  private static Matcher matcher(EndpointAddress address) {
    String name = address.toString();
    return NAME.matcher(name.startsWith(SCHEME) ? name.substring(SCHEME.length()) : name);
  }

  /** Whether the endpoint of that name was one of a process of this PID namespace that is no more. */
  static boolean isGone(EndpointAddress address) {
    Matcher matcher = matcher(address);
    return matcher.matches() && isGone(matcher);
  }

  private static boolean isGone(Matcher name) {
    return !NAMESPACE.equals("0") && name.group(2).equals(NAMESPACE) && !Files.exists(Path.of("/proc", name.group(1)));
  }

  /** Removes what processes of this PID namespace that are no more left behind. */
  static void cleanUp() {
    if (NAMESPACE.equals("0") || !Files.isDirectory(FOLDER)) {
      return;
    }
    try (DirectoryStream<Path> names = Files.newDirectoryStream(FOLDER, "*v" + NAMESPACE + "v*")) {
      for (Path name : names) {
        Matcher matcher = NAME.matcher(name.getFileName().toString());
        if (matcher.matches() && isGone(matcher)) {
          remove(name);
        }
      }
    } catch (IOException e) {
      // Another process may look; there is no more to be done about it.
    }
  }

  private static void remove(Path name) {
    try {
      Files.deleteIfExists(name);
    } catch (IOException e) {
      // Another user's.
    }
  }

  private static String namespace() {
    try {
      String inode = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString().replaceAll("[^0-9]", "");
      return Long.toString(Long.parseLong(inode), Character.MAX_RADIX);
    } catch (IOException | RuntimeException e) {
      return "0";
    }
  }
}
