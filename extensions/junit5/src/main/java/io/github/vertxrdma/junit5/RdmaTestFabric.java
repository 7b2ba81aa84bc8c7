package io.github.vertxrdma.junit5;

import io.github.vertxrdma.Rdma;
import io.vertx.core.Vertx;
import java.time.Duration;

/** Further nodes of a test, and faults between them. The parameter {@link Rdma} is the node {@link #TEST}. Thread-safe. */
public interface RdmaTestFabric {
  /** Name of the test's own node. */
  String TEST = "test";

  /** Returns a node with its own Vert.x, which the first call creates and the extension closes. */
  Rdma node(String name);

  /** Returns the node's Vert.x. */
  Vertx vertx(String name);

  /**
   * Disconnects nodes until {@link #join}: connections fail at both ends, opened regions are lost, and new connections fail. Both nodes
   * stay in the directory.
   */
  void cut(String node, String other);

  /** Lets the nodes connect again. */
  void join(String node, String other);

  /**
   * Ends a node as if its process were killed. The extension waits for the close of its Vert.x. The next {@link #node} with this name
   * creates another.
   */
  void kill(String node);

  /** Delays messages and steps of connecting from now on, between all nodes. Reads, writes and atomics are not delayed. */
  void delay(Duration time);
}
