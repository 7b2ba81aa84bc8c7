package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.perf.PairPlacement.Pinning;
import io.github.vertxrdma.perf.work.Sample;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** fi_pingpong(1) of libfabric, which prints half of a round trip. Each run starts it twice: as server and as client. */
final class PingpongContender implements Contender {
  private static final String PROGRAM = "fi_pingpong";
  private static final Map<String, List<String>> FABRICS = Map.of("tcp", List.of("tcp", "msg"), "rxm", List.of("tcp;ofi_rxm", "rdm"),
    "shm", List.of("shm", "rdm"));
  private static final int LISTEN_ATTEMPTS = 100;

  private final PairPlacement placement;
  private final List<String> fabric;
  private final boolean roundTrip;

  PingpongContender(PerfArguments arguments, String fabric) throws SkippedException {
    this.placement = arguments.placement();
    this.fabric = FABRICS.get(fabric);
    this.roundTrip = arguments.mode() == Mode.LATENCY;
    if (this.fabric == null || arguments.mode() != Mode.LATENCY && arguments.mode() != Mode.RATE) {
      throw new SkippedException("fi_pingpong can be compared only with latency and rate, over tcp, rxm and shm");
    }
    try {
      new ProcessBuilder(PROGRAM, "-h").redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    } catch (IOException e) {
      throw new SkippedException(PROGRAM + " is not installed; Debian has it in libfabric-bin");
    }
  }

  @Override
  public String name() {
    return PROGRAM;
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    double micros = transfer(size, 200);
    micros = transfer(size, (long) Math.clamp(nanos / 2e3 / micros, 200, 2e7));
    double rate = 1e6 / (roundTrip ? 2 * micros : micros);
    return new Sample(roundTrip ? 2 * micros : Double.NaN, Double.NaN, Double.NaN, rate, rate * size / (1 << 20), Double.NaN);
  }

  /** Returns the microseconds of one way. */
  private double transfer(int size, long rounds) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    List<String> server = new ArrayList<>(List.of(PROGRAM, "-p", fabric.get(0), "-e", fabric.get(1), "-I", Long.toString(rounds),
      "-S", Integer.toString(Math.max(1, size))));
    List<String> client = new ArrayList<>(server);
    server.addAll(List.of("-B", Integer.toString(port)));
    client.addAll(List.of("-P", Integer.toString(port), "127.0.0.1"));
    try (ChildProcess serving = new ChildProcess(PROGRAM + "'s server", placement.command(Pinning.SERVER, server), line -> false)) {
      awaitListening(port);
      try (ChildProcess driving = new ChildProcess(PROGRAM, placement.command(Pinning.CLIENT, client), line -> line.matches("\\d.*"))) {
        return Double.parseDouble(driving.answer(60).strip().split("\\s+")[6]);
      }
    }
  }

  /** Asks the kernel until the server listens. The server does not report this, and would take a connection for its client. */
  private static void awaitListening(int port) throws Exception {
    String wanted = String.format(":%04X ", port);
    for (int i = 0; i < LISTEN_ATTEMPTS; i++) {
      if (Files.readString(Path.of("/proc/net/tcp")).lines().anyMatch(line -> line.contains(wanted) && line.contains(" 0A "))) {
        return;
      }
      Thread.sleep(100);
    }
    throw new PerfException(PROGRAM + " did not listen in time");
  }
}
