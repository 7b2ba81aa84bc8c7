package io.github.vertxrdma.cli.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The machine as its files show it: /proc, /sys, /dev and /etc under a root that tests choose. */
public final class Machine {
  /** Ids of distributions that dnf(8) installs packages of Fedora's names on. */
  public static final Set<String> FEDORA = Set.of("fedora", "rhel", "amzn");

  private final Path root;
  private final Map<String, String> environment;

  /** @param root where its files are; {@code /} for this machine's own */
  public Machine(Path root, Map<String, String> environment) {
    this.root = root;
    this.environment = Map.copyOf(environment);
  }

  /** This one. */
  public static Machine local() {
    return new Machine(Path.of("/"), System.getenv());
  }

  /** A variable of the environment; empty if it is not set or empty. */
  public String variable(String name) {
    return environment.getOrDefault(name, "");
  }

  /**
   * Where a file of the machine is.
   *
   * @param file absolute, as it is called on the machine
   */
  public Path path(String file) {
    return root.resolve(file.substring(1));
  }

  /** Whether a file or folder is there. */
  public boolean exists(String file) {
    return Files.exists(path(file));
  }

  /**
   * What is in a file, without white space around.
   *
   * @return empty if there is no such file, or the driver has no value for it
   * @throws UncheckedIOException if it is there and cannot be read
   */
  public Optional<String> read(String file) {
    try {
      return Optional.of(Files.readString(path(file)).strip());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      // A device that does not tell, or has gone meanwhile.
      if (!exists(file) || Files.isRegularFile(path(file)) && Files.isReadable(path(file))) {
        return Optional.empty();
      }
      throw new UncheckedIOException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** A number in a file, the fallback if there is none. */
  public long number(String file, long fallback) {
    return read(file).filter(text -> text.matches("-?\\d+")).map(Long::parseLong).orElse(fallback);
  }

  /** The names in a folder, sorted; none if there is no such folder. */
  public List<String> list(String folder) {
    if (!exists(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(path(folder))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(folder + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** A line {@code name: value} or {@code name value} of a file of such lines, empty if there is none. */
  public String field(String file, String name) {
    return read(file).stream().flatMap(String::lines).filter(line -> line.startsWith(name))
      .map(line -> line.substring(name.length()).replaceFirst("^:", "").strip()).findFirst().orElse("");
  }

  /** Whether this process is root. */
  public boolean root() {
    return field("/proc/self/status", "Uid").startsWith("0");
  }

  /** The target of a symbolic link; empty if there is none or it cannot be told. */
  public String link(String file) {
    try {
      return Files.readSymbolicLink(path(file)).toString();
    } catch (IOException | UnsupportedOperationException e) {
      return "";
    }
  }

  /** The release of its kernel, as uname -r says it. */
  public String kernel() {
    return read("/proc/sys/kernel/osrelease").orElse("");
  }

  /** {@code sudo } for those who need it. */
  public String sudo() {
    return root() ? "" : "sudo ";
  }

  /** The id of its distribution, and those of distributions that it is like, as os-release(5) has them; empty where they are not known. */
  public List<String> distributions() {
    return Stream.of("ID=", "ID_LIKE=").flatMap(name -> Stream.of(field("/etc/os-release", name).replaceAll("[\"']", "").split(" ")))
      .filter(id -> !id.isEmpty()).toList();
  }

  /** The command that installs a package on this distribution; both commands where it is not known. */
  public String install(String debian, String fedora) {
    List<String> ids = distributions();
    String apt = sudo() + "apt-get install -y " + debian;
    String dnf = sudo() + "dnf install -y " + fedora;
    if (ids.contains("debian") || ids.contains("ubuntu")) {
      return apt;
    }
    return ids.stream().anyMatch(FEDORA::contains) ? dnf : apt + "  (Debian, Ubuntu) or  " + dnf;
  }
}
