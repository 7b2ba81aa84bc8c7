package io.github.vertxrdma.junit5;

import io.github.vertxrdma.Rdma;
import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * The fabric of a test: further nodes by name, and what goes wrong between them. The node of the test's own {@link Rdma} is {@link #TEST}.
 * Any thread.
 */
public interface RdmaTestFabric {
  /** The name of the node that the test's parameters belong to. */
  String TEST = "test";

  /** The node of that name, with a Vert.x of its own, made by the first call; the extension closes it after the test. */
  Rdma node(String name);

  /** That node's Vert.x. */
  Vertx vertx(String name);

  /**
   * Cuts two nodes apart: each connection between them breaks at both ends, regions that one has opened of the other are lost, and no
   * connection can be made until {@link #join}. Both know of each other still.
   */
  void cut(String node, String other);

  /** Lets them connect again. */
  void join(String node, String other);

  /**
   * Ends a node as if its process were killed: its connections break, nothing more of it goes over the fabric, and it leaves the directory.
   * Its Vert.x is closed, for which the end of the test waits. The next call of {@link #node} with the name makes another one.
   */
  void kill(String node);

  /** Delays each message and each step of connecting from now on, all nodes, both ways. Reads, writes and atomics are not delayed. */
  void delay(Duration time);
}
