package io.github.vertxrdma.perf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Processes that keep processors busy. They end with this process, even if it is killed. */
final class BusyProcesses implements AutoCloseable {
  private static final String WORK = "while kill -0 $0 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done";

  private final List<Process> processes = new ArrayList<>();

  BusyProcesses(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      processes.add(new ProcessBuilder("sh", "-c", WORK, Long.toString(ProcessHandle.current().pid())).start());
    }
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
  }
}
