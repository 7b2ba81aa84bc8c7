package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.PairPlacement.Pinning;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.function.Predicate;

/** A program of another project. Each run starts it twice: as server and as client. */
abstract class ProgramPair implements Contender {
  /** Pause between queries of the kernel, each of which starts a program. */
  private static final long PAUSE_MILLIS = 100;
  private static final int ATTEMPTS = 100;

  final String program;
  private final PairPlacement placement;

  ProgramPair(String program, String probe, String from, PairPlacement placement) throws SkippedException {
    this.program = program;
    this.placement = placement;
    try {
      new ProcessBuilder(program, probe).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    } catch (IOException e) {
      throw new SkippedException(program + " is not installed; Debian has it in " + from);
    }
  }

  @Override
  public final String name() {
    return program;
  }

  static int freePort(InetAddress address) throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, address)) {
      return socket.getLocalPort();
    }
  }

  /** Returns the columns of the client's result. */
  final String[] pair(List<String> server, List<String> client, int port, Predicate<String> isResult, long seconds) throws Exception {
    try (ChildProcess serving = new ChildProcess(program + "'s server", placement.command(Pinning.SERVER, server), line -> false)) {
      awaitListening(port);
      try (ChildProcess driving = new ChildProcess(program, placement.command(Pinning.CLIENT, client), isResult)) {
        return driving.answer(seconds).strip().split("\\s+");
      }
    }
  }

  /** Asks the kernel until the server listens. The server does not report this, and would take a connection for its client. */
  private void awaitListening(int port) throws Exception {
    for (int i = 0; i < ATTEMPTS; i++) {
      if (isListening(port)) {
        return;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    throw new PerfException(program + " did not listen in time");
  }

  abstract boolean isListening(int port) throws IOException;
}
