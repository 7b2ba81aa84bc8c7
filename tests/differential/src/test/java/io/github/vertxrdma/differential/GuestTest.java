package io.github.vertxrdma.differential;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.Rdma;
import io.vertx.core.transport.Transport;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The table in docs/application.adoc lists all effects of this library on a process that uses no fabric ({@link Guest}). */
@Timeout(240)
class GuestTest {
  private static final Path PAGE = Path.of("../../docs/application.adoc");
  private static final List<String> EFFECTS = List.of("`isNativeTransportEnabled()`", "threads", "descriptors", "files created",
    "mapped files", "system properties", "shutdown hooks", "log lines", "left after `vertx.close()`");
  private static final int STOCK = 1;
  private static final int OURS = 2;
  private static final int CLUSTERED = 3;
  private static final int SECONDS = 100;

  @TempDir
  Path folder;

  @BeforeAll
  static void needEpoll() {
    assumeTrue(Transport.EPOLL != null && Transport.EPOLL.available(), "epoll is not available here");
  }

  /** Effects of a process: the number of each item. */
  private final class Measured {
    private final Map<String, Map<String, Integer>> items = new LinkedHashMap<>();
    private final Path temporary;
    private final Path output;
    private final Process process;
    private final WatchService watch;

    Measured(String name, List<String> classPath, String... arguments) throws IOException {
      temporary = Files.createDirectory(folder.resolve(name));
      output = temporary.resolve("output");
      watch = temporary.getFileSystem().newWatchService();
      temporary.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED", "--add-modules", "java.se", "--add-opens",
        "java.base/java.lang=ALL-UNNAMED", "-Djava.io.tmpdir=" + temporary, "-Duser.home=" + temporary,
        "-Dhazelcast.logging.type=none", "-Dvertx.rdma.move=always", "-cp", String.join(File.pathSeparator, classPath),
        Guest.class.getName()));
      command.addAll(List.of(arguments));
      ProcessBuilder builder = new ProcessBuilder(command).directory(temporary.toFile()).redirectErrorStream(true)
        .redirectOutput(output.toFile());
      builder.environment().keySet().removeIf(variable -> variable.startsWith("VERTX_RDMA") || variable.startsWith("JDK_JAVA"));
      // Otherwise a node also uses the folder of the user's session.
      builder.environment().put("VERTX_RDMA_RUNTIME", temporary.resolve("vertx-rdma-0").toString());
      process = builder.start();
    }

    Measured read() throws IOException, InterruptedException {
      try (watch) {
        assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), () -> "the process did not end: " + output);
        for (WatchKey key = watch.poll(1, TimeUnit.SECONDS); key != null; key = watch.poll()) {
          key.pollEvents().forEach(event -> add("files created", event.context().toString()));
        }
      } finally {
        process.destroyForcibly();
      }
      String text = Files.readString(output);
      assertEquals(0, process.exitValue(), text);
      for (String line : text.lines().toList()) {
        String[] parts = line.split("\t", 2);
        if (line.startsWith("log ")) {
          String[] words = line.split(" ");
          add("log lines", words[1] + ' ' + words[2].substring(words[2].lastIndexOf('.') + 1));
        } else if (parts.length == 2) {
          add(parts[0], parts[1]);
        }
      }
      return this;
    }

    private void add(String effect, String item) {
      assertTrue(EFFECTS.contains(effect), effect);
      String name = item.replaceAll("_(x86|aarch)_[0-9]+", "_").replaceAll("-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "-UUID")
        .replaceAll("[0-9]+(-[0-9a-f]{6,})?", "N");
      items.computeIfAbsent(effect, key -> new TreeMap<>()).merge('`' + name + '`', 1, Integer::sum);
    }

    Map<String, Integer> of(String effect) {
      return items.getOrDefault(effect, Map.of());
    }

    /** Returns the items that the other process has fewer of, as a cell of the table has them. */
    String beyond(String effect, Measured other) {
      return cell(of(effect).entrySet().stream().map(item -> Map.entry(item.getKey(), item.getValue() - other.of(effect).getOrDefault(item
        .getKey(), 0))).filter(item -> item.getValue() > 0).map(item -> (item.getValue() > 1 ? item.getValue() + " " : "") + item.getKey())
        .toList());
    }

    /** Returns the kinds of items that none of the other processes has. */
    String kindsBeyond(String effect, List<Measured> others) {
      TreeSet<String> kinds = new TreeSet<>(of(effect).keySet());
      others.forEach(other -> kinds.removeAll(other.of(effect).keySet()));
      return cell(List.copyOf(kinds));
    }

    private static String cell(List<String> items) {
      return items.isEmpty() ? "none" : String.join(", ", items);
    }
  }

  /** Returns the columns of the table. */
  private static String documented(int... columns) throws IOException {
    String page = Files.readString(PAGE);
    String table = page.substring(page.indexOf("| effect | "));
    return Arrays.stream(table.substring(0, table.indexOf("\n|===")).replace("\n|", "\0|").replace('\n', ' ').split("\0")).skip(1)
      .map(row -> row.strip().substring(2).split(" \\| "))
      .map(row -> row[0] + Arrays.stream(columns).mapToObj(column -> " | " + row[column].strip()).collect(Collectors.joining()))
      .collect(Collectors.joining("\n"));
  }

  private static List<String> ours() {
    return List.of(System.getProperty("java.class.path").split(File.pathSeparator));
  }

  /** Returns the class path without this library, and without the jars of Netty that it brings. */
  private static List<String> stock() {
    String library = Path.of(Rdma.class.getProtectionDomain().getCodeSource().getLocation().getPath()).toString();
    return ours().stream().filter(part -> !Path.of(part).toString().equals(library)
      && !part.matches(".*netty-transport-(classes|native)-epoll-.*")).toList();
  }

  @Test
  void plainProcessHasTheEffectsInTheDocs() throws Exception {
    Measured stock = new Measured("stock", stock());
    Measured ours = new Measured("ours", ours());
    stock.read();
    ours.read();
    assertEquals(documented(STOCK, OURS), EFFECTS.stream().map(effect -> effect + " | " + stock.beyond(effect, ours) + " | "
      + ours.beyond(effect, stock)).collect(Collectors.joining("\n")));
  }

  @Test
  @Tag("full")
  void clusteredProcessHasTheEffectsInTheDocs() throws Exception {
    Measured plain = new Measured("plain", ours());
    Measured stock = new Measured("stock", stock(), Integer.toString(Processes.freePorts(8)));
    Measured ours = new Measured("ours", ours(), Integer.toString(Processes.freePorts(8)), "node");
    List<Measured> others = List.of(plain.read(), stock.read());
    ours.read();
    assertEquals(documented(CLUSTERED), EFFECTS.stream().map(effect -> effect + " | " + ours.kindsBeyond(effect, others))
      .collect(Collectors.joining("\n")));
  }
}
