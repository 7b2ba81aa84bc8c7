package io.github.vertxrdma.perf;

import java.util.List;
import java.util.stream.Stream;

/**
 * A promise, judged by the mean, and how it is measured.
 *
 * @param what in words
 * @param command the arguments of {@code ./rdma perf}
 * @param peer whose row counts
 * @param least the ratio that is promised; 0 for a row that is only for comparison
 * @param above microseconds that our mean may lie above the peer's at most, in place of a ratio; 0 for a ratio
 */
record Goal(String what, String command, String peer, double least, double above) {
  static final List<Goal> ALL = Stream.of(
    goals("connection, there and back, 64 B, shm", "latency --fabric shm --against tcp,c,aeron",
      least("tcp", 15), least("c", 1.25), least("aeron-ipc", 0.5)),
    goals("messages one way, 64 B, one connection, shm", "rate --fabric shm --against tcp,c,aeron",
      beside("tcp"), beside("c"), least("aeron-ipc", 1)),
    goals("remote read 64 B, shm", "read --fabric shm --against c", least("c", 3)),
    goals("remote write 64 B, shm", "write --fabric shm --against c", beside("c")),
    goals("fetch-and-add, shm", "atomic --fabric shm --against c", least("c", 3)),
    goals("notified write 64 B, shm (one message)", "notify --fabric shm --against send", least("send", 1 / 1.5)),
    goals("messages one way, 1 MiB, zero-copy, filled and added up, shm", "bandwidth --zero-copy --touch --fabric shm --against c,tcp",
      least("c", 1.3), beside("tcp")),
    goals("the same, neither filled nor looked at", "bandwidth --zero-copy --fabric shm --against fi_pingpong", beside("fi_pingpong")),
    goals("the same, on the heap, filled and added up", "bandwidth --touch --fabric shm --against tcp", least("tcp", 1.3)),
    goals("clustered event bus, request 64 B, shm", "bus --fabric shm --against tcp", least("tcp", 3.3)),
    goals("the same, 256 outstanding", "bus --fabric shm --window 256 --against tcp", least("tcp", 2)),
    goals("the same, 1 MiB, 8 outstanding", "bus --fabric shm --size 1m --window 8 --against tcp", least("tcp", 1.3)),
    goals("rdma: address, 64 B, from code, shm", "service --fabric shm --against tcp", least("tcp", 8)),
    goals("the same, by the event bus", "address --fabric shm --against tcp", least("tcp", 3.3)),
    goals("the same, 1 MiB, from code", "service --fabric shm --size 1m --against tcp", least("tcp", 3)),
    goals("HTTP/1.1 requests, 64 B, shm", "http --fabric shm --against tcp", least("tcp", 3)),
    goals("the same, bodies of 1 MiB", "http --fabric shm --size 1m --against tcp", least("tcp", 1)),
    goals("clustered event bus, request 64 B, nio", "bus --fabric nio --against tcp", least("tcp", 1.3)),
    goals("the same, blocking", "bus --fabric nio --poll blocking --against tcp", least("tcp", 1)),
    goals("the same, 1 MiB, 8 outstanding", "bus --fabric nio --size 1m --window 8 --against tcp", least("tcp", 1)),
    goals("event bus beside 2 busy processes, 64 B, shm", "bus --fabric shm --busy 2 --against tcp", least("tcp", 1)),
    goals("the same, beside 4", "bus --fabric shm --busy 4 --against tcp", least("tcp", 1)),
    goals("the same, beside 2, nio", "bus --fabric nio --busy 2 --against tcp", least("tcp", 1)),
    goals("HTTP/1.1 beside 2 busy processes, 64 B, shm", "http --fabric shm --busy 2 --against tcp", least("tcp", 1)),
    goals("unary call of a contract, 64 B, shm", "contract --fabric shm --against tcp,send", least("tcp", 8), above("send", 1.5)),
    goals("the same, 256 under way", "contract --fabric shm --window 256 --against tcp", least("tcp", 3)),
    goals("the same, 1 MiB", "contract --fabric shm --size 1m --against tcp", least("tcp", 2)),
    goals("the same, 64 B, nio", "contract --fabric nio --against tcp", least("tcp", 1.3)),
    goals("call of a function, hot, 64 B, shm", "function --fabric shm --against send,bus,http",
      above("send", 1), beside("bus"), beside("http")),
    goals("connecting and closing, shm", "connect --fabric shm --against tcp", least("tcp", 0.8)),
    goals("connecting and closing of a NetClient to a wildcard server, shm", "streams --fabric shm --against tcp", least("tcp", 0.8)),
    goals("the same, with the proof of the path for each", "proofs --fabric shm --against tcp", beside("tcp")),
    goals("first event bus request of a node, shm", "first --fabric shm --against tcp", least("tcp", 1 / 1.2)),
    goals("start of a clustered node, shm", "start --fabric shm --against tcp", above("tcp", 300_000)),
    goals("connection, there and back, 64 B, libfabric's tcp", "latency --fabric tcp --against tcp,c,fi_pingpong",
      beside("tcp"), least("c", 1 / 1.1), beside("fi_pingpong")),
    goals("messages one way, 1 MiB, zero-copy, libfabric's tcp", "bandwidth --zero-copy --fabric tcp --against fi_pingpong,tcp",
      least("fi_pingpong", 0.95), beside("tcp")))
    .flatMap(List::stream).toList();

  /** Promise beside one peer. */
  private record Promise(String peer, double least, double above) {
  }

  private static Promise least(String peer, double ratio) {
    return new Promise(peer, ratio, 0);
  }

  private static Promise above(String peer, double micros) {
    return new Promise(peer, 0, micros);
  }

  /** A peer for comparison only. */
  private static Promise beside(String peer) {
    return new Promise(peer, 0, 0);
  }

  private static List<Goal> goals(String what, String command, Promise... promises) {
    return Stream.of(promises).map(each -> new Goal(each == promises[0] ? what : "the same", command, each.peer, each.least, each.above))
      .toList();
  }

  /** Whether it is kept; null without a promise. */
  Boolean met(Row row) {
    if (above > 0) {
      return 1e6 / row.ours().messages() - 1e6 / row.theirs().messages() <= above;
    }
    return least == 0 ? null : row.ratio() >= least;
  }
}
