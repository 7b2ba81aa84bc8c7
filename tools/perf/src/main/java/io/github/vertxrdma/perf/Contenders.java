package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.commands.Perf;
import io.github.vertxrdma.perf.work.NodeOptions;
import io.github.vertxrdma.perf.work.Setup;
import io.vertx.core.json.JsonObject;
import io.vertx.core.transport.Transport;

/** Makes contenders. */
final class Contenders {
  private Contenders() {
  }

  /** Ours. */
  static Contender ours(PerfArguments arguments, String fabric) {
    return ours("ours", arguments, fabric);
  }

  /** Connections that stay idle. @param stack {@code rdma}, or {@code spi} for bare endpoints of the provider */
  static JvmContender idle(String stack, PerfArguments arguments, String fabric) {
    return new JvmContender(stack, setup(stack, arguments, Mode.IDLE, fabric), arguments.poll(), arguments);
  }

  /** Ours under another name, when several kinds of ours race. */
  static JvmContender ours(String name, PerfArguments arguments, String fabric) {
    return ours(name, arguments, arguments.mode(), fabric, arguments.poll());
  }

  private static JvmContender ours(String name, PerfArguments arguments, Mode mode, String fabric, String poll) {
    return new JvmContender(name, setup("rdma", arguments, mode, fabric), poll, arguments);
  }

  /** @throws SkippedException if that peer is not on this machine, or has no such mode */
  static Contender peer(String peer, PerfArguments arguments, String fabric) throws SkippedException {
    Mode mode = arguments.mode();
    if (arguments.every() > 0 && !Perf.PACED_PEERS.contains(peer)) {
      throw new SkippedException("only " + String.join(", ", Perf.PACED_PEERS) + " start operations at a pace");
    }
    return switch (peer) {
      case "tcp", "epoll", "io_uring" -> stock(peer, arguments, fabric);
      case "busy", "blocking" -> ours(peer, arguments, mode, fabric, peer);
      case "bus", "http" -> {
        if (mode != Mode.FUNCTION) {
          throw new SkippedException("it is a peer of function; beside others name tcp, with the mode " + peer);
        }
        yield new JvmContender(peer, setup("tcp", arguments, Mode.of(peer), fabric), null, arguments);
      }
      case "send" -> {
        if (mode != Mode.NOTIFY && mode != Mode.WRITE && mode != Mode.CONTRACT && mode != Mode.FUNCTION) {
          throw new SkippedException("a send is the peer of notify, write, contract and function, not of " + mode.word());
        }
        yield ours("send", arguments, Mode.LATENCY, fabric, arguments.poll());
      }
      case "aeron" -> aeron(arguments, fabric);
      case "fi_pingpong" -> new PingpongContender(arguments, fabric);
      default -> fabric.startsWith("verbs:") && !DeviceInUserSpace.isNamedBy(fabric) ? new PerftestContender(arguments, fabric)
        : new TwinContender(arguments, fabric);
    };
  }

  /** Stock Vert.x over TCP, on its default transport or another. */
  private static Contender stock(String peer, PerfArguments arguments, String fabric) throws SkippedException {
    Setup setup = setup("tcp", arguments, switch (arguments.mode()) {
      case NOTIFY, FUNCTION -> Mode.LATENCY;
      case SERVICE, ADDRESS -> Mode.BUS;
      default -> arguments.mode();
    }, fabric);
    if (!peer.equals("tcp")) {
      Transport transport = NodeOptions.transport(peer);
      if (transport == null || !transport.available()) {
        throw new SkippedException(peer + " is not available here" + (transport == null ? "" : ": " + transport.unavailabilityCause()));
      }
      setup.options().put("transport", peer);
    }
    return new JvmContender(peer, setup, null, arguments);
  }

  private static Contender aeron(PerfArguments arguments, String fabric) throws SkippedException {
    Mode mode = arguments.mode();
    if (mode != Mode.LATENCY && mode != Mode.BANDWIDTH && mode != Mode.RATE || arguments.window() > 1 || arguments.connections() > 1) {
      throw new SkippedException("Aeron is measured with latency, bandwidth and rate of one connection and one message at a time");
    }
    boolean ipc = fabric.equals("shm");
    return new JvmContender(ipc ? "aeron-ipc" : "aeron-udp", setup("aeron", arguments, mode, ipc ? "ipc" : "udp"), null, arguments);
  }

  private static Setup setup(String stack, PerfArguments arguments, Mode mode, String fabric) {
    JsonObject options = arguments.options().copy().put("loops", arguments.around().loops());
    if (mode == Mode.FUNCTION) {
      options.put("worker", arguments.worker()).put("work", arguments.work());
    }
    return new Setup(stack, mode.word(), fabric, arguments.connections(), arguments.window(), "", 0, options);
  }
}
