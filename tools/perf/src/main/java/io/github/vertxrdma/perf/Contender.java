package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.commands.Perf;
import io.github.vertxrdma.perf.work.Sample;
import io.github.vertxrdma.perf.work.Setup;
import io.vertx.core.json.JsonObject;
import io.vertx.core.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A measured program: vertx-rdma, or a peer to compare it with. Used by one thread, which may block. */
interface Contender extends AutoCloseable {
  Set<String> BESIDE_SEND = Set.of("notify", "write", "contract", Mode.FUNCTION);

  String name();

  Sample run(int size, long nanos) throws Exception;

  default double stolen() {
    return 0;
  }

  @Override
  default void close() {
  }

  /** Returns this library and the peers to measure beside it. Each peer must be a pair of JVMs. */
  static List<JvmContender> pairs(String name, PerfArguments arguments, String fabric) throws SkippedException {
    List<JvmContender> contenders = new ArrayList<>(List.of(ours(name, arguments, fabric)));
    for (String peer : arguments.against()) {
      contenders.add((JvmContender) peer(peer, arguments, fabric));
    }
    return contenders;
  }

  static JvmContender ours(String name, PerfArguments arguments, String fabric) {
    return ours(name, arguments, arguments.workload(), fabric, arguments.poll());
  }

  private static JvmContender ours(String name, PerfArguments arguments, String workload, String fabric, String poll) {
    return new JvmContender(name, setup("rdma", arguments, workload, fabric), poll, arguments);
  }

  /** @throws SkippedException if this machine lacks the peer, or the peer lacks the mode */
  static Contender peer(String peer, PerfArguments arguments, String fabric) throws SkippedException {
    String workload = arguments.workload();
    if (arguments.every() > 0 && !Perf.PACED_PEERS.contains(peer)) {
      throw new SkippedException("only " + String.join(", ", Perf.PACED_PEERS) + " can be measured with --every");
    }
    return switch (peer) {
      case "tcp", "epoll", "io_uring" -> stock(peer, arguments, fabric);
      case "busy", "blocking" -> ours(peer, arguments, workload, fabric, peer);
      case "bus", "http" -> {
        if (!workload.equals(Mode.FUNCTION)) {
          throw new SkippedException("only call function can be compared with it; for other modes use tcp with the mode " + peer);
        }
        yield new JvmContender(peer, setup("tcp", arguments, peer, fabric), null, arguments);
      }
      case "send" -> {
        if (!BESIDE_SEND.contains(workload)) {
          throw new SkippedException("send can be compared with notify, write, contract and function, not with " + workload);
        }
        yield ours("send", arguments, Mode.LATENCY.word(), fabric, arguments.poll());
      }
      case "aeron" -> aeron(arguments, fabric);
      case "fi_pingpong" -> new PingpongContender(arguments, fabric);
      default -> new TwinContender(arguments, fabric);
    };
  }

  private static Contender stock(String peer, PerfArguments arguments, String fabric) throws SkippedException {
    Setup setup = setup("tcp", arguments, switch (arguments.workload()) {
      case "notify", Mode.FUNCTION -> Mode.LATENCY.word();
      case "service", "address" -> Mode.BUS.word();
      default -> arguments.workload();
    }, fabric);
    if (!peer.equals("tcp")) {
      Transport transport = Setup.transport(peer);
      if (transport == null || !transport.available()) {
        throw new SkippedException(peer + " is not available here" + (transport == null ? "" : ": " + transport.unavailabilityCause()));
      }
      setup.options().put("transport", peer);
    }
    return new JvmContender(peer, setup, null, arguments);
  }

  private static Contender aeron(PerfArguments arguments, String fabric) throws SkippedException {
    Mode mode = arguments.mode();
    if (mode != Mode.LATENCY && mode != Mode.RATE || arguments.window() > 1 || arguments.connections() > 1) {
      throw new SkippedException("Aeron is measured only by latency and rate with --connections 1 and --window 1");
    }
    boolean ipc = fabric.equals("shm");
    return new JvmContender(ipc ? "aeron-ipc" : "aeron-udp", setup("aeron", arguments, mode.word(), ipc ? "ipc" : "udp"), null, arguments);
  }

  private static Setup setup(String stack, PerfArguments arguments, String workload, String fabric) {
    JsonObject options = arguments.options().copy().put("loops", arguments.placement().loops());
    if (workload.equals(Mode.FUNCTION)) {
      options.put("worker", arguments.worker()).put("work", arguments.work());
    }
    return new Setup(stack, workload, fabric, arguments.connections(), arguments.window(), "", 0, options);
  }
}
