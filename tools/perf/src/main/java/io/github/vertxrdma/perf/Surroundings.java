package io.github.vertxrdma.perf;

import java.util.List;

/**
 * Processors and event loops of a pair of processes.
 *
 * @param pinned whether each process has its own processor, a fixed heap and the serial collector
 * @param loops event loops of each process; 0 for Vert.x's default
 */
record Surroundings(boolean pinned, int loops) {
  List<String> placed(Pinning pinning, List<String> command) {
    return pinned ? pinning.command(command) : command;
  }

  String onThisMachine() {
    String refusal = Pinning.unpinned();
    return MeasuredMachine.name() + "; "
      + (!pinned ? "nothing pinned" : refusal == null ? "server on CPU 0, client on CPU 1" : "not pinned: " + refusal)
      + ", " + (loops == 0 ? "Vert.x's default number of event loops" : loops == 1 ? "one event loop per process"
        : loops + " event loops per process");
  }
}
