package io.github.vertxrdma.junit5;

import io.github.vertxrdma.Rdma;
import io.vertx.core.Vertx;
import java.time.Duration;

/** Creates further nodes of a test, and faults between them. {@link Rdma} parameters are the node {@link #TEST}. Thread-safe. */
public interface RdmaTestFabric {
  /** Name of the test's own node. */
  String TEST = "test";

  /** Returns a node with its own Vert.x. The first call creates both; the extension closes them. */
  Rdma node(String name);

  Vertx vertx(String name);

  /**
   * Disconnects two nodes until {@link #join}. Connections fail at both ends, opened regions are lost, and new connections fail. Both nodes
   * stay in the directory.
   */
  void cut(String node, String other);

  /** Lets the nodes connect again. */
  void join(String node, String other);

  /**
   * Ends a node as if its process were killed. The next {@link #node} with this name creates another. The extension waits until the Vert.x
   * is closed.
   */
  void kill(String node);

  /** Delays messages and connection setup between all nodes, but not reads, writes and atomics. */
  void delay(Duration time);
}
