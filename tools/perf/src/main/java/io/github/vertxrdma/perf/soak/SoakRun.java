package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.commands.Soak;
import io.github.vertxrdma.perf.ChildProcess;
import io.github.vertxrdma.perf.SkippedException;
import io.github.vertxrdma.perf.soak.RelayedNetwork.NetworkFault;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs processes that use all features, and disturbs them. Each {@link Disturbance} happens in every round, in random order. At the end
 * each process completes its operations, closes, and reports resources that are left.
 */
public final class SoakRun {
  /** Lock file of shm. Another process creates it again after a kill of its owner. */
  private static final Path MEETING_LOCK = Path.of("shm", ".lock");
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final long TEN_SECONDS = TimeUnit.SECONDS.toNanos(10);
  private static final int SIGNALLED_SECONDS = 10;
  private static final int LONGEST_DISTURBANCE_MILLIS = 3000;
  private static final int LONGEST_PAUSE_MILLIS = 2000;
  private static final int LONGEST_DELAY_MILLIS = 50;
  private static final int LONGEST_STEP_SECONDS = 7200;
  private static final long CLOCK_TOLERANCE_MILLIS = TimeUnit.MINUTES.toMillis(2);

  private enum Disturbance {
    KILL, STOP, RESTART, NETWORK, FULL_DISK, SCARCE_MEMORY, CLOCK_STEP, LOST_PACKETS
  }

  private final Soak command;
  private final PrintStream out;
  private final Set<Disturbance> possible = EnumSet.allOf(Disturbance.class);
  private final long seed;
  private final Random random;
  private final Tally tally = new Tally();
  private final Set<String> wrong = new TreeSet<>();
  private final List<MemberProcess> members = new ArrayList<>();
  private final Thread runner = Thread.currentThread();
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile boolean isSignalled;
  private volatile Path folder;
  /** Null if this machine cannot create it. */
  private volatile OwnNamespace.SmallDisk disk;
  private StepClocks clocks;
  private ScarceMemory memory;
  /** Null if this machine cannot create it. */
  private volatile OwnNamespace.LossyNetwork packets;

  public SoakRun(Soak command, PrintStream out) {
    this.command = command;
    this.out = out;
    this.seed = command.seed == null ? System.nanoTime() : command.seed;
    this.random = new Random(seed);
  }

