package io.github.vertxrdma.simulator;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.impl.peers.ControlHost;
import io.github.vertxrdma.impl.peers.ControlPipe;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.function.UnaryOperator;

final class SimulatedHost extends SimulatedLoop implements ControlHost {
  final int number;
  private final TcpModel tcp;
  /** Changes the bytes that it sends, for a process that lies. */
  UnaryOperator<byte[]> tamper = UnaryOperator.identity();
  Throwable trouble;

  SimulatedHost(int number, TcpModel tcp, VirtualTime time, long seed) {
    super(time, seed);
    this.number = number;
    this.tcp = tcp;
  }

  static String name(int number) {
    return "10.0." + (number >> 8) + '.' + (number & 255);
  }

  static int number(String name) {
    String[] parts = name.split("\\.");
    return Integer.parseInt(parts[2]) << 8 | Integer.parseInt(parts[3]);
  }

  static NodeEntry entry(String id, long run) {
    return new NodeEntry(id, run, new ProcessIdentity(1, 1, 1, run, run, "host"), "", 0, "1", "", List.of(), "");
  }

  InetAddress address() {
    try {
      return InetAddress.getByAddress(new byte[] {10, 0, (byte) (number >> 8), (byte) number});
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public <T> Promise<T> promise() {
    return Promise.promise();
  }

  @Override
  public Future<Listening> listen(String host, int port, Handler<ControlPipe> accepted) {
    return tcp.listen(this, port, accepted);
  }

  @Override
  public Future<ControlPipe> connect(String host, int port, int timeoutMillis) {
    return trouble != null ? Future.failedFuture(trouble) : tcp.connect(this, number(host), port, timeoutMillis).map(end -> end);
  }
}
