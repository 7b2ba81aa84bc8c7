package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.perf.work.Sample;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** fi_pingpong(1) of libfabric, which prints half of a round. */
final class PingpongContender implements Contender {
  private static final Map<String, List<String>> FABRICS = Map.of("tcp", List.of("tcp", "msg"), "rxm", List.of("tcp;ofi_rxm", "rdm"),
    "shm", List.of("shm", "rdm"));

  private final List<String> fabric;
  private final Surroundings around;
  private final boolean roundTrip;

  PingpongContender(PerfArguments arguments, String fabric) throws SkippedException {
    this.around = arguments.around();
    this.fabric = FABRICS.get(fabric);
    this.roundTrip = arguments.mode() == Mode.LATENCY;
    if (this.fabric == null || arguments.mode() != Mode.LATENCY && arguments.mode() != Mode.RATE) {
      throw new SkippedException("fi_pingpong does latency and rate over tcp, rxm and libfabric's shm");
    }
    try {
      new ProcessBuilder("fi_pingpong", "-h").redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    } catch (IOException e) {
      throw new SkippedException("fi_pingpong is not installed; Debian has it in libfabric-bin");
    }
  }

  @Override
  public String name() {
    return "fi_pingpong";
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    double micros = transfer(size, 200);
    return sample(transfer(size, (long) Math.clamp(nanos / 2e3 / micros, 200, 2e7)), size);
  }

  private Sample sample(double micros, int size) {
    double rate = 1e6 / (roundTrip ? 2 * micros : micros);
    return new Sample(roundTrip ? 2 * micros : Double.NaN, Double.NaN, Double.NaN, rate, rate * size / (1 << 20), Double.NaN);
  }

  private double transfer(int size, long rounds) throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    List<String> server = new ArrayList<>(List.of("fi_pingpong", "-p", fabric.get(0), "-e", fabric.get(1), "-I", Long.toString(rounds),
      "-S", Integer.toString(Math.max(1, size))));
    List<String> client = new ArrayList<>(server);
    server.addAll(List.of("-B", Integer.toString(port)));
    client.addAll(List.of("-P", Integer.toString(port), "127.0.0.1"));
    try (ChildProcess serving = new ChildProcess("fi_pingpong's server", around.placed(Pinning.SERVER, server), line -> false)) {
      awaitListening(port);
      try (ChildProcess driving = new ChildProcess("fi_pingpong", around.placed(Pinning.CLIENT, client), line -> line.matches("\\d.*"))) {
        String[] columns = driving.answer(60).strip().split("\\s+");
        return Double.parseDouble(columns[6]);
      }
    }
  }

  /** Reads /proc, since fi_pingpong does not report that it is ready; a connection would be taken for the client. */
  private static void awaitListening(int port) throws Exception {
    String wanted = String.format(":%04X ", port);
    for (int i = 0; i < 500; i++) {
      if (Files.readString(Path.of("/proc/net/tcp")).lines().anyMatch(line -> line.contains(wanted) && line.contains(" 0A "))) {
        return;
      }
      Thread.sleep(10);
    }
    throw new PerfException("fi_pingpong did not listen in 5 s");
  }
}
