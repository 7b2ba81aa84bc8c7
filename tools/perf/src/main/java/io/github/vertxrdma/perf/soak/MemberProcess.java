package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.perf.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

final class MemberProcess extends ChildProcess {
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

  private static List<String> command(List<String> around, String before, Path folder, String fabric, int number, int members, long seed) {
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
