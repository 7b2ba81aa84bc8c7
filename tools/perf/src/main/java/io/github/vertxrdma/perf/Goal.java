package io.github.vertxrdma.perf;

import java.util.List;
import java.util.stream.Stream;

/**
 * A goal for a measured result, with the command that measures it.
 *
 * @param command the arguments of {@code ./rdma perf}
 * @param peer name of the program to compare with
 * @param least smallest ratio that reaches the goal; 0 for a comparison without a goal
 * @param above instead of a ratio, how many microseconds the mean time may exceed the peer's; 0 for a ratio
 */
record Goal(String what, String command, String peer, Figure figure, double least, double above) {
  private static final String BUS_OVER_TCP = "event bus over TCP with vertx-rdma's event loops, 64 B";

  static final List<Goal> ALL = Stream.of(
    goals("event bus, 64 B, one request at a time, shm", "bus --fabric shm --against tcp", least("tcp", 1.8)),
    goals("event bus, 64 B, 16 requests in flight, shm", "bus --fabric shm --window 16 --against tcp", least("tcp", 1.5),
      least(Figure.CPU, 1 / 0.8)),
    goals("event bus, 64 B, one request at a time, one event loop per process, shm", "bus --fabric shm --loops 1 --against tcp",
      least("tcp", 6)),
    goals("event bus, 64 B, one request at a time, event loops never sleep, shm", "bus --fabric shm --poll busy --against tcp",
      least("tcp", 1)),
    goals(BUS_OVER_TCP + ", one request at a time", "bus --fabric none --against tcp", least("tcp", 1.1)),
    goals(BUS_OVER_TCP + ", 16 requests in flight", "bus --fabric none --window 16 --against tcp", least("tcp", 1),
      least(Figure.CPU, 1 / 1.1)),
    goals(BUS_OVER_TCP + ", one request at a time, one event loop per process", "bus --fabric none --loops 1 --against tcp",
      least("tcp", 2)),
    goals("event bus, one request at a time, shm", "bus --fabric shm --size 1k,10k,100k,1m --against tcp", least("tcp", 1),
      least(Figure.CPU, 1 / 1.1)),
    goals("event bus, 16 requests in flight, shm", "bus --fabric shm --size 1k,10k --window 16 --against tcp", least("tcp", 1),
      least(Figure.CPU, 1 / 1.1)),
    goals("event bus, 16 requests in flight, shm", "bus --fabric shm --size 100k,1m --window 16 --against tcp", least("tcp", 1.2),
      least(Figure.CPU, 1 / 1.1)),
    goals("event bus, 64 B, one request every ms, shm", "bus --fabric shm --every 1 --against tcp", least(Figure.P50, 1 / 1.05),
      least(Figure.CPU, 1 / 1.2)),
    goals(BUS_OVER_TCP + ", one request every ms", "bus --fabric none --every 1 --against tcp", least(Figure.P50, 1 / 1.05),
      least(Figure.CPU, 1 / 1.2)),
    goals("event bus, 64 B, one request every 20 ms, shm", "bus --fabric shm --every 20 --seconds 5 --against tcp",
      least(Figure.P50, 1 / 1.05),
      least(Figure.CPU, 1 / 1.15)),
    goals(BUS_OVER_TCP + ", one request every 20 ms", "bus --fabric none --every 20 --seconds 5 --against tcp", least(Figure.P50, 1 / 1.05),
      least(Figure.CPU, 1 / 1.15)),
    goals("HTTP/1.1, one request at a time, shm", "http --fabric shm --size 64,10k --against tcp", least("tcp", 1.5)),
    goals("HTTP/1.1, 16 connections, shm", "http --fabric shm --size 64,10k --connections 16 --against tcp", least("tcp", 1.2),
      least(Figure.P99, 1 / 1.1)),
    goals("HTTP/1.1, one request at a time, shm", "http --fabric shm --size 1k,100k,1m --against tcp", least("tcp", 1),
      least(Figure.CPU, 1 / 1.1)),
    goals("HTTP/1.1, 16 connections, shm", "http --fabric shm --size 1k,100k,1m --connections 16 --against tcp", least("tcp", 1),
      least(Figure.CPU, 1 / 1.1)),
    goals("HTTP/1.1 over TCP with vertx-rdma's event loops, 64 B, 1,000 connections, 6,000 requests per second in all",
      "http --fabric none --connections 1000 --every 167 --seconds 5 --against tcp", least(Figure.P50, 1 / 1.05),
      least(Figure.CPU, 1 / 1.1)),
    beside("event bus, 64 B, one request at a time, shm", "bus --fabric shm --busy %d --against tcp"),
    beside("event bus, 64 B, one request at a time, one event loop per process, shm", "bus --fabric shm --loops 1 --busy %d --against tcp"),
    beside(BUS_OVER_TCP + ", one request at a time", "bus --fabric none --busy %d --against tcp"),
    beside("HTTP/1.1, 64 B, one request at a time, shm", "http --fabric shm --busy %d --against tcp"),
    beside("connection, 64 B there and back, shm", "latency --busy %d --against tcp"),
    goals("connection, 64 B there and back, event loops never sleep, shm", "latency --poll busy --against aeron", least("aeron-ipc", 0.6)),
    goals("connection, 64 B one way, event loops never sleep, shm", "rate --poll busy --against aeron", least("aeron-ipc", 0.6)),
    goals("connection, 64 B there and back, shm", "latency --pinned --against tcp,c", least("tcp", 15), least("c", 1.25)),
    goals("connection, 64 B one way, shm", "rate --pinned --against tcp,c", beside("tcp"), beside("c")),
    goals("remote read of 64 B, shm", "regions read --pinned --against c", least("c", 3)),
    goals("remote write of 64 B, shm", "regions write --pinned --against c", beside("c")),
    goals("remote fetch-and-add, shm", "regions atomic --pinned --against c", least("c", 3)),
    goals("notified write of 64 B, sent as one message, shm", "regions notify --pinned --against send", least("send", 1 / 1.5)),
    goals("connection, zero-copy messages of 1 MiB one way, filled and read, shm",
      "rate --pinned --size 1m --zero-copy --touch --against c,tcp",
      least("c", 1.3), beside("tcp")),
    goals("connection, zero-copy messages of 1 MiB one way, neither filled nor read, shm",
      "rate --pinned --size 1m --zero-copy --against fi_pingpong", beside("fi_pingpong")),
    goals("connection, messages of 1 MiB on the heap one way, filled and read, shm", "rate --pinned --size 1m --touch --against tcp",
      least("tcp", 1.3)),
    goals("request to a bus service by RdmaBusClient, 64 B, shm", "call service --pinned --against tcp", least("tcp", 8)),
    goals("request to a bus service by the local event bus, 64 B, shm", "call address --pinned --against tcp", least("tcp", 3.3)),
    goals("request to a bus service by RdmaBusClient, 1 MiB, shm", "call service --pinned --size 1m --against tcp", least("tcp", 3)),
    goals("unary call of a contract, 64 B, shm", "call contract --pinned --against tcp,send", least("tcp", 8), above("send", 1.5)),
    goals("unary call of a contract, 64 B, 256 calls in flight, shm", "call contract --pinned --window 256 --against tcp", least("tcp", 3)),
    goals("unary call of a contract, 1 MiB, shm", "call contract --pinned --size 1m --against tcp", least("tcp", 2)),
    goals("unary call of a contract, 64 B, nio", "call contract --pinned --fabric nio --against tcp", least("tcp", 1.3)),
    goals("call of a remote function, hot worker, 64 B, shm", "call function --pinned --against send,bus,http",
      above("send", 1), beside("bus"), beside("http")),
    goals("opening and closing a connection, shm", "connect --pinned --against tcp", least("tcp", 0.8)),
    goals("opening and closing a connection of a NetClient to a server on the wildcard address, shm",
      "connect stream --pinned --against tcp", least("tcp", 0.8)),
    goals("start of a clustered node until its first answer over the event bus", "start --runs 10 --against tcp", above("tcp", 500_000)),
    goals("connection, 64 B there and back, libfabric's tcp", "latency --pinned --fabric tcp --against tcp,c,fi_pingpong",
      beside("tcp"), least("c", 1 / 1.1), beside("fi_pingpong")),
    goals("connection, zero-copy messages of 1 MiB one way, libfabric's tcp",
      "rate --pinned --size 1m --zero-copy --fabric tcp --against fi_pingpong,tcp", least("fi_pingpong", 0.95), beside("tcp")))
    .flatMap(List::stream).toList();

