package io.github.vertxrdma.perf;

import java.util.List;

/**
 * Something that is promised, and how it is measured.
 *
 * @param what in words
 * @param command the arguments of {@code ./rdma perf}
 * @param peer whose row counts; null for our own rate
 * @param least the ratio, or without a peer the operations per second, that are promised; 0 for a row that is only for comparison
 * @param above microseconds that our median may lie above the peer's at most, in place of a ratio; 0 for a ratio
 */
record Goal(String what, String command, String peer, double least, double above) {
  private static final double NOTIFIED = 1 / 1.5;

  static final List<Goal> ALL = List.of(
    new Goal("connection, there and back, 64 B, shm", "latency --fabric shm --against tcp,c,fi_pingpong,aeron", "tcp", 15),
    new Goal("the same", "latency --fabric shm --against tcp,c,fi_pingpong,aeron", "c", 1 / 1.5),
    new Goal("the same", "latency --fabric shm --against tcp,c,fi_pingpong,aeron", "fi_pingpong", 1 / 3.0),
    new Goal("the same", "latency --fabric shm --against tcp,c,fi_pingpong,aeron", "aeron-ipc", 0),
    new Goal("connection, there and back, 64 B, tcp", "latency --fabric tcp --against tcp,c,fi_pingpong,aeron", "tcp", 0),
    new Goal("the same", "latency --fabric tcp --against tcp,c,fi_pingpong,aeron", "c", 1 / 1.1),
    new Goal("the same", "latency --fabric tcp --against tcp,c,fi_pingpong,aeron", "fi_pingpong", 0),
    new Goal("the same", "latency --fabric tcp --against tcp,c,fi_pingpong,aeron", "aeron-udp", 0),
    new Goal("connection, there and back, 64 B, rxm", "latency --fabric rxm --against c,fi_pingpong", "c", 1 / 1.1),
    new Goal("the same", "latency --fabric rxm --against c,fi_pingpong", "fi_pingpong", 0),
    new Goal("messages one way, 64 B, one connection, shm", "rate --fabric shm --against tcp,c,aeron", null, 1e6),
    new Goal("the same", "rate --fabric shm --against tcp,c,aeron", "tcp", 0),
    new Goal("the same", "rate --fabric shm --against tcp,c,aeron", "c", 0),
    new Goal("the same", "rate --fabric shm --against tcp,c,aeron", "aeron-ipc", 0),
    new Goal("messages one way, 64 B, one connection, tcp", "rate --fabric tcp --against tcp,c", "tcp", 0),
    new Goal("messages one way, 1 MiB, zero-copy, shm", "bandwidth --zero-copy --fabric shm --against fi_pingpong,tcp", "fi_pingpong", 0.95),
    new Goal("the same", "bandwidth --zero-copy --fabric shm --against fi_pingpong,tcp", "tcp", 0),
    new Goal("messages one way, 1 MiB, on the heap, shm", "bandwidth --fabric shm --against fi_pingpong,tcp", "fi_pingpong", 0),
    new Goal("the same", "bandwidth --fabric shm --against fi_pingpong,tcp", "tcp", 0),
    new Goal("messages one way, 1 MiB, zero-copy, tcp", "bandwidth --zero-copy --fabric tcp --against fi_pingpong,tcp", "fi_pingpong", 0.95),
    new Goal("the same", "bandwidth --zero-copy --fabric tcp --against fi_pingpong,tcp", "tcp", 0),
    new Goal("messages one way, 1 MiB, on the heap, tcp", "bandwidth --fabric tcp --against fi_pingpong,tcp", "fi_pingpong", 0),
    new Goal("the same", "bandwidth --fabric tcp --against fi_pingpong,tcp", "tcp", 0),
    new Goal("notified write 64 B, shm (one message)", "notify --fabric shm --against send", "send", NOTIFIED),
    new Goal("notified write 64 B, tcp (one message)", "notify --fabric tcp --against send", "send", NOTIFIED),
    new Goal("remote read 64 B, shm", "read --fabric shm --against c", "c", 0),
    new Goal("remote write 64 B, shm", "write --fabric shm --against c", "c", 0),
    new Goal("fetch-and-add, shm", "atomic --fabric shm --against c", "c", 0),
    new Goal("clustered event bus, request 64 B, shm", "bus --fabric shm --against tcp", "tcp", 4),
    new Goal("the same, tcp fabric, adaptive polling", "bus --fabric tcp --against tcp", "tcp", 2),
    new Goal("the same, tcp fabric, blocking", "bus --fabric tcp --poll blocking --against tcp", "tcp", 1),
    new Goal("event bus, 64 B, 256 outstanding, shm", "bus --fabric shm --window 256 --against tcp", "tcp", 2),
    new Goal("the same, tcp fabric", "bus --fabric tcp --window 256 --against tcp", "tcp", 1.3),
    new Goal("event bus, 1 MiB, 8 outstanding, shm", "bus --fabric shm --size 1m --window 8 --against tcp", "tcp", 2),
    new Goal("the same, tcp fabric", "bus --fabric tcp --size 1m --window 8 --against tcp", "tcp", 1.2),
    new Goal("HTTP/1.1 requests, 64 B, shm", "http --fabric shm --against tcp", "tcp", 2),
    new Goal("unary call of a contract, 64 B, shm", "contract --fabric shm --against tcp,send", "tcp", 8),
    new Goal("the same, beside a message", "contract --fabric shm --against tcp,send", "send", 0, 1.5),
    new Goal("unary calls, 64 B, 256 under way, shm", "contract --fabric shm --window 256 --against tcp", "tcp", 3),
    new Goal("unary call of a contract, 1 MiB, shm", "contract --fabric shm --size 1m --against tcp", "tcp", 2),
    new Goal("connecting and closing, shm", "connect --fabric shm --against tcp", "tcp", 0),
    new Goal("first event bus request of a node, shm", "first --fabric shm --against tcp", "tcp", 1 / 1.2),
    new Goal("start of a clustered node, shm", "start --fabric shm --against tcp", "tcp", 0, 300_000),
    new Goal("call of a function, hot, 64 B, shm", "function --fabric shm --against send,bus,http", "send", 0, 1),
    new Goal("the same, beside the event bus", "function --fabric shm --against send,bus,http", "bus", 0),
    new Goal("the same, beside HTTP", "function --fabric shm --against send,bus,http", "http", 0),
    new Goal("call of a function, warm, 64 B, shm, blocking", "function --worker warm --poll blocking --fabric shm --against send", "send",
      0, 10));

  Goal(String what, String command, String peer, double least) {
    this(what, command, peer, least, 0);
  }

  /** Whether it is kept; null without a promise. */
  Boolean met(Row row) {
    if (above > 0) {
      return row.ours().p50() - row.theirs().p50() <= above;
    }
    return least == 0 ? null : (peer == null ? row.ours().messages() : row.ratio()) >= least;
  }
}
