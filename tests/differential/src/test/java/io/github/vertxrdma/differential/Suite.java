package io.github.vertxrdma.differential;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Runs groups of rows on lanes. Groups that leave the reader unchanged share one; others have their own. The next writer starts while a
 * group runs.
 */
final class Suite {
  private static final int LONGEST_CHAIN = 6;
  /** Limits chains that run at a time, without those in a pause. Each has two or three processes. */
  private static final Semaphore RUNNING = new Semaphore(3 * Runtime.getRuntime().availableProcessors(), true);

  private final String classPath;
  private final List<String> jvmOptions;
  private final Path folder;

  Suite(String classPath, List<String> jvmOptions, Path folder) {
    this.classPath = classPath;
    this.jvmOptions = jvmOptions;
    this.folder = folder;
  }

  /** @return outcomes by group and lane */
  Map<String, Map<Lane, GroupOutcome>> run(Map<Lane, List<Row>> plan) throws InterruptedException {
    Map<String, Map<Lane, GroupOutcome>> outcomes = new ConcurrentHashMap<>();
    List<Chain> chains = new ArrayList<>();
    plan.forEach((lane, of) -> {
      Map<Boolean, List<Group>> shared = new LinkedHashMap<>();
      Rows.groups(of).forEach((name, rows) -> {
        Group group = new Group(name, rows);
        Ending ending = rows.getFirst().ending();
        boolean bus = rows.stream().anyMatch(row -> row.kind().isBus());
        if (ending.seconds() > 0 || ending.consumesReader()) {
          chains.add(new Chain(lane, bus, List.of(group), outcomes));
        } else {
          shared.computeIfAbsent(bus, key -> new ArrayList<>()).add(group);
        }
      });
      shared.forEach((bus, groups) -> {
        for (int i = 0; i < groups.size(); i += LONGEST_CHAIN) {
          chains.add(new Chain(lane, bus, groups.subList(i, Math.min(i + LONGEST_CHAIN, groups.size())), outcomes));
        }
      });
    });
    // The longest chains begin first.
    chains.sort(Comparator.comparingInt(Chain::seconds).reversed());
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Chain chain : chains) {
        RUNNING.acquire();
        threads.execute(() -> {
          try {
            chain.run();
          } finally {
            RUNNING.release();
          }
        });
      }
      threads.shutdown();
      threads.awaitTermination(2, TimeUnit.HOURS);
    }
    return outcomes;
  }

  /** Another chain may run during the pause. */
  private static void sleep(int seconds, Child stopped) throws InterruptedException, IOException {
    RUNNING.release();
    try {
      TimeUnit.SECONDS.sleep(seconds);
      stopped.signal("CONT");
    } finally {
      RUNNING.acquire();
    }
  }

  private record Group(String name, List<Row> rows) {
  }

  /** Groups that follow each other on one reader. */
  private final class Chain {
    private final Lane lane;
    private final boolean bus;
    private final List<Group> groups;
    private final Map<String, Map<Lane, GroupOutcome>> outcomes;
    private Processes processes;

    Chain(Lane lane, boolean bus, List<Group> groups, Map<String, Map<Lane, GroupOutcome>> outcomes) {
      this.outcomes = outcomes;
      this.lane = lane;
      this.bus = bus;
      this.groups = groups;
    }

    int seconds() {
      return groups.stream().mapToInt(group -> 3 + group.rows.getFirst().ending().seconds()).sum();
    }

    void run() {
      try {
        processes = new Processes(lane, bus, classPath, jvmOptions, folder);
      } catch (IOException e) {
        groups.forEach(group -> put(group, failed(e)));
        return;
      }
      Child reader = null;
      Child next = null;
      for (int i = 0; i < groups.size(); i++) {
        Child writer = next;
        next = null;
        try {
          reader = reader != null ? reader : ready(processes.reader());
          writer = ready(writer != null ? writer : processes.writer());
          next = i + 1 < groups.size() ? processes.writer() : null;
          reader = run(groups.get(i), reader, writer);
        } catch (IOException | InterruptedException | RuntimeException e) {
          put(groups.get(i), failed(e));
          close(reader);
          reader = null;
        } finally {
          close(writer);
        }
      }
      close(reader);
      close(next);
    }

    /** @return the reader for the next group, or null */
    private Child run(Group group, Child reader, Child writer) throws IOException, InterruptedException {
      GroupRun run = new GroupRun(processes, Suite::sleep, group.rows, reader, writer);
      GroupOutcome outcome = run.run();
      put(group, outcome);
      if (outcome.error() != null || group.rows.getFirst().ending().consumesReader()) {
        run.reader().close();
        return null;
      }
      run.reader().ask(GroupRun.command("clear"), "cleared");
      return run.reader();
    }

    private GroupOutcome failed(Exception e) {
      return new GroupOutcome(Map.of(), -1, -1, -1, List.of(), List.of(), false, null, e.toString());
    }

    private static void close(Child child) {
      if (child != null) {
        child.close();
      }
    }

    private Child ready(Child child) throws InterruptedException {
      child.await("ready", Child.PATIENCE_SECONDS);
      return child;
    }

    private void put(Group group, GroupOutcome outcome) {
      outcomes.computeIfAbsent(group.name, key -> new ConcurrentHashMap<>()).put(lane, outcome);
    }
  }
}
