package io.github.vertxrdma.perf;

import java.util.List;
import java.util.stream.Stream;

/**
 * A promise, and how it is measured.
 *
 * @param command the arguments of {@code ./rdma perf}
 * @param peer contender whose rows count
 * @param least promised ratio; 0 for a row that is only for comparison
 * @param above maximum difference of our mean from the peer's in microseconds, instead of a ratio; 0 for a ratio
 */
record Goal(String what, String command, String peer, Figure figure, double least, double above) {
  static final List<Goal> ALL = Stream.of(
    goals("event bus, request and reply of 64 B, shm", "bus --against tcp", least("tcp", 1.8)),
    goals("the same, 16 outstanding", "bus --window 16 --against tcp", least("tcp", 1.5), least(Figure.CPU, 1 / 0.8)),
    goals("the same, one event loop per process", "bus --loops 1 --against tcp", least("tcp", 6)),
    goals("the same, all loops busy", "bus --poll busy --against tcp", least("tcp", 1)),
    goals("event bus over TCP on our loops, 64 B", "bus --fabric none --against tcp", least("tcp", 1.1)),
    goals("the same, 16 outstanding", "bus --fabric none --window 16 --against tcp", least("tcp", 1), least(Figure.CPU, 1 / 1.1)),
    goals("the same, one event loop per process", "bus --fabric none --loops 1 --against tcp", least("tcp", 2)),
    goals("event bus, 1 KB to 1 MiB, shm", "bus --size 1k,10k,100k,1m --against tcp", least("tcp", 1), least(Figure.CPU, 1 / 1.1)),
    goals("the same, 16 outstanding", "bus --size 1k,10k --window 16 --against tcp", least("tcp", 1), least(Figure.CPU, 1 / 1.1)),
    goals("the same, 16 outstanding", "bus --size 100k,1m --window 16 --against tcp", least("tcp", 1.2), least(Figure.CPU, 1 / 1.1)),
    goals("event bus, one request every ms, shm", "bus --every 1 --against tcp", least(Figure.P50, 1 / 1.05), least(Figure.CPU, 1 / 1.2)),
    goals("the same over TCP on our loops", "bus --fabric none --every 1 --against tcp", least(Figure.P50, 1 / 1.05),
      least(Figure.CPU, 1 / 1.2)),
    goals("event bus, one request every 20 ms, shm", "bus --every 20 --seconds 5 --against tcp", least(Figure.P50, 1 / 1.05),
      least(Figure.CPU, 1 / 1.15)),
    goals("the same over TCP on our loops", "bus --fabric none --every 20 --seconds 5 --against tcp", least(Figure.P50, 1 / 1.05),
      least(Figure.CPU, 1 / 1.15)),
    goals("HTTP/1.1, 64 B and 10 KB, shm", "http --size 64,10k --against tcp", least("tcp", 1.5)),
    goals("the same, 16 connections", "http --size 64,10k --connections 16 --against tcp", least("tcp", 1.2), least(Figure.P99, 1 / 1.1)),
    goals("HTTP/1.1, 1 KB to 1 MiB, shm", "http --size 1k,100k,1m --against tcp", least("tcp", 1), least(Figure.CPU, 1 / 1.1)),
    goals("the same, 16 connections", "http --size 1k,100k,1m --connections 16 --against tcp", least("tcp", 1), least(Figure.CPU, 1 / 1.1)),
    goals("HTTP/1.1, 1,000 connections, 6,000 requests a second, no fabric",
      "http --fabric none --connections 1000 --every 167 --seconds 5 --against tcp", least(Figure.P50, 1 / 1.05),
      least(Figure.CPU, 1 / 1.1)),
    beside("event bus, shm", "bus --busy %d --against tcp"),
    beside("event bus, shm, one event loop per process", "bus --loops 1 --busy %d --against tcp"),
    beside("event bus over TCP on our loops", "bus --fabric none --busy %d --against tcp"),
    beside("HTTP/1.1, shm", "http --busy %d --against tcp"),
    beside("connection, there and back, shm", "latency --busy %d --against tcp"),
    goals("connection, there and back, 64 B, shm, all loops busy", "latency --poll busy --against aeron", least("aeron-ipc", 0.6)),
    goals("messages one way, 64 B, shm, all loops busy", "rate --poll busy --against aeron", least("aeron-ipc", 0.6)),
    goals("connection, there and back, 64 B, shm, pinned", "latency --pinned --against tcp,c", least("tcp", 15), least("c", 1.25)),
    goals("messages one way, 64 B, one connection, shm", "rate --pinned --against tcp,c", beside("tcp"), beside("c")),
    goals("remote read 64 B, shm", "regions read --pinned --against c", least("c", 3)),
    goals("remote write 64 B, shm", "regions write --pinned --against c", beside("c")),
    goals("fetch-and-add, shm", "regions atomic --pinned --against c", least("c", 3)),
    goals("notified write 64 B, shm (one message)", "regions notify --pinned --against send", least("send", 1 / 1.5)),
    goals("messages one way, 1 MiB, zero-copy, filled and added up, shm", "rate --pinned --size 1m --zero-copy --touch --against c,tcp",
      least("c", 1.3), beside("tcp")),
    goals("the same, neither filled nor looked at", "rate --pinned --size 1m --zero-copy --against fi_pingpong", beside("fi_pingpong")),
    goals("the same, on the heap, filled and added up", "rate --pinned --size 1m --touch --against tcp", least("tcp", 1.3)),
    goals("rdma: address, 64 B, from code, shm", "call service --pinned --against tcp", least("tcp", 8)),
    goals("the same, by the event bus", "call address --pinned --against tcp", least("tcp", 3.3)),
    goals("the same, 1 MiB, from code", "call service --pinned --size 1m --against tcp", least("tcp", 3)),
    goals("unary call of a contract, 64 B, shm", "call contract --pinned --against tcp,send", least("tcp", 8), above("send", 1.5)),
    goals("the same, 256 under way", "call contract --pinned --window 256 --against tcp", least("tcp", 3)),
    goals("the same, 1 MiB", "call contract --pinned --size 1m --against tcp", least("tcp", 2)),
    goals("the same, 64 B, nio", "call contract --pinned --fabric nio --against tcp", least("tcp", 1.3)),
    goals("call of a function, hot, 64 B, shm", "call function --pinned --against send,bus,http",
      above("send", 1), beside("bus"), beside("http")),
    goals("connecting and closing, shm", "connect --pinned --against tcp", least("tcp", 0.8)),
    goals("connecting and closing of a NetClient to a wildcard server, shm", "connect stream --pinned --against tcp", least("tcp", 0.8)),
    goals("start of a clustered node, to the first answer over the event bus", "start --runs 10 --against tcp", above("tcp", 500_000)),
    goals("connection, there and back, 64 B, libfabric's tcp", "latency --pinned --fabric tcp --against tcp,c,fi_pingpong",
      beside("tcp"), least("c", 1 / 1.1), beside("fi_pingpong")),
    goals("messages one way, 1 MiB, zero-copy, libfabric's tcp",
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
    return Stream.of(promises).map(each -> new Goal(each == promises[0] ? what : "the same", command, each.peer, each.figure, each.least,
      each.above)).toList();
  }

  /** Returns null without a promise. */
  Boolean met(Row row) {
    if (above > 0) {
      return 1e6 / row.ours().messages() - 1e6 / row.peerSample().messages() <= above;
    }
    return least == 0 ? null : row.ratio(figure) >= least;
  }
}
