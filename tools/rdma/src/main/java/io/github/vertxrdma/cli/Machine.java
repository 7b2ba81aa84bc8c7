package io.github.vertxrdma.cli;

import io.github.vertxrdma.base.FileErrors;
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

/** A machine, read through its files. */
public final class Machine {
  /** Ids of distributions on which dnf(8) installs packages with Fedora's names. */
  public static final Set<String> FEDORA = Set.of("fedora", "rhel", "amzn");

  private final Path root;
  private final Map<String, String> environment;

  /** @param root folder with the machine's files; {@code /} for this machine */
  public Machine(Path root, Map<String, String> environment) {
    this.root = root;
    this.environment = Map.copyOf(environment);
  }

  public static Machine local() {
    return new Machine(Path.of("/"), System.getenv());
  }

  public String variable(String name) {
    return environment.getOrDefault(name, "");
  }

  public Path path(String file) {
    return root.resolve(file.substring(1));
  }

  public boolean exists(String file) {
    return Files.exists(path(file));
  }

  /**
   * Returns the content of a file, without surrounding white space.
   *
   * @return empty if there is no such file, or the driver reports no value
   * @throws UncheckedIOException if the file exists and cannot be read
   */
  public Optional<String> read(String file) {
    try {
      return Optional.of(Files.readString(path(file)).strip());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      // The device does not report the value, or was removed meanwhile.
      if (!exists(file) || Files.isRegularFile(path(file)) && Files.isReadable(path(file))) {
        return Optional.empty();
      }
      throw new UncheckedIOException(file + " cannot be read: " + FileErrors.words(e), e);
    }
  }

  public long number(String file, long fallback) {
    return read(file).filter(text -> text.matches("-?\\d+")).map(Long::parseLong).orElse(fallback);
  }

  public List<String> list(String folder) {
    if (!exists(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(path(folder))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(folder + " cannot be read: " + FileErrors.words(e), e);
    }
  }

  /** Returns the value of a line {@code name: value} or {@code name value} of a file; empty if there is none. */
  public String field(String file, String name) {
    return read(file).stream().flatMap(String::lines).filter(line -> line.startsWith(name))
      .map(line -> line.substring(name.length()).replaceFirst("^:", "").strip()).findFirst().orElse("");
  }

  public boolean root() {
    return field("/proc/self/status", "Uid").startsWith("0");
  }

  /** Returns the target of a symbolic link; empty if there is none or it cannot be read. */
  public String link(String file) {
    try {
      return Files.readSymbolicLink(path(file)).toString();
    } catch (IOException | UnsupportedOperationException e) {
      return "";
    }
  }

  public String kernel() {
    return read("/proc/sys/kernel/osrelease").orElse("");
  }

  /** Returns {@code sudo }; empty for root. */
  public String sudo() {
    return root() ? "" : "sudo ";
  }

  /** Returns the ids of the distribution and of similar ones; os-release(5). */
  public List<String> distributions() {
    return Stream.of("ID=", "ID_LIKE=").flatMap(name -> Stream.of(field("/etc/os-release", name).replaceAll("[\"']", "").split(" ")))
      .filter(id -> !id.isEmpty()).toList();
  }

  /** Returns the command that installs a package, or both commands if the distribution is unknown. */
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
