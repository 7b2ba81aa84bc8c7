package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.perf.ChildProcess;
import io.github.vertxrdma.perf.PerfException;
import io.github.vertxrdma.perf.SkippedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Kernel namespace that other processes can join, until this object is closed. */
abstract class OwnNamespace implements AutoCloseable {
  private static final int SECONDS = 20;
  private static final String MADE = "made";

  private final ChildProcess holder;
  private final String[] kinds;

  /**
   * @param around prefix of the command that creates the namespace
   * @param script shell script that prepares the namespace
   * @param needed requirements that are usually missing if the script fails
   * @param kinds options of nsenter(1)
   */
  OwnNamespace(List<String> around, String script, String needed, String... kinds) throws SkippedException, InterruptedException {
    this.kinds = kinds;
    List<String> command = new ArrayList<>(around);
    command.addAll(List.of("sh", "-c", script + " && echo " + MADE + " && exec cat"));
    try {
      holder = new ChildProcess("namespace", command, MADE::equals);
    } catch (IOException e) {
      throw new SkippedException("unshare(1) is not installed");
    }
    try {
      holder.answer(SECONDS);
    } catch (PerfException e) {
      holder.close();
      throw new SkippedException("it needs " + needed + ": " + e.getMessage());
    }
  }

  final long pid() {
    return holder.pid();
  }

  final List<String> joined() {
    List<String> command = new ArrayList<>(List.of("nsenter", "-t", String.valueOf(pid())));
    command.addAll(List.of(kinds));
    return command;
  }

  @Override
  public final void close() {
    holder.close();
  }
}
