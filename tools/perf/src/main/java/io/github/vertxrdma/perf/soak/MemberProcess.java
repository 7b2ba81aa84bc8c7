package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.perf.ChildProcess;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A member of the soak as who started it sees it. */
final class MemberProcess {
  /** More than it has itself. */
  private static final int SECONDS = Member.SECONDS * 5 / 2;

  final int number;
  private final ChildProcess process;
  private boolean greeted;

  /**
   * Starts it.
   *
   * @param around what begins its command
   * @param before what stands before this process's class path in its own; null for nothing
   */
  MemberProcess(List<String> around, String before, Path folder, String fabric, int number, int members, long seed) throws IOException {
    this.number = number;
    String own = System.getProperty("java.class.path");
    List<String> command = new ArrayList<>(around);
    command.addAll(List.of(ChildProcess.JAVA, "-Xmx128m",
      "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED",
      "-Dvertx.rdma.runtime=" + folder.resolve("runtime"), "-cp", before == null ? own : before + File.pathSeparator + own, Member.class.getName(),
      folder.resolve("directory").toString(), fabric, String.valueOf(number), String.valueOf(members), String.valueOf(seed)));
    process = new ChildProcess("member " + number, command);
  }

  /** Waits until it works. */
  void awaitReady() throws InterruptedException {
    if (!greeted) {
      answer();
      greeted = true;
    }
  }

  /** Tells it something, once it works; {@link #answer} is what came of it. */
  void tell(String command) throws InterruptedException {
    awaitReady();
    process.tell(command);
  }

  /** Tells it something, and waits for the answer. */
  JsonObject ask(String command) throws InterruptedException {
    tell(command);
    return answer();
  }

  JsonObject answer() throws InterruptedException {
    return process.json(SECONDS);
  }

  /** @param name STOP or CONT */
  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start().waitFor();
  }

  long pid() {
    return process.pid();
  }

  void kill() throws InterruptedException {
    process.kill();
  }

  /** Lets it end by itself. */
  void leave() {
    process.close();
  }
}