  /** Returns 0 if there was no error and nothing is left, 1 otherwise. */
  public int run() throws Exception {
    out.println("seed " + seed + ", " + command.nodes + " nodes over " + command.fabric
      + (command.beside == null ? "" : ", every second one by " + command.beside));
    folder = Files.createTempDirectory("rdma-soak");
    Files.createDirectory(nodes());
    Thread signalled = new Thread(this::endedBySignal);
    Runtime.getRuntime().addShutdownHook(signalled);
    try {
      prepare();
      // The first process of a user creates files for all later ones, which must not count as leaks.
      members.add(start(0));
      close(members);
      members.clear();
      Set<String> before = outside();
      for (int i = 0; i < command.nodes; i++) {
        members.add(start(i));
      }
      for (MemberProcess member : members) {
        member.awaitReady();
      }
      disturb();
      close(members);
      Set<String> after = outside();
      for (long end = System.nanoTime() + Member.SETTLED_NANOS; !before.containsAll(after) && System.nanoTime() < end; after = outside()) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
      }
      after.removeAll(before);
      after.forEach(what -> wrong.add("left: " + what));
    } finally {
      try {
        cleanUp();
      } finally {
        over.countDown();
      }
      if (!isSignalled) {
        Runtime.getRuntime().removeShutdownHook(signalled);
      }
    }
    out.println("all: " + tally);
    wrong.forEach(what -> out.println("wrong: " + what));
    out.println(wrong.isEmpty() ? "no errors were found, and nothing is left" : "errors were found; repeat the run with --seed " + seed);
    return wrong.isEmpty() ? 0 : 1;
  }

  private void endedBySignal() {
    isSignalled = true;
    runner.interrupt();
    try {
      if (!over.await(SIGNALLED_SECONDS, TimeUnit.SECONDS)) {
        cleanUp();
      }
    } catch (InterruptedException e) {
      out.println("left: " + folder + ": " + e);
    }
  }

  private void cleanUp() throws InterruptedException {
    for (MemberProcess member : List.copyOf(members)) {
      member.kill();
    }
    if (disk != null) {
      disk.close();
    }
    if (packets != null) {
      packets.close();
    }
    if (Files.exists(folder)) {
      ChildProcess.delete(folder);
    }
  }

  private Path nodes() {
    return folder.resolve("nodes");
  }

  private void prepare() throws Exception {
    disk = ifPossible(Disturbance.FULL_DISK, "full disks", () -> new OwnNamespace.SmallDisk(nodes()));
    clocks = ifPossible(Disturbance.CLOCK_STEP, "clock steps", () -> new StepClocks(folder));
    memory = ifPossible(Disturbance.SCARCE_MEMORY, "scarce memory", ScarceMemory::new);
    packets = ifPossible(Disturbance.LOST_PACKETS, "lost packets", () -> OwnNamespace.LossyNetwork.forFabric(command.fabric));
  }

  /** Returns what a disturbance needs; null if this machine lacks it. */
  private <T> T ifPossible(Disturbance disturbance, String what, Callable<T> needed) throws Exception {
    try {
      return needed.call();
    } catch (SkippedException e) {
      possible.remove(disturbance);
      out.println("SKIPPED " + what + ": " + e.getMessage());
      return null;
    }
  }

  private MemberProcess start(int number) throws IOException {
    List<String> around = new ArrayList<>(disk == null ? List.of() : disk.joined());
    around.addAll(packets == null ? List.of() : packets.joined());
    around.addAll(clocks == null ? List.of() : clocks.of(number));
    boolean isBeside = command.beside != null && number % 2 == 1;
    return new MemberProcess(around, isBeside ? command.beside : null, nodes(), command.fabric, number, command.nodes,
      random.nextLong());
  }

  private void disturb() throws Exception {
    long begin = System.nanoTime();
    long nanos = TimeUnit.SECONDS.toNanos(command.duration());
    long period = nanos < MINUTE ? TEN_SECONDS : MINUTE;
    List<Disturbance> round = new ArrayList<>();
    for (long line = begin + period; System.nanoTime() - begin < nanos;) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200 + random.nextInt(LONGEST_PAUSE_MILLIS)));
      if (round.isEmpty()) {
        round.addAll(possible);
        // The network fails twice in a round, because there are several kinds of network faults.
        round.add(Disturbance.NETWORK);
        Collections.shuffle(round, random);
      }
      disturb(round.removeLast(), random.nextInt(members.size()));
      if (System.nanoTime() - line > 0) {
        for (MemberProcess member : members) {
          take(member.ask("count"));
        }
        out.println(
          TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) + " s: " + tally + (wrong.isEmpty() ? "" : "; wrong: " + wrong));
        line += period;
      }
    }
  }

  private void disturb(Disturbance disturbance, int number) throws Exception {
    MemberProcess victim = members.get(number);
    switch (disturbance) {
      case KILL -> {
        take(victim.ask("count"));
        victim.kill();
        replace(number, "kills");
      }
      case STOP -> {
        victim.signal("STOP");
        parkAWhile();
        victim.signal("CONT");
        tally.add("stops", 1);
      }
      case RESTART -> {
        close(List.of(victim));
        replace(number, "restarts");
      }
      case NETWORK -> {
        NetworkFault fault = NetworkFault.values()[1 + random.nextInt(NetworkFault.values().length - 1)];
        take(victim.ask("network " + fault + ' ' + random.nextInt(LONGEST_DELAY_MILLIS)));
        parkAWhile();
        take(victim.ask("network " + NetworkFault.NONE + " 0"));
        tally.add(fault.counted, 1);
      }
      case FULL_DISK -> {
        // Waits for all processes, because a process cannot start on a full disk.
        for (MemberProcess member : members) {
          member.awaitReady();
        }
        Path filler = disk.fill();
        parkAWhile();
        Files.delete(filler);
        tally.add("full disks", 1);
      }
      case SCARCE_MEMORY -> {
        victim.awaitReady();
        memory.begin(victim.pid());
        parkAWhile();
        memory.end(victim.pid());
        tally.add("times of scarce memory", 1);
      }
      case CLOCK_STEP -> {
        long seconds = random.nextInt(2 * LONGEST_STEP_SECONDS) - LONGEST_STEP_SECONDS;
        clocks.set(number, seconds);
        JsonObject answer = victim.ask("count");
        take(answer);
        if (Math.abs(answer.getLong("time") - System.currentTimeMillis() - TimeUnit.SECONDS.toMillis(seconds)) > CLOCK_TOLERANCE_MILLIS) {
          wrong.add("member " + number + "'s clock was not set");
        }
        tally.add("clock steps", 1);
      }
      case LOST_PACKETS -> {
        packets.begin(1 + random.nextInt(LONGEST_DELAY_MILLIS));
        parkAWhile();
        packets.end();
        tally.add("times of lost packets", 1);
      }
    }
  }

  private void parkAWhile() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(LONGEST_DISTURBANCE_MILLIS)));
  }

  /** Replaces a process. Does not wait until the new process is ready. */
  private void replace(int victim, String why) throws Exception {
    members.set(victim, start(victim));
    tally.add(why, 1);
  }

  private void close(List<MemberProcess> leaving) throws Exception {
    for (MemberProcess member : leaving) {
      member.send("end");
    }
    for (MemberProcess member : leaving) {
      take(member.json());
      member.send("close");
    }
    for (MemberProcess member : leaving) {
      JsonObject last = member.json();
      take(last);
      last.getJsonArray("left").forEach(what -> wrong.add("member " + member.number + " left: " + what));
      member.close();
    }
  }

  private void take(JsonObject answer) {
    tally.merge(answer.getJsonObject("counts"));
    if (!answer.getString("wrong").isEmpty()) {
      wrong.add(answer.getString("wrong"));
    }
  }

  private Set<String> outside() throws IOException, InterruptedException {
    Set<String> all = new TreeSet<>();
    try (Stream<Path> files = Files.walk(disk == null ? nodes() : disk.seen())) {
      files.filter(Files::isRegularFile).filter(file -> !file.endsWith(MEETING_LOCK)).map(Path::toString).forEach(all::add);
    } catch (UncheckedIOException e) {
      // A file was removed. This line makes the caller check again.
      all.add(e.getMessage());
    }
    all.addAll(resources());
    return all;
  }

  /** Returns lines of rdma-resource(8); none if the tool is missing. */
  private static Set<String> resources() throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder("rdma", "resource").redirectError(ProcessBuilder.Redirect.DISCARD).start();
    } catch (IOException e) {
      return Set.of();
    }
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? text.lines().map(line -> "rdma resource " + line.strip()).collect(Collectors.toSet()) : Set.of();
  }

  /**
   * Limits the memory of a running process by prlimit(1). The process can no longer pin more than 8 KiB, or write files beyond 8 KiB,
   * including shared memory. It keeps its present memory.
   */
  private static final class ScarceMemory {
    private static final String LEAST = "8192";
    private final String files = usual("--fsize");
    private final String pinned = usual("--memlock");

    ScarceMemory() throws SkippedException {
    }

    private static String usual(String limit) throws SkippedException {
      try {
        return prlimit(ProcessHandle.current().pid(), limit, "--noheadings", "--raw", "--output", "SOFT");
      } catch (IOException e) {
        throw new SkippedException(e.getMessage());
      }
    }

    void begin(long pid) throws IOException {
      prlimit(pid, "--fsize=" + LEAST + ':', "--memlock=" + LEAST + ':');
    }

    void end(long pid) throws IOException {
      prlimit(pid, "--fsize=" + files + ':', "--memlock=" + pinned + ':');
    }

    private static String prlimit(long pid, String... arguments) throws IOException {
      List<String> command = new ArrayList<>(List.of("prlimit", "--pid", String.valueOf(pid)));
      command.addAll(List.of(arguments));
      return ChildProcess.output(command);
    }
  }

  private static final class MemberProcess extends ChildProcess {
    /** Timeout of an answer in seconds, longer than timeouts inside the process. */
    private static final int SECONDS = Member.SECONDS * 5 / 2;

    final int number;

    /**
     * @param around prefix of the command
     * @param before class path in front of this process's class path; null for none
     */
    MemberProcess(List<String> around, String before, Path folder, String fabric, int number, int members, long seed) throws IOException {
      super("member " + number, command(around, before, folder, fabric, number, members, seed), SECONDS);
      this.number = number;
    }

    private static List<String> command(List<String> around, String before, Path folder, String fabric, int number, int members,
      long seed) {
      String own = System.getProperty("java.class.path");
      List<String> command = new ArrayList<>(around);
      command.addAll(List.of(JAVA, "-Xmx128m",
        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED",
        "-Dvertx.rdma.runtime=" + folder.resolve("runtime"), "-cp", before == null ? own : before + File.pathSeparator + own,
        Member.class.getName(),
        folder.resolve("directory").toString(), fabric, String.valueOf(number), String.valueOf(members), String.valueOf(seed)));
      return command;
    }

    void signal(String name) throws IOException, InterruptedException {
      new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid()).start().waitFor();
    }
  }
}