  private record Promise(String peer, Figure figure, double least, double above) {
  }

  private static Promise least(String peer, double ratio) {
    return new Promise(peer, Figure.MEAN, ratio, 0);
  }

  private static Promise least(Figure figure, double ratio) {
    return new Promise("tcp", figure, ratio, 0);
  }

  private static Promise above(String peer, double micros) {
    return new Promise(peer, Figure.MEAN, 0, micros);
  }

  private static Promise beside(String peer) {
    return new Promise(peer, Figure.MEAN, 0, 0);
  }

  private static List<Goal> beside(String what, String command) {
    return Stream.of(2, 4).flatMap(busy -> goals(what + ", beside " + busy + " busy processes", command.formatted(busy),
      least("tcp", 0.95), least(Figure.P99, 0.8)).stream()).toList();
  }

  private static List<Goal> goals(String what, String command, Promise... promises) {
    return Stream.of(promises).map(each -> new Goal(what, command, each.peer, each.figure, each.least,
      each.above)).toList();
  }

  /** Returns whether a row reaches the goal; null for a comparison without a goal. */
  Boolean met(Row row) {
    if (above > 0) {
      return 1e6 / row.ours().messages() - 1e6 / row.peerSample().messages() <= above;
    }
    return least == 0 ? null : row.ratio(figure) >= least;
  }
}
