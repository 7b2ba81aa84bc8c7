package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.perf.work.Sample;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** fi_pingpong(1) of libfabric, which prints half of a round trip. */
final class PingpongContender extends ProgramPair {
  private static final Map<String, List<String>> FABRICS = Map.of("tcp", List.of("tcp", "msg"), "rxm", List.of("tcp;ofi_rxm", "rdm"),
    "shm", List.of("shm", "rdm"));

  private final List<String> fabric;
  private final boolean roundTrip;

  PingpongContender(PerfArguments arguments, String fabric) throws SkippedException {
    super("fi_pingpong", "-h", "libfabric-bin", arguments.placement());
    this.fabric = FABRICS.get(fabric);
    this.roundTrip = arguments.mode() == Mode.LATENCY;
    if (this.fabric == null || arguments.mode() != Mode.LATENCY && arguments.mode() != Mode.RATE) {
      throw new SkippedException("fi_pingpong can be compared only with latency and rate, over tcp, rxm and shm");
    }
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
    int port = freePort(InetAddress.getLoopbackAddress());
    List<String> server = new ArrayList<>(List.of(program, "-p", fabric.get(0), "-e", fabric.get(1), "-I", Long.toString(rounds),
      "-S", Integer.toString(Math.max(1, size))));
    List<String> client = new ArrayList<>(server);
    server.addAll(List.of("-B", Integer.toString(port)));
    client.addAll(List.of("-P", Integer.toString(port), "127.0.0.1"));
    return Double.parseDouble(pair(server, client, port, line -> line.matches("\\d.*"), 60)[6]);
  }

  @Override
  boolean isListening(int port) throws IOException {
    String wanted = String.format(":%04X ", port);
    return Files.readString(Path.of("/proc/net/tcp")).lines().anyMatch(line -> line.contains(wanted) && line.contains(" 0A "));
  }
}
