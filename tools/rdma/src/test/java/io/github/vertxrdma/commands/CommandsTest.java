package io.github.vertxrdma.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class CommandsTest {
  /** Folder of the help texts that the launcher prints if nothing is built. */
  private static final Path HELP = Path.of("").toAbsolutePath().resolve("help");

  private static Map<String, String> pages() {
    Map<String, String> pages = new LinkedHashMap<>();
    pages.put("rdma", Commands.help());
    for (String command : List.of("demo", "test", "info", "doctor", "ping", "stat", "perf", "soak", "build", "docs", "install", "release",
      "completion")) {
      pages.put(command, Commands.help(command));
    }
    for (String demo : List.of("functions", "kv", "http", "bus", "service", "contract")) {
      pages.put("demo-" + demo, Commands.help("demo", demo));
    }
    return pages;
  }

  @Test
  void helpWithoutABuildEqualsTheDefinitions() throws Exception {
    boolean write = Boolean.getBoolean("vertx.rdma.docs.write");
    for (Map.Entry<String, String> page : pages().entrySet()) {
      Path file = HELP.resolve(page.getKey() + ".txt");
      if (write) {
        Files.writeString(file, page.getValue());
      }
      assertEquals(page.getValue(), Files.readString(file), file + " is out of date; write it anew: mvn -pl tools/rdma -am test"
        + " -Dtest=CommandsTest -Dsurefire.failIfNoSpecifiedTests=false"
        + " -Dtest.jvm=-Dvertx.rdma.docs.write=true");
    }
    try (Stream<Path> files = Files.list(HELP)) {
      assertEquals(new TreeSet<>(pages().keySet()), files.map(file -> file.getFileName().toString().replace(".txt", ""))
        .collect(Collectors.toCollection(TreeSet::new)));
    }
  }

  @Test
  void noHelpIsWiderThanATerminal() {
    pages().forEach((name, text) -> {
      assertEquals(List.of(), text.lines().filter(line -> line.length() > 80).toList(), name);
      assertFalse(text.contains("\033"), name);
      String path = name.equals("rdma") ? "./rdma" : "./rdma " + name.replace('-', ' ');
      assertTrue(text.contains("Usage: " + path), text);
    });
    String all = Commands.help();
    pages().keySet().stream().filter(name -> !name.equals("rdma") && name.indexOf('-') < 0)
      .forEach(name -> assertTrue(all.contains("\n  " + name + " "), name));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "infoo | there is no command 'infoo'; did you mean 'info'?",
    "'' | name a command: demo, test, info, doctor, ping, stat, perf, soak, build, docs, install, release, completion",
    "info --jsn | unknown option '--jsn'; did you mean '--json'?",
    "info --json=yes | --json takes no value",
    "info now | 'now' is one argument too many",
    "ping | Missing required parameter: 'NAME'",
    "ping a --count abc | --count abc: not a whole number",
    "ping a --count 0 | --count 0: use a number from 1 to 10000000",
    "ping a --size 67108865 | --size 67108865: use a number from 0 to 67108864",
    "ping a --cluster localhost | --cluster 'localhost' is not the address of a member: use HOST:PORT, or several",
    "ping a --cluster 127.0.0.1:70000 | --cluster '127.0.0.1:70000' is not the address of a member: use HOST:PORT, or several",
    "stat one | PID one: not a whole number",
    "stat --page 65536 | --page 65536: use a number from 0 to 65535",
    "stat --page 80 --once | --page runs until Ctrl-C, so it cannot be combined with --once or --json",
    "demo bsu | there is no file bsu, and no such demo",
    "demo --host 10.0.0.1 | --host must be the address of the --node that starts here, and be among --members",
    "demo bus --node A --host 10.0.0.1 --members 10.0.0.1 | the nodes of demo bus are on this machine; on several hosts containers run",
    "demo bus --fabric | Missing required parameter for option '--fabric' (FABRIC)",
    "demo bus file | 'file' is one argument too many",
    "demo functions /nowhere | there is no folder /nowhere",
    "demo kv --keys 0 | --keys 0: use a number from 1 to 10000000",
    "soak --nodes 1 | --nodes 1: use a number from 2 to 16",
    "soak --beside /none/* | --beside /none/*: there is no '/none/*'",
    "soak --seconds 0 | --seconds 0: use a number from 1 to 6000000",
    "perf | name a mode: latency, ping, rate,",
    "perf swim | there is no mode 'swim'; there are latency, ping, rate,",
    "perf latency --size 64q | --size '64q': use a size such as 64, 4k or 1m, at most 64m; several as 64,4k or 64-1m",
    "perf latency --size 64,4k-64 | --size '4k-64': a range must increase, and begin at 1 or more, such as 64-4k",
    "perf latency --connections 1k | --connections '1k': use numbers from 1 to 10000, such as 4; 1,2,4; or 1-4",
    "perf latency cold | latency has no kinds",
    "perf regions swap | regions has no kind 'swap'; it has read, write, atomic, notify",
    "perf latency --report x | --report measures all goals, so it takes no mode",
    "perf --report x --json | --json is for rows, and --report writes a page",
    "perf --report /nowhere/at/all.adoc | --report /nowhere/at/all.adoc: /nowhere/at cannot be written to",
    "perf start idle --against aeron | --against aeron: use one of tcp, busy, blocking, epoll, io_uring",
    "perf builds --before x --pinned | --pinned belongs to modes that measure a pair of processes, not to builds",
    "perf call contract --worker hot | --worker belongs to call function, not to call contract",
    "perf call function --every 5 | --every belongs to latency, bus, http and the other kinds of call, not to call function",
    "perf latency --zero-copy | --zero-copy belongs to rate, not to latency",
    "perf regions --apart | --apart belongs to rate, not to regions",
    "test --all --verbs --checks | Error: --verbs, --checks are mutually exclusive",
    "test --fast --verbs | --fast cannot be combined with an option for one part of the tests",
    "test --fast --libfabric /nowhere | --fast cannot be combined with an option for one part of the tests",
    "test --full --verbs | --full cannot be combined with an option for one part of the tests",
    "test --full --checks | --full cannot be combined with an option for one part of the tests",
    "test --all --compose | --all cannot be combined with an option for one part of the tests, except --libfabric",
    "test --libfabric /nowhere | --libfabric needs the path of a libfabric.so that can be read",
    "install here | 'here' is one argument too many"})
  void invalidCommandLineIsReportedInOneLine(String line, String reason) {
    String[] arguments = line.isEmpty() ? new String[0] : line.split(" ");
    String said = assertThrows(UsageException.class, () -> Commands.parse(arguments)).getMessage();
    assertTrue(said.startsWith(reason.strip()) && !said.contains("\n"), said);
    assertEquals(2, Commands.run(arguments, command -> {
      throw new AssertionError("run");
    }));
  }

  @Test
  void anyFailureIsReportedInOneLine() {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      assertEquals(1, Commands.run(new String[] {"ping", "a"}, command -> {
        throw new IllegalStateException("node 'n\033[2J\nrdma: forged' refuses");
      }));
      assertEquals(1, Commands.run(new String[] {"ping", "a"}, command -> {
        throw new NoClassDefFoundError("a/B");
      }));
    } finally {
      System.setErr(before);
    }
    assertEquals("rdma ping: node 'n [2J rdma: forged' refuses\nrdma ping: java.lang.NoClassDefFoundError: a/B\n",
      said.toString(StandardCharsets.UTF_8));
  }

  @Test
  void optionsArrive() {
    Ping ping = (Ping) Commands.parse("ping", "a", "--count=5", "--cluster", "a:1,[::1]:2");
    assertEquals("a 5 [a:1, [::1]:2]", ping.name + " " + ping.count + " " + ping.membership.cluster);
    Demo.Functions functions = (Demo.Functions) Commands.parse("demo", "functions", "--node", "B", "--port", "1", "--port", "2");
    assertEquals("B 2", functions.node.name + " " + functions.node.port);
    assertEquals("tcp", ((Demo) Commands.parse("demo", "--fabric", "tcp")).node.fabric);
    Perf perf = (Perf) Commands.parse("perf", "rate", "--size=64,4k-64k", "--connections", "1-2,4", "--option", "a=1", "--option", "b=2");
    assertEquals("[64, 4096, 16384, 65536] [1, 2, 4] {a=1, b=2}", perf.sizes() + " " + perf.connections(1) + " " + perf.options);
    assertEquals("[1, 4, 16, 64]", ((Perf) Commands.parse("perf", "rate", "--size=0-64")).sizes().toString());
  }

  @Test
  void aNodeInAContainerServesSomewhereOrNowhere() {
    Demo.BusNode node = (Demo.BusNode) Commands.parse("demo", "node", "--node", "a", "--page", "0.0.0.0:7480", "--metrics", "", "--fabric",
      "auto");
    assertEquals("0.0.0.0:7480 null null [127.0.0.1:5701]", node.page + " " + node.metrics + " " + node.fabric + " " + node.members);
    for (String wrong : new String[] {"7480", ":7480", "127.0.0.1:", "127.0.0.1:many", "127.0.0.1:65536", "127.0.0.1:-1"}) {
      assertEquals("--page " + wrong + ": use a host and a port, such as 127.0.0.1:7480",
        assertThrows(UsageException.class, () -> Commands.parse("demo", "node", "--node", "a", "--page", wrong)).getMessage());
    }
  }

  @Test
  void theShellCompletes(@TempDir Path folder) throws Exception {
    Path script = Files.writeString(folder.resolve("completion"), Commands.completion());
    String line = "compopt() { :; }; . " + script
      + "; COMP_WORDS=(./rdma stat --pa) COMP_CWORD=2; _complete_rdma; echo \"${COMPREPLY[@]}\"";
    Process bash = new ProcessBuilder("bash", "-c", line).redirectErrorStream(true).start();
    assertEquals("--page", new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
  }
}
