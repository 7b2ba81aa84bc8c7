package io.github.vertxrdma.junit5;

import io.github.vertxrdma.Rdma;
import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * The fabric of a test: further nodes by name, and faults between them. The node of the test's own {@link Rdma} is {@link #TEST}.
 * Thread-safe.
 */
public interface RdmaTestFabric {
  /** Name of the node of the test's parameters. */
  String TEST = "test";

  /** Returns the node of a name, with its own Vert.x, which the first call creates. The extension closes it after the test. */
  Rdma node(String name);

  /** Returns that node's Vert.x. */
  Vertx vertx(String name);

  /**
   * Disconnects two nodes: each connection between them fails at both ends, regions that one has opened of the other are lost, and no
   * connection can be made until {@link #join}. Both still see each other in the directory.
   */
  void cut(String node, String other);

  /** Permits connections between two nodes again. */
  void join(String node, String other);

  /**
   * Ends a node as if its process were killed: its connections fail, it sends nothing more over the fabric, and it leaves the directory.
   * Its Vert.x is closed, for which the end of the test waits. The next call of {@link #node} with the name creates another node.
   */
  void kill(String node);

  /**
   * Delays each message and each step of connecting from now on, for all nodes, in both directions. Reads, writes and atomics are not
   * delayed.
   */
  void delay(Duration time);
}
