package io.github.vertxrdma.cli;

import io.github.vertxrdma.commands.Stat;
import io.github.vertxrdma.commands.UsageException;
import io.github.vertxrdma.impl.process.PublishedStatistics;
import io.github.vertxrdma.page.impl.Figures;
import io.github.vertxrdma.page.impl.Gate;
import io.github.vertxrdma.page.impl.PageServer;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

final class StatCommand {
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final String HOST = "127.0.0.1";
  private static final int WIDTH = 80;
  private static final String CLEAR = "\033[H\033[2J";

  private static final int MOST_WORDS = 70;

  private final PrintStream out;
  private final boolean terminal;

  StatCommand(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** @return 1 if the process has ended; otherwise 0, also if the output was closed */
  int run(Stat command) {
    try {
      long pid = command.pid == null ? only() : command.pid;
      List<NodeStatistics> before = read(pid);
      if (before.isEmpty()) {
        throw new CommandException("process " + pid + " has no node whose statistics this user may read; processes that have one: "
          + processes() + " (process ids in a container are different: run the command inside)");
      }
      if (command.page != null) {
        return page(command.page, pid);
      }
      show(command, before, before);
      // A closed reader, such as head(1), is detected when a line cannot be written.
      while (!command.once && !out.checkError()) {
        LockSupport.parkNanos(PERIOD_NANOS);
        List<NodeStatistics> now = read(pid);
        if (!now.isEmpty()) {
          show(command, before, now);
          before = now;
        } else if (!lives(pid)) {
          out.println("process " + pid + " has ended");
          return 1;
        } else if (!before.isEmpty() && !command.json) {
          out.println("process " + pid + " has no node now");
          before = now;
        }
      }
      return 0;
    } catch (IOException e) {
      throw new CommandException(e.getMessage());
    }
  }

  private static List<NodeStatistics> read(long pid) throws IOException {
    return ProcessSource.read(pid).stream().map(NodeStatistics::withAdapterCounters).toList();
  }

  private int page(int port, long pid) throws IOException {
    Vertx vertx = Vertx.vertx();
    try {
      Gate gate = new Gate(null, HOST);
      long period = TimeUnit.NANOSECONDS.toMillis(PERIOD_NANOS);
      Figures figures = new Figures(vertx, new ProcessSource(vertx, pid), period);
      HttpServer server = Membership.await(PageServer.of(vertx, gate, figures, period).listen(port, HOST)
        .recover(
          cause -> Future.failedFuture(new CommandException("cannot serve the page at " + HOST + ':' + port + ": "
            + cause.getMessage() + "; name another port, or 0 for any"))));
      out.println(
        "process " + pid + " is at http://" + HOST + ':' + server.actualPort() + "/?token=" + gate.token() + " until the process "
          + "ends, or until Ctrl-C");
      out.flush();
      while (!Thread.interrupted() && lives(pid)) {
        LockSupport.parkNanos(PERIOD_NANOS);
      }
    } finally {
      Membership.await(vertx.close());
    }
    return 0;
  }

  private void show(Stat command, List<NodeStatistics> before, List<NodeStatistics> now) {
    if (command.json) {
      JsonArray array = new JsonArray(now.stream().map(NodeStatistics::toJson).toList());
      out.println(command.once ? array.encodePrettily() : array.encode());
    } else {
      StringBuilder text = new StringBuilder(terminal && !command.once ? CLEAR : "");
      for (NodeStatistics node : now) {
        text.append(StatText.of(before.stream().filter(b -> b.nodeId().equals(node.nodeId())).findFirst().orElse(node), node,
          terminal ? WIDTH : Integer.MAX_VALUE)).append('\n');
      }
      out.print(text);
    }
    out.flush();
  }

  /** Returns whether a process runs. It may run without statistics, if it is stopped or has no node. */
  static boolean lives(long pid) {
    return ProcessHandle.of(pid).isPresent();
  }

  private static long only() throws IOException {
    List<Long> all = PublishedStatistics.processes();
    if (all.isEmpty()) {
      throw new CommandException("no process of this user has a node that publishes statistics. Start one without "
        + "setStatistics(false); for a container, run the command inside");
    }
    if (all.size() > 1) {
      throw new UsageException("name one of these processes, which have nodes: " + processes());
    }
    return all.get(0);
  }

  private static String processes() throws IOException {
    List<Long> all = PublishedStatistics.processes();
    return all.isEmpty() ? "none" : String.join(", ", all.stream().map(pid -> pid + ProcessHandle.of(pid).flatMap(p -> p.info().arguments())
      .map(arguments -> " (" + end(arguments) + ")").orElse("")).toList());
  }

  /** Returns the end of a command line, which usually contains the main class. */
  static String end(String... arguments) {
    String words = String.join(" ", arguments);
    return words.length() <= MOST_WORDS ? words : "…" + words.substring(words.length() - MOST_WORDS);
  }
}
